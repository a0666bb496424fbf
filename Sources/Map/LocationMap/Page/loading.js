// Reports to the program when the map loads tiles and draws them. Lines and areas of the program are no tiles.

const isTile = ({ dataType, tile, source }) => dataType === "source" && tile && source?.type !== "geojson";

export class Loading {
  #connection;
  #isLoading = false;
  #isDrawing = false;
  #hasFailed = false;
  /** True while the map is laid on paper, until it is drawn as before: the program does not learn of it. */
  #isOnPaper = false;

  constructor(map, connection) {
    this.#connection = connection;
    map.on("dataloading", (event) => { if (isTile(event)) this.#begin(); });
    map.on("render", () => { if (this.#isLoading && map.areTilesLoaded()) this.#loaded(); });
    map.on("idle", () => this.#drawn());
    // A tile that fails is drawn by no frame, and without one the map never becomes idle.
    map.on("error", ({ tile }) => {
      if (!tile || !(this.#isLoading || this.#isOnPaper)) return;
      this.#hasFailed ||= this.#isLoading;
      map.triggerRepaint();
    });
    addEventListener("beforeprint", () => { this.#isOnPaper = true; });
    // The map gets its size back in the next frame.
    addEventListener("afterprint", () => requestAnimationFrame(() => map.once("idle", () => { this.#isOnPaper = false; })));
  }

  /** Reports again to a program that knows this page by another name. */
  resume() {
    if (this.#isLoading) this.#send("loading", "started");
    if (this.#isDrawing) this.#send("rendering", "started");
  }

  #begin() {
    if (this.#isOnPaper) return;
    if (!this.#isLoading) this.#send("loading", "started");
    if (!this.#isDrawing) this.#send("rendering", "started");
    this.#isLoading = this.#isDrawing = true;
  }

  #loaded() {
    this.#isLoading = false;
    this.#send("loading", this.#hasFailed ? "failed" : "finished");
  }

  #drawn() {
    if (this.#isLoading) this.#loaded();
    if (!this.#isDrawing) return;
    this.#isDrawing = false;
    this.#send("rendering", this.#hasFailed ? "failed" : "finished");
    this.#hasFailed = false;
  }

  #send(type, stage) { this.#connection.send({ type, stage }); }
}
