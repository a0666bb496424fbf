// The names on the map: in the user's language, or else as they are locally; names of streets as on their signs.
//
// MapLibre draws letters one by one, which breaks Arabic, Hebrew, Devanagari, Thai and others; Latin names replace
// names in them. The elements of the page show every script correctly.

const MAXIMUM_LANGUAGES = 3;

/** The languages of the user's browser, in order of preference. */
const [first = "en", ...others] = [...new Set(navigator.languages.map((tag) => tag.split("-")[0].toLowerCase()))]
  .filter((language) => /^[a-z]{2,3}$/.test(language)).slice(0, MAXIMUM_LANGUAGES);
const readsLatin = new Intl.Locale(first).maximize().script === "Latn";

const property = (name) => ["to-string", ["get", name]];
const local = ["var", "local"];

// Thai and Lao, which MapLibre's own test lacks, by their first and last letter.
const isBetween = (letter) => ["all", [">=", letter, "\u0e00"], ["<=", letter, "\u0eff"]];
const isThai = (name) => ["any", isBetween(["slice", name, 0, 1]), isBetween(["slice", name, -1])];

/** True if the map can draw a name. */
const isWritable = (name) => ["all", ["!=", name, ""], ["is-supported-script", name], ["!", isThai(name)]];

// Each is a list of conditions with the name that they choose, as `case` takes them.
const either = (...names) => names.flatMap((name) => [isWritable(name), name]);
/** OpenMapTiles writes `name_en` besides `name:en`. */
const inLanguages = (languages) => either(...languages.flatMap((language) => [property(`name:${language}`), property(`name_${language}`)]));
const inLatin = either(...["name:latin", "name_int", "name:en", "name_en"].map(property));
const isLocalLatin = ["any", ["==", property("name:latin"), ""], ["==", property("name:latin"), local]];

const chosen = (...choices) => ["let", "local", property("name"), ["case", ...choices, ""]];

/**
 * The name of a feature, as an expression; empty if none can be drawn. Who reads Latin letters gets a name in them in the
 * second language rather than a local one in others. A name in the first language is missing if it is the local one: others
 * than the first do not come before that.
 */
export const NAME = chosen(...inLanguages([first]), ...readsLatin ? [["all", isLocalLatin, isWritable(local)], local] : [...either(local)],
  ...inLanguages(others), ...either(local), ...inLatin);

/** The name of a street as on its signs, as an expression; in Latin letters if it cannot be drawn. */
export const SIGN = chosen(...either(local), ...inLatin);
