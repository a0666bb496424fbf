"""Every text of the map's page and of the prompts is in the catalogue of each language, and nothing else is."""
import json
import re
import unittest

from pages import REPOSITORY

CATALOGUE = REPOSITORY / "Sources/Platform/Localization/Catalogue"
PAGE = REPOSITORY / "Sources/Map/LocationMap/Page"
PRIVACY = REPOSITORY / "Sources/Map/PrivacyPage/Page"
# The forms of plurals in each language, as CLDR has them. A form that is missing is `other`: "0 places" in Arabic.
FORMS = {"en": {"one", "other"}, "de": {"one", "other"}, "fr": {"one", "many", "other"}, "es": {"one", "many", "other"},
         "pt": {"one", "many", "other"}, "ja": {"other"}, "ar": {"zero", "one", "two", "few", "many", "other"}}
CATEGORIES = REPOSITORY / "Sources/Map/PlaceSearch/Resources/categories.txt"
CALL = re.compile(r'(?<![\w.#$])text\("((?:[^"\\]|\\.)*)"')
# Comments, and what is for the browser's console.
ASIDE = re.compile(r"^\s*//[^\n]*|(?<=[\s;])//[^\n]*|/\*.*?\*/|console\.\w+\([^\n]*|new Error\([`\"][a-z][^\n]*", re.M | re.S)
SHOWN = re.compile(r'\b(?:text|label|title|placeholder|alt): (?:[^,"`\n]*[?:|] )?["`]([^"`]*[A-Za-z]{2}[^"`]*)["`]')
SENTENCE = re.compile(r'["`]((?:[A-Z“][\w’]*|\$\{[^}]*\})[,:]? (?:[^"`;=<>(]* )?[a-z]{2}[^"`;=<>(]*)["`]')
# A single word as an argument: `iconButton("close", "Close")`.
WORD = re.compile(r'(?:\(|, )"([A-Z][a-z]+)"(?=[,)])')
ENGLISH = re.compile(r'<(style|code)\b.*?</\1>|<(\w+) lang="en" dir="ltr">.*?</\2>', re.S)
# Commands, fonts, colours, and errors that MapLibre writes to the console.
NOT_TRANSLATED = re.compile(r"(?:sudo )?locationctl |Noto Sans|Organic Maps$|OpenStreetMap$|OsmAnd$|#|The program answered |A tile of the relief ")


def catalogues():
    return {language: json.loads((CATALOGUE / f"texts.{language}.json").read_text()) for language in FORMS}


def scripts():
    return {file.name: ASIDE.sub("", file.read_text()) for file in sorted([*PAGE.glob("*.js"), *PRIVACY.glob("*.js")])}


def pages():
    """The texts of each page without a script, but for commands, styles, and what is marked as English."""
    files = [*sorted(PAGE.glob("*.html")), *sorted(PRIVACY.glob("*.html")), REPOSITORY / "Config/map/credits.html"]
    return {file.name: set(re.findall(r">([^<>]*[A-Za-z]{2}[^<>]*)<", ENGLISH.sub("", file.read_text()))) for file in files}


def forms(entry):
    return entry if isinstance(entry, dict) else {"other": entry}


def kinds():
    """The kinds of places, as the page writes their identifiers: those of the search, and those of icons."""
    rows = [line.split("|")[0].strip() for line in CATEGORIES.read_text().splitlines() if line and not line.startswith("#")]
    table = re.search(r"const FAMILIES = \{.*?\n\};", (PAGE / "points.js").read_text(), re.S)[0]
    rows += re.findall(r'\b([a-z_]+): "[a-z_/]+"', table) + re.findall(r'"([a-z_]+)"[,\]]', re.search(r"fromEntries\(\[(.*?\])", table, re.S)[1])
    return {row[0].upper() + row[1:].replace("_", " ") for row in rows}


class CatalogueTests(unittest.TestCase):
    def test_each_language_has_each_text(self):
        all_keys = {language: set(texts) for language, texts in catalogues().items()}
        keys = all_keys.pop("en") | set().union(*all_keys.values())
        for language, own in all_keys.items():
            self.assertEqual(keys - own, set(), f"texts.{language}.json lacks them")

    def test_the_page_knows_each_language(self):
        listed = re.search(r"LANGUAGES = (\[.*?\])", (PAGE / "texts.js").read_text())[1]
        self.assertEqual(sorted(json.loads(listed)), sorted(file.name.split(".")[1] for file in CATALOGUE.glob("*.json")))

    def test_each_text_of_the_page_is_in_the_catalogue(self):
        keys = set(catalogues()["de"])
        for name, script in scripts().items():
            self.assertEqual({text for text in CALL.findall(script) if text not in keys}, set(), name)

    def test_each_text_of_a_page_without_a_script_is_in_the_catalogue(self):
        keys = set(catalogues()["de"])
        self.assertGreater(len(pages()["credits.html"]), 10)
        for name, texts in pages().items():
            self.assertEqual(texts - keys, set(), name)

    def test_each_text_of_the_catalogue_is_used(self):
        sources = "\n".join(file.read_text() for kind in ("js", "swift") for file in (REPOSITORY / "Sources").rglob(f"*.{kind}"))
        # Swift writes a value into a sentence as `\(name)`.
        sources = re.sub(r"\\\((\w+)\)", r"{\1}", sources)
        used = kinds() | set().union(*pages().values())
        self.assertEqual([key for key in catalogues()["de"] if key not in used and f'"{key}"' not in sources], [])

    def test_each_kind_of_place_is_in_the_catalogue(self):
        self.assertGreater(len(kinds()), 200)
        self.assertEqual(kinds() - set(catalogues()["de"]), set())

    def test_the_page_has_a_sentence_for_each_reason_of_the_service(self):
        model = (REPOSITORY / "Sources/Model/LocationModel/LocationCause.swift").read_text()
        reasons = re.findall(r"\n    case (\w+)\n", model.split("enum LocationReason")[1])
        self.assertGreater(len(reasons), 25)
        sentences = set(re.findall(r"\b(\w+): (?:text\(|REDUCED)", (PAGE / "causes.js").read_text()))
        self.assertEqual(set(reasons) - sentences, set())

    def test_the_page_shows_no_text_past_the_catalogue(self):
        found = []
        for name, script in scripts().items():
            if name == "texts.js":
                continue
            # The text has to be written in the call, where it is found.
            found += [(name, call) for call in re.findall(r"(?<![\w.#$])text\((?!\")[^\n]{0,60}", script)]
            rest = CALL.sub("(", script)
            literals = [match[1] for match in [*SHOWN.finditer(rest), *SENTENCE.finditer(rest), *WORD.finditer(rest)]]
            # Of a template, what is not interpolated.
            found += [(name, text) for text in literals if re.search(r"[A-Za-z]{2}", re.sub(r"\$\{[^}]*\}|\\.", "", text)) and not NOT_TRANSLATED.match(text)]
        self.assertEqual(found, [])

    def test_translations_have_the_same_values_and_all_plurals(self):
        for language, texts in catalogues().items():
            for key, entry in texts.items():
                values = set(re.findall(r"\{\w+\}", key))
                if isinstance(entry, dict):
                    self.assertEqual(set(entry), FORMS[language], f"{language}: {key}")
                for form, text in forms(entry).items():
                    # "One place" has no number.
                    free = {"{count}"} if form in ("zero", "one", "two") else set()
                    self.assertEqual(set(re.findall(r"\{\w+\}", text)) | free, values | free, f"{language}: {text}")
                    self.assertEqual(text, text.strip(), f"{language}: {key}")


if __name__ == "__main__":
    unittest.main()
