// Dragging of annotation views, by mouse, touch and keyboard. The page moves the view, and reports start, moves and end
// to the program.

const LEAST_DISTANCE = 5;
const REPORT_INTERVAL = 100;
const KEY_STEP = 10;

export class Drag {
  #map;
  #connection;
  #carried = null;

  constructor(map, connection) {
    this.#map = map;
    this.#connection = connection;
  }

  /** Listens on the layer of the views; `views` finds and places them. */
  attach(views) {
    this.views = views;
    const layer = views.layer;
    // MapLibre pans on these two events, which a draggable view does not pass on.
    const keep = (event) => { if (this.#draggable(event.target)) event.stopPropagation(); };
    layer.addEventListener("mousedown", keep);
    layer.addEventListener("touchstart", keep, { passive: true });
    layer.addEventListener("pointerdown", (event) => this.#pressed(event));
    layer.addEventListener("focusout", (event) => {
      const entry = this.#draggable(event.target);
      if (entry && this.isCarried(entry)) this.putDown(entry);
    });
  }

  #draggable(node) {
    const entry = this.views.entry(node.closest?.(".view")?.dataset.id);
    return entry?.view.isDraggable && entry.view.isEnabled !== false ? entry : null;
  }

  #pressed(event) {
    const entry = this.#draggable(event.target);
    if (!entry || event.button !== 0) return;
    entry.wasDragged = false;
    const start = [event.clientX, event.clientY];
    const [longitude, latitude] = entry.view.position;
    const origin = this.#map.project([longitude, latitude]);
    let isDragging = false;
    let lastReport = 0;
    const position = ({ clientX, clientY }) => this.#map.unproject([origin.x + clientX - start[0], origin.y + clientY - start[1]]).toArray();

    const moved = (move) => {
      if (move.pointerId !== event.pointerId) return;
      if (!isDragging) {
        if (Math.hypot(move.clientX - start[0], move.clientY - start[1]) < LEAST_DISTANCE) return;
        isDragging = true;
        entry.wasDragged = true;
        entry.button.setPointerCapture(event.pointerId);
        this.#lift(entry);
      }
      this.#move(entry, position(move));
      if (performance.now() - lastReport >= REPORT_INTERVAL) {
        lastReport = performance.now();
        this.#report(entry, "move");
      }
    };
    const ended = (end) => {
      if (end.pointerId !== event.pointerId) return;
      for (const [name, listener] of listeners) window.removeEventListener(name, listener);
      if (!isDragging) return;
      if (end.type === "pointercancel") this.#move(entry, [longitude, latitude]);
      this.#lower(entry, end.type === "pointercancel" ? "cancel" : "end");
      // The click that follows belongs to the drag.
      setTimeout(() => { entry.wasDragged = false; });
    };
    const listeners = [["pointermove", moved], ["pointerup", ended], ["pointercancel", ended]];
    for (const [name, listener] of listeners) window.addEventListener(name, listener);
  }

  #lift(entry) {
    entry.isDragged = true;
    entry.button.classList.add("is-dragged");
    this.#report(entry, "start");
  }

  #move(entry, position) {
    entry.at = position;
    this.views.place();
  }

  #lower(entry, state) {
    entry.isDragged = false;
    entry.button.classList.remove("is-dragged");
    this.#report(entry, state);
    if (state === "end") entry.view = { ...entry.view, position: entry.at };
    entry.at = null;
    this.views.place();
  }

  #report(entry, state) {
    this.#connection.send({ type: "drag", id: entry.view.id, state, position: entry.at ?? entry.view.position });
  }

  // MARK: Keyboard: shift with an arrow moves a view, Enter drops it, Escape returns it

  isCarried(entry) { return this.#carried === entry; }

  carry(entry, [x, y]) {
    if (!this.isCarried(entry)) {
      this.#carried = entry;
      this.#lift(entry);
    }
    const { x: left, y: top } = this.#map.project(entry.at ?? entry.view.position);
    this.#move(entry, this.#map.unproject([left + x * KEY_STEP, top + y * KEY_STEP]).toArray());
    this.#report(entry, "move");
  }

  putDown(entry) {
    this.#carried = null;
    this.#lower(entry, "end");
  }

  putBack(entry) {
    this.#carried = null;
    entry.at = null;
    this.#lower(entry, "cancel");
  }
}
