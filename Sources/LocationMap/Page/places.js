// Asks the program for places: while somebody types, for what was typed, and for what is at a point. Nothing leaves the machine.

/** The reason why a question has no answer. */
export class SearchProblem extends Error {
  constructor(words, isMissing = false) {
    super(words);
    this.isMissing = isMissing;
  }
}

const WORDS = {
  404: "This map has nothing to search.",
  413: "That is too long to search for.",
  429: "Too many questions at once. Try again in a moment.",
};

export class Places {
  #map;
  #connection;
  #running = new Map();
  /** Where the user is, `[longitude, latitude]`, if that is known. */
  user = null;

  constructor(map, connection) {
    this.#map = map;
    this.#connection = connection;
  }

  /** Lines to offer for what has been typed so far. */
  async suggestions(text) { return (await this.#ask("suggest", { text })).suggestions ?? []; }

  /** Places for a text, or all of a category in it, about the part of the map that is visible. */
  async search(text, category) { return (await this.#ask("search", { text, category })).results ?? []; }

  /** The place at `[longitude, latitude]`; `null` where nothing is known. */
  async at(position) { return (await this.#ask("reverse", { position })).place ?? null; }

  /** The part of the map that is visible: west, south, east, north. */
  get region() {
    const bounds = this.#map.getBounds();
    const [west, south, east, north] = bounds.toArray().flat();
    const wrap = (longitude) => ((longitude + 180) % 360 + 360) % 360 - 180;
    const limit = (latitude) => Math.min(Math.max(latitude, -90), 90);
    return [...(east - west >= 360 ? [-180, limit(south), 180] : [wrap(west), limit(south), wrap(east)]), limit(north)];
  }

  /** A newer question of a kind makes an older one void: its answer would come too late. */
  async #ask(kind, question) {
    this.#running.get(kind)?.abort();
    const running = new AbortController();
    this.#running.set(kind, running);
    const answer = await fetch("search", {
      method: "POST", signal: running.signal, headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ page: this.#connection.page, kind, region: this.region, user: this.user ?? undefined, ...question }),
    });
    if (!answer.ok) throw new SearchProblem(WORDS[answer.status] ?? "The search does not answer.");
    const found = await answer.json();
    if (found.isMissing) throw new SearchProblem("No places are installed to search in.", true);
    return found;
  }

  /** Gives up what is being asked. */
  stop() {
    for (const running of this.#running.values()) running.abort();
  }
}

/** Whether a question was given up for a newer one. */
export const isStopped = (problem) => problem.name === "AbortError";
