// Which name of a thing is written on the map: in the reader's language, else the local one, else a Latin one.
//
// MapLibre draws letters one by one: Arabic, Hebrew, Devanagari, Thai and their like come out broken, so names in them give way to
// Latin ones. Elements of the page show every script right.

const MAXIMUM_LANGUAGES = 3;

/** The languages that the reader's browser asks for, the first first. */
const languages = [...new Set(navigator.languages.map((tag) => tag.split("-")[0].toLowerCase()))]
  .filter((language) => /^[a-z]{2,3}$/.test(language)).slice(0, MAXIMUM_LANGUAGES);

const get = (name) => ["get", name];
const text = (value) => ["to-string", value];

// Thai and Lao, which MapLibre's own test does not know, by the first letter and the last.
const isBetween = (letter) => ["all", [">=", letter, "\u0e00"], ["<=", letter, "\u0eff"]];
const isThai = (name) => ["any", isBetween(["slice", name, 0, 1]), isBetween(["slice", name, -1])];

/** Whether the map can write a name. */
const isWritable = (name) => ["all", ["!=", name, ""], ["is-supported-script", name], ["!", isThai(name)]];

/** The name of a feature, as an expression: empty where none can be written. OpenMapTiles writes `name_en` besides `name:en`. */
export const NAME = ["let", "local", text(get("name")), ["case",
  ...languages.flatMap((language) => [
    // A reader of the local language has no `name:xx`, where that would be the local name again.
    ...[`name:${language}`, `name_${language}`].flatMap((key) => [isWritable(text(get(key))), text(get(key))]),
  ]),
  isWritable(["var", "local"]), ["var", "local"],
  ...["name:latin", "name_int", "name:en", "name_en"].flatMap((key) => [isWritable(text(get(key))), text(get(key))]),
  "",
]];
