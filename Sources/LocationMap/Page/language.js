// The language of labels on the map: the user's, or else the local one, or else one in Latin letters.
//
// MapLibre draws letters one by one, which breaks Arabic, Hebrew, Devanagari, Thai and others; Latin names replace
// names in them. The elements of the page show every script correctly.

const MAXIMUM_LANGUAGES = 3;

/** The languages of the user's browser, in order of preference. */
const languages = [...new Set(navigator.languages.map((tag) => tag.split("-")[0].toLowerCase()))]
  .filter((language) => /^[a-z]{2,3}$/.test(language)).slice(0, MAXIMUM_LANGUAGES);

const get = (name) => ["get", name];
const text = (value) => ["to-string", value];

// Thai and Lao, which MapLibre's own test lacks, by their first and last letter.
const isBetween = (letter) => ["all", [">=", letter, "\u0e00"], ["<=", letter, "\u0eff"]];
const isThai = (name) => ["any", isBetween(["slice", name, 0, 1]), isBetween(["slice", name, -1])];

/** True if the map can draw a name. */
const isWritable = (name) => ["all", ["!=", name, ""], ["is-supported-script", name], ["!", isThai(name)]];

/** The name of a feature, as an expression; empty if none can be drawn. OpenMapTiles writes `name_en` besides `name:en`. */
export const NAME = ["let", "local", text(get("name")), ["case",
  ...languages.flatMap((language) => [
    // Without `name:xx` the local name is in the user's language.
    ...[`name:${language}`, `name_${language}`].flatMap((key) => [isWritable(text(get(key))), text(get(key))]),
  ]),
  isWritable(["var", "local"]), ["var", "local"],
  ...["name:latin", "name_int", "name:en", "name_en"].flatMap((key) => [isWritable(text(get(key))), text(get(key))]),
  "",
]];
