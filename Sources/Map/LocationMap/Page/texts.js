// The texts of the page in the user's language. The key of a text is its English sentence, so that the code shows what the
// user reads; the catalogue of a language (Sources/Platform/Localization/Catalogue) has the translations, and for English only the plurals.
//
// Modules that import this one run after the catalogue has been loaded: their constants may contain texts.

const LANGUAGES = ["en", "de", "fr", "es", "pt", "ja", "ar"];
const RIGHT_TO_LEFT = ["ar"];

const languageOf = (tag) => tag.split("-")[0].toLowerCase();

/** The first of the browser's languages that has a catalogue, with its country: `pt-BR`. English if none has. */
export const locale = navigator.languages.find((tag) => LANGUAGES.includes(languageOf(tag))) ?? "en";
const language = languageOf(locale);
/** True if the page has its texts as they are in the code. */
export const isEnglish = language === "en";
/** What marks an element with words that are English in every language, such as those of the service. */
export const english = isEnglish ? {} : { lang: "en", dir: "ltr" };
/** True if the page is laid out from right to left. */
export const isRightToLeft = RIGHT_TO_LEFT.includes(language);

document.documentElement.lang = locale;
document.documentElement.dir = isRightToLeft ? "rtl" : "ltr";

const answer = await fetch(`page/texts.${language}.json`);
if (!answer.ok) throw new Error(`The texts were not loaded: the program answered ${answer.status}.`);
const catalogue = new Map(Object.entries(await answer.json()));
const plurals = new Intl.PluralRules(locale);
const numbers = new Intl.NumberFormat(locale);
const lists = new Intl.ListFormat(locale, { type: "unit", style: "short" });

/**
 * The translation of an English sentence, with values in place of `{name}`. Numbers are written as the language does;
 * `count` chooses the form of a sentence with plurals.
 */
export function text(sentence, values = {}) {
  const entry = catalogue.get(sentence) ?? sentence;
  const form = typeof entry === "string" ? entry : entry[plurals.select(values.count)] ?? entry.other;
  return form.replace(/\{(\w+)\}/g, (place, name) => (typeof values[name] === "number" ? numbers.format(values[name]) : values[name] ?? place));
}

/** The translation of a sentence of the program, or the sentence itself if the catalogue lacks it; `""` of nothing. */
export const translated = (sentence, values = {}) => (sentence ? text(sentence, values) : "");

/** A text without case and accents, for comparisons. */
export const folded = (words) => words.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** The parts that are not empty, as an enumeration of the language: "400 m, 12 min". */
export const listed = (parts) => lists.format(parts.filter(Boolean));
