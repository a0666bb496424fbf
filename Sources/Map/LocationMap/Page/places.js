// Queries for places, sent to the program: suggestions, results, and the place at a point. Nothing leaves the machine.

import { isOpen } from "./opening.js";
import { kindOf } from "./place-details.js";
import { text } from "./texts.js";

/** The reason for a query without an answer. */
export class SearchProblem extends Error {
  constructor(words, isMissing = false) {
    super(words);
    this.isMissing = isMissing;
  }
}

// The farthest that a place can be from its label, in metres: a street is labelled all along.
const REACH = { pointOfInterest: 150, street: 5000, suburb: 3000, settlement: 10_000, country: 2_000_000 };
// The farthest that a place can be from its icon without a name, in metres.
const NEXT = 30;

/** The longest text that is searched for, in UTF-16 units: names in tiles may be longer. */
export const LONGEST = 200;

const WORDS = {
  404: text("This map has nothing to search."),
  413: text("That is too long to search for."),
  429: text("Too many searches at once. Try again in a moment."),
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

  /** The suggestions for a partial query, or the program's rows, which have a `row`. */
  async suggestions(typed) {
    const { suggestions, rows } = await this.#ask("suggest", { text: typed });
    return suggestions ?? rows ?? [];
  }

  /**
   * The places for a text, or all of a category, in the visible part of the map; and the identifier of a category that is absent
   * there, of which the places are the next ones. If the text asks for what is open now, `isAboutOpenNow` is true and the
   * places are those that are certainly open.
   */
  async search(query, category) {
    const { results = [], absent = "", openLimit } = await this.#ask("search", { text: query, category });
    const isAboutOpenNow = openLimit !== undefined;
    return { places: isAboutOpenNow ? results.filter((place) => isOpen(place)).slice(0, openLimit) : results, absent, isAboutOpenNow };
  }

  /** The place at `[longitude, latitude]`; `null` if none is known. */
  async at(position) { return (await this.#ask("reverse", { position })).place ?? null; }

  /**
   * The place of a label of the map: the nearest one with its name, or with its category if it has no name. If none is
   * installed, a place with the name, kind and position of the label.
   */
  async labelled({ names, name, kind, category, longitude, latitude }) {
    const from = new maplibregl.LngLat(longitude, latitude);
    const away = (place) => from.distanceTo(new maplibregl.LngLat(place.longitude, place.latitude));
    const region = regionOf(maplibregl.LngLatBounds.fromLngLat(from, Math.min(REACH[kind], 10_000)));
    let results = [];
    try {
      ({ results = [] } = await this.#ask("search", { text: (name || category).slice(0, LONGEST), category: name ? undefined : category, region, isLabel: true }, "label"));
    } catch (problem) {
      if (!problem.isMissing) throw problem;
    }
    const [place = { name: name || kindOf({ category }), kind, category, longitude, latitude }] = results
      .filter((place) => (name ? place.kind === kind && names.has(place.name) && away(place) <= REACH[kind] : away(place) <= NEXT))
      .sort((a, b) => away(a) - away(b));
    // The middle of a street may be far from where it was clicked.
    const position = kind === "street" ? from : new maplibregl.LngLat(place.longitude, place.latitude);
    // The distance in the answer is from the label.
    const distance = this.user && position.distanceTo(new maplibregl.LngLat(...this.user));
    return { ...place, longitude: position.lng, latitude: position.lat, isFromMiddle: false, distance };
  }

  /** The visible part of the map: west, south, east, north. */
  get region() { return regionOf(this.#map.getBounds()); }

  /**
   * A newer query for the same purpose replaces an older one, whose answer would be late. The places of an answer say
   * whether their distances are from the middle of the map.
   */
  async #ask(kind, question, purpose = kind) {
    const user = this.user ?? undefined;
    this.#running.get(purpose)?.abort();
    const running = new AbortController();
    this.#running.set(purpose, running);
    const answer = await fetch("search", {
      method: "POST", signal: running.signal, headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ page: this.#connection.page, kind, region: this.region, user, ...question }),
    });
    if (!answer.ok) throw new SearchProblem(WORDS[answer.status] ?? text("The search does not answer."));
    const found = await answer.json();
    if (found.isMissing) throw new SearchProblem(text("No places are installed to search in."), true);
    for (const place of [found.place, ...found.results ?? [], ...(found.suggestions ?? []).map(({ place }) => place)]) {
      if (place) place.isFromMiddle = found.isFromMiddle === true;
    }
    return found;
  }

  /** Cancels the query for a label's place. */
  stopLabelled() { this.#running.get("label")?.abort(); }

  /** Cancels the pending queries. */
  stop() {
    for (const running of this.#running.values()) running.abort();
  }
}

/** Bounds as west, south, east and north in the ranges of degrees. */
function regionOf(bounds) {
  const [west, south, east, north] = bounds.toArray().flat();
  const wrap = (longitude) => ((longitude + 180) % 360 + 360) % 360 - 180;
  const limit = (latitude) => Math.min(Math.max(latitude, -90), 90);
  return [...(east - west >= 360 ? [-180, limit(south), 180] : [wrap(west), limit(south), wrap(east)]), limit(north)];
}

/** True if a query was cancelled for a newer one. */
export const isStopped = (problem) => problem.name === "AbortError";
