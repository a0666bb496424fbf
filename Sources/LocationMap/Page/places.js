// Queries for places, sent to the program: suggestions, results, and the place at a point. Nothing leaves the machine.

/** The reason for a query without an answer. */
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
  /** The user's location, `[longitude, latitude]`; `null` if unknown. */
  user = null;

  constructor(map, connection) {
    this.#map = map;
    this.#connection = connection;
  }

  /** The suggestions for a partial query. */
  async suggestions(text) { return (await this.#ask("suggest", { text })).suggestions ?? []; }

  /**
   * The places for a text, or all of a category, in the visible part of the map; and the title of a category that is absent
   * there, of which the places are the next ones.
   */
  async search(text, category) {
    const { results = [], absent = "" } = await this.#ask("search", { text, category });
    return { places: results, absent };
  }

  /** The place at `[longitude, latitude]`; `null` if none is known. */
  async at(position) { return (await this.#ask("reverse", { position })).place ?? null; }

  /** The visible part of the map: west, south, east, north. */
  get region() {
    const bounds = this.#map.getBounds();
    const [west, south, east, north] = bounds.toArray().flat();
    const wrap = (longitude) => ((longitude + 180) % 360 + 360) % 360 - 180;
    const limit = (latitude) => Math.min(Math.max(latitude, -90), 90);
    return [...(east - west >= 360 ? [-180, limit(south), 180] : [wrap(west), limit(south), wrap(east)]), limit(north)];
  }

  /**
   * A newer query of a kind replaces an older one, whose answer would be late. The places of an answer say whether their
   * distances are from the middle of the map.
   */
  async #ask(kind, question) {
    const user = this.user ?? undefined;
    this.#running.get(kind)?.abort();
    const running = new AbortController();
    this.#running.set(kind, running);
    const answer = await fetch("search", {
      method: "POST", signal: running.signal, headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ page: this.#connection.page, kind, region: this.region, user, ...question }),
    });
    if (!answer.ok) throw new SearchProblem(WORDS[answer.status] ?? "The search does not answer.");
    const found = await answer.json();
    if (found.isMissing) throw new SearchProblem("No places are installed to search in.", true);
    for (const place of [found.place, ...found.results ?? [], ...(found.suggestions ?? []).map(({ place }) => place)]) {
      if (place) place.isFromMiddle = found.isFromMiddle === true;
    }
    return found;
  }

  /** Cancels the pending queries. */
  stop() {
    for (const running of this.#running.values()) running.abort();
  }
}

/** True if a query was cancelled for a newer one. */
export const isStopped = (problem) => problem.name === "AbortError";
