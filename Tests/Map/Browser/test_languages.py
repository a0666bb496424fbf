"""The page in other languages: its texts, numbers and direction, and the names on the map."""

import json
import os
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import PICTURES, WIDE
from service import ROOT
from tracks import PLACES, gpx

CATALOGUE = os.path.join(ROOT, "Sources", "Platform", "Localization", "Catalogue")
NARROW = {"width": 360, "height": 740}
VADUZ = "#map=15.00/47.14000/9.52000"


def catalogue(language):
    with open(os.path.join(CATALOGUE, f"texts.{language}.json")) as file:
        return json.load(file)


@pytest.fixture(scope="module")
def program(served, regions):
    served.regions = regions
    return lambda: served.run("locationctl-map", "--mode", "none", gpx(served))[1]


def field(page):
    return page.page.locator("#search-field")


def search(page, words):
    field(page).fill(words)
    field(page).press("Enter")
    expect(page.page.locator(".results button").first).to_be_visible()
    page.idle()


@pytest.mark.parametrize("locale, language, direction", [
    pytest.param("de-AT", "de", "ltr", marks=pytest.mark.smoke), ("fr-FR", "fr", "ltr"), ("es-MX", "es", "ltr"), ("pt-BR", "pt", "ltr"),
    ("ja-JP", "ja", "ltr"), ("ar-EG", "ar", "rtl"), ("en-GB", "en", "ltr"), ("sv-SE", "en", "ltr")])
def test_the_page_has_the_language_of_the_browser(program, open_page, locale, language, direction):
    page = open_page(program() + VADUZ, locale=locale).idle()
    texts = catalogue(language)
    expect(page.page.locator("html")).to_have_attribute("lang", locale if language != "en" or locale == "en-GB" else "en")
    expect(page.page.locator("html")).to_have_attribute("dir", direction)
    expect(field(page)).to_have_attribute("placeholder", texts.get("Search", "Search"))
    for label in ["Map type", "Zoom in", "Full screen", "Show my location"]:
        expect(page.page.get_by_role("button", name=texts.get(label, label), exact=True)).to_be_visible()
    page.picture(f"language-{language}")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("language", ["de", "ar"])
def test_axe_finds_nothing_in_other_languages(program, open_page, language, size, dark):
    page = open_page(program() + VADUZ, locale=language, size=size, dark=dark).idle()
    name = f"{language}-{'wide' if size is WIDE else 'narrow'}-{'dark' if dark else 'light'}"
    search(page, "museum")
    page.picture(f"{name}-results")
    check(page)
    page.page.locator(".results button").first.click()
    expect(page.page.locator(".callout")).to_be_visible()
    page.page.locator(".types-control > button").click()
    page.still().picture(f"{name}-callout")
    check(page)


def check(page):
    found = Axe().run(page.still().page).response["violations"]
    assert not found, json.dumps([(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found], indent=1)
    overflow = page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0, f"the page scrolls sideways by {overflow} pixels"


def test_arabic_is_laid_out_from_right_to_left(program, open_page):
    page = open_page(program() + VADUZ, locale="ar").idle()
    box = page.page.locator(".search").bounding_box()
    assert box["x"] + box["width"] > 1260, box
    assert page.page.locator(".types-control").bounding_box()["x"] < 20
    # The selected place is not below the list, which is at the right.
    search(page, "museum")
    for row in page.page.locator(".results button").all()[:4]:
        row.click()
        page.settled()
        pin = page.page.locator(".view.is-selected").bounding_box()
        assert 0 < pin["x"] and pin["x"] + pin["width"] < page.page.locator(".search").bounding_box()["x"], pin
    # A menu opens within the page, and what is read from left to right stays so.
    page.page.mouse.click(1270, 700, button="right")
    menu = page.page.get_by_role("menu").bounding_box()
    assert menu["x"] + menu["width"] <= 1280, menu
    assert page.page.evaluate("getComputedStyle(document.querySelector('.menu.place span[dir]')).direction") == "ltr", "coordinates"


def test_numbers_are_written_as_the_language_does(program, open_page):
    page = open_page(program() + VADUZ, locale="de-DE").idle()
    lengths = page.page.evaluate("""async () => {
      const { ago, distance, length, span, step } = await import(new URL("page/units.js", document.baseURI));
      return [distance(2400), length(2437, "metric"), span(12_000), ago(185), step(1609.344 / 2, "imperial"), step(0.5)];
    }""")
    assert [text.replace("\u00a0", " ") for text in lengths] == ["2,4 km", "2,437 km", "3 Std., 20 Min.", "vor 3 Min.", "0,5 mi", "50 cm"], lengths


def test_plurals_are_those_of_the_language(program, open_page):
    page = open_page(program() + VADUZ, locale="ar-EG").idle()
    texts = page.page.evaluate("""async () => {
      const { text } = await import(new URL("page/texts.js", document.baseURI));
      return [1, 2, 5, 1234].map((count) => text("{count} results", { count }));
    }""")
    assert texts == ["نتيجة واحدة", "نتيجتان", "٥ نتائج", "١٬٢٣٤ نتيجة"], texts


def test_the_prompt_is_in_the_language_of_the_page(site, open_page):
    site.serve("locationctl-map", policy={})
    page = open_page(site.run("locationctl-map", "--mode", "none")[1], locale="ar")
    dialog = page.page.get_by_role("dialog")
    expect(dialog.locator("h2")).to_have_text("هل تريد السماح لـ “locationctl-map” باستخدام موقعك؟")
    expect(dialog).to_contain_text("Shows your place on the map.")
    expect(dialog.locator(".program")).to_contain_text(re.compile(r"^org.example.locationctl-map: العملية \d+"))
    assert dialog.get_by_role("button").all_text_contents() == ["السماح أثناء الاستخدام", "السماح مرة واحدة", "عدم السماح"]
    page.idle().picture("prompt-ar")
    check(page)
    dialog.get_by_role("button", name="عدم السماح", disabled=False).click()
    pill = page.page.locator(".pill")
    expect(pill).to_have_attribute("data-status", "denied")
    expect(pill.locator(".sentence")).to_have_text(catalogue("ar")["This program is not allowed to use your location."])
    expect(pill.locator(".action")).to_contain_text(catalogue("ar")["To change that, run:"])
    expect(pill.locator("code")).to_have_text("locationctl allow org.example.locationctl-map")
    page.idle().picture("denied-ar")
    check(page)


@pytest.mark.parametrize("locale, dark", [("de-DE", False), ("ar", True)])
def test_pages_without_a_script_have_the_language_of_the_browser(program, chromium, locale, dark):
    texts = catalogue(locale.split("-")[0])
    address = program()
    context = chromium.new_context(locale=locale, java_script_enabled=False, viewport=NARROW, color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.goto(address)
    assert texts["This map is drawn by JavaScript, which is switched off here."] in page.content()
    page.goto(page.url.split("#")[0].rsplit("/", 1)[0] + "/page/credits.html")
    expect(page.locator("h1")).to_have_text(texts["Credits of the map"])
    page.screenshot(path=os.path.join(PICTURES, f"credits-{locale}.png"))
    context.clear_cookies()
    page.goto(address)
    expect(page.locator("h1")).to_have_text(texts["This address does not open a map"])
    assert page.locator("html").evaluate("(node) => getComputedStyle(node).direction") == ("rtl" if locale == "ar" else "ltr")
    page.screenshot(path=os.path.join(PICTURES, f"new-address-{locale}.png"))
    context.close()


# What is shown and is none of the page's own texts: names and data have the direction of their letters, commands are in code.
SHOWN = """() => {
  const isForeign = (node) => node.closest("[dir=auto], code, .view, .attribution bdi, .user-dot .own") !== null;
  const attributes = ["aria-label", "aria-description", "title", "placeholder", "alt"];
  const found = [document.title];
  for (const node of document.querySelectorAll("body *")) {
    if (!node.checkVisibility() || ["SCRIPT", "NOSCRIPT"].includes(node.tagName)) continue;
    if (!isForeign(node)) found.push(...[...node.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data));
    if (!node.matches(".view, .callout")) found.push(...attributes.map((name) => node.getAttribute(name) ?? ""));
  }
  return found.map((text) => text.trim()).filter((text) => /\\p{L}/u.test(text));
}"""
UNITS = r"[\d.,\s]+(m|km|ft|mi|km/h)"
# The size of a region, before its other facts.
SIZE = r"^[\d.,]+\s[kM]B · "


def test_every_text_that_is_shown_is_translated(program, open_page):
    """With a catalogue that writes each text in brackets, none is seen without."""
    page = open_page(program() + VADUZ, locale="de").idle()
    marked = {key: f"⟦{key}⟧" for key in catalogue("de")}
    page.page.route("**/page/texts.de.json", lambda route: route.fulfill(json=marked))
    page.page.reload()
    page.idle()
    seen = set()
    look = lambda: seen.update(page.still().page.evaluate(SHOWN))
    look()
    field(page).focus()
    look()
    field(page).fill("vad")
    expect(page.page.locator(".suggestions li").first).to_be_visible()
    look()
    search(page, "museum")
    look()
    page.page.locator(".results button").first.click()
    expect(page.page.locator(".callout")).to_be_visible()
    look()
    page.page.locator(".callout [aria-haspopup]").click()
    look()
    page.page.keyboard.press("Escape")
    page.page.locator(".callout button").filter(has_text="Save").click()
    expect(page.page.locator("dialog.form")).to_be_visible()
    look()
    page.page.keyboard.press("Escape")
    field(page).fill("qqqqqqq")
    field(page).press("Enter")
    expect(page.page.locator(".note strong")).to_be_visible()
    look()
    page.page.locator(".clear").click()
    page.page.locator(".types-control > button").click()
    look()
    page.page.locator(".regions-item").click()
    expect(page.page.locator("dialog.regions")).to_be_visible()
    look()
    page.page.keyboard.press("Escape")
    page.page.mouse.click(700, 450, button="right")
    look()
    page.page.get_by_role("menuitem").filter(has_text="Measure").click()
    page.page.mouse.click(800, 500)
    look()
    page.page.locator(".measure button").filter(has_text="Save").click()
    expect(page.page.locator("dialog.form")).to_be_visible()
    look()
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("Escape")
    page.page.evaluate("map.jumpTo({ zoom: 3 })")
    page.idle()
    page.jump(20, 20, 13)
    page.idle()
    look()
    plain = {text for text in seen if not re.sub(SIZE, "", text).startswith("⟦") and not re.fullmatch(UNITS, text)}
    assert plain - {name for name, *_ in PLACES} - {"2D", "3D"} == set(), plain
    assert len(seen) > 40, seen


# The browser's languages, the names of a feature, and the name on the map.
MUNICH = {"name": "München", "name:en": "Munich", "name:fr": "Munich", "name:it": "Monaco di Baviera"}
TOKYO = {"name": "東京", "name:en": "Tokyo", "name:latin": "Tokyo", "name:de": "Tokio"}
TACHIKAWA = {"name": "立川", "name:en": "Tachikawa", "name:latin": "Tachikawa"}
HELSINKI = {"name": "Helsinki", "name:sv": "Helsingfors"}
CAIRO = {"name": "القاهرة", "name:en": "Cairo", "name:latin": "Cairo", "name:de": "Kairo"}
NAMES = [
    (["en-US", "en"], MUNICH, "Munich"),
    (["de-DE", "de"], MUNICH, "München"),
    # What browsers in German send: English comes after the local name.
    (["de-DE", "de", "en-US", "en"], MUNICH, "München"),
    (["it-IT", "it", "en-US", "en"], MUNICH, "Monaco di Baviera"),
    (["fi", "sv"], HELSINKI, "Helsinki"),
    (["sv-SE", "fi"], HELSINKI, "Helsingfors"),
    (["de-DE", "de", "en"], TOKYO, "Tokio"),
    (["ja", "en-US", "en"], TOKYO, "東京"),
    (["ja", "en-US", "en"], TACHIKAWA, "立川"),
    (["de-DE", "de", "en"], TACHIKAWA, "Tachikawa"),
    # Letters that the map cannot draw.
    (["ar", "en"], CAIRO, "Cairo"),
    (["ar"], MUNICH, "München"),
]
EVALUATE = """async ([languages, properties, kind]) => {
  Object.defineProperty(navigator, "languages", { value: languages, configurable: true });
  const { [kind]: expression } = await import(new URL(`page/language.js?${languages}`, document.baseURI));
  map.addSource("test", { type: "geojson", data: { type: "Feature", properties, geometry: { type: "Point", coordinates: map.getCenter().toArray() } } });
  map.addLayer({ id: "test", type: "symbol", source: "test", layout: { "text-field": expression, "text-allow-overlap": true, "text-ignore-placement": true } });
  await new Promise((resolve) => map.once("idle", resolve));
  const [feature] = map.queryRenderedFeatures({ layers: ["test"] });
  map.removeLayer("test");
  map.removeSource("test");
  return String(feature?.layer.layout["text-field"]);
}"""


def test_names_on_the_map_are_in_the_first_language_or_local(program, open_page):
    page = open_page(program() + VADUZ, locale="en-GB").idle()
    for languages, properties, expected in NAMES:
        assert page.page.evaluate(EVALUATE, [languages, properties, "NAME"]) == expected, (languages, properties)


def test_names_of_streets_are_those_on_the_signs(program, open_page):
    page = open_page(program() + VADUZ, locale="en-GB").idle()
    assert page.page.evaluate(EVALUATE, [["en"], {"name": "Václavské náměstí", "name:en": "Wenceslas Square"}, "SIGN"]) == "Václavské náměstí"
    assert page.page.evaluate(EVALUATE, [["en"], {"name": "شارع", "name:latin": "Shari"}, "SIGN"]) == "Shari"


def test_kinds_of_places_and_hours_are_translated(program, open_page):
    page = open_page(program() + VADUZ, locale="de-DE").idle()
    field(page).press_sequentially("apoth")
    expect(page.page.locator(".suggestions li").filter(has_text="Apotheke").filter(has_text="In der Nähe suchen")).to_be_visible()
    search(page, "museum")
    expect(page.page.locator(".results .subtitle").first).to_contain_text("Museum · ")
    search(page, "bus stop")
    expect(page.page.locator(".results .subtitle").first).to_contain_text("Bushaltestelle · ")
    times = page.page.evaluate("""async () => {
      const { timesByDay } = await import(new URL("page/opening.js", document.baseURI));
      const [day, hour] = [1440, 60];
      const from = (days, start, end) => days.map((number) => [number * day + start * hour, number * day + end * hour]);
      return [
        timesByDay({ week: [...from([0, 1, 2, 4], 8, 12), ...from([0, 1, 2, 4], 13, 18), ...from([5], 20, 26)].sort((a, b) => a[0] - b[0]), lines: ["Public holidays closed"] }),
        timesByDay({ week: from([0, 1, 2, 3, 4, 5, 6], 0, 24), lines: [] }),
      ];
    }""")
    # The dash between days has narrow spaces.
    lines = [[re.sub(r"\s*–\s*", "–", line) for line in place] for place in times]
    assert lines == [["Mo–Mi, Fr 8:00–12:00, 13:00–18:00", "Sa 20:00–2:00", "Feiertage geschlossen"], ["Rund um die Uhr"]], times


@pytest.mark.parametrize("locale, expected", [("de", "Japanische Küche: nichts in der Nähe."), ("ar", "مطبخ ياباني: لا يوجد شيء قريب.")])
def test_a_category_absent_here_has_its_name_in_the_language(program, open_page, locale, expected):
    page = open_page(program() + VADUZ, locale=locale).idle()
    field(page).fill("ramen")
    field(page).press("Enter")
    expect(page.page.locator(".search")).to_contain_text(expected)
    page.still().picture(f"absent-{locale}")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("locale, dark, expected", [("de", False, ["Rollstuhl", "Teilweise zugänglich"]), ("ar", True, ["كرسي متحرك", "متاح جزئيًا"])])
def test_a_place_says_if_it_is_accessible_to_wheelchairs(program, open_page, locale, dark, size, expected):
    page = open_page(program() + VADUZ, locale=locale, dark=dark, size=size).idle()
    field(page).fill("LLB Geschäftsstelle Schaan")
    field(page).press("Enter")
    details = page.page.locator(".callout .details")
    expect(details.locator("dt").filter(has_text=expected[0])).to_be_visible()
    expect(details).to_contain_text(expected[1])
    page.still().picture(f"wheelchair-{locale}-{'wide' if size is WIDE else 'narrow'}")


@pytest.mark.parametrize("locale, expected", [("de-DE", {"München", "Nürnberg"}), ("en-GB", {"Munich", "Nuremberg"}), ("ja-JP", {"ミュンヘン", "ニュルンベルク"})])
def test_large_cities_of_the_world_have_their_names_in_the_language(served, open_page, locale, expected):
    served.regions = None
    page = open_page(served.run("locationctl-map", "--mode", "none")[1] + "#map=6.00/48.80000/11.40000", locale=locale).idle()
    names = page.page.evaluate("map.queryRenderedFeatures({ layers: ['town'] }).map(({ layer }) => String(layer.layout['text-field']))")
    assert expected <= set(names), names
