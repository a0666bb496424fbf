"""The search field: suggestions, keys, results on the map and in a list, searching again elsewhere, what is here."""

import json
import os
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import PHONE, MapPage
from service import DATA

VADUZ = "#map=15.00/47.1395/9.5220"


@pytest.fixture(scope="module")
def open_search(program, chromium):
    pages = []

    def made(**options):
        page = MapPage(chromium, program() + VADUZ, locale="en-GB", **options).idle()
        pages.append(page)
        page.field = page.page.get_by_role("combobox", name="Search the map")
        page.options = page.page.get_by_role("option")
        page.results = page.page.get_by_role("list", name="Search results").get_by_role("button")
        page.pins = page.page.get_by_role("group", name="Search results").locator("button.view")
        page.callout = page.page.locator(".callout:visible")
        return page
    yield made
    for page in pages:
        page.close()


@pytest.fixture(scope="module")
def wide(open_search):
    """One page for all that is done on a wide screen: opening it is what takes time."""
    return open_search()


@pytest.mark.parametrize("name, zoom", [("Balzers", 11), ("Balzers", 14), ("Zürich", 6)])
def test_a_found_place_is_named_once(open_search, name, zoom):
    page = open_search()
    page.field.fill(name)
    option = page.options.first
    expect(option).to_contain_text(name)
    option.click()
    expect(page.pins).to_have_count(1)
    page.settled()
    longitude, latitude = page.camera()["center"]
    page.jump(longitude, latitude, zoom)
    # The town has its label again without the pin.
    labels = """(wanted) => {
      const layers = map.getLayersOrder().filter((id) => /^(city|town|town-name|village|place)(@|$)/.test(id));
      return %smap.queryRenderedFeatures({ layers }).some(({ properties }) => properties.name === wanted);
    }"""
    page.idle().until(labels % "!", name)
    expect(page.pins.locator(".caption")).to_have_text(name)
    page.idle().still().picture(f"found-{name}-{zoom}")
    page.button("Clear the search").click()
    expect(page.pins).to_have_count(0)
    page.until(labels % "", name)


def violations(page):
    found = Axe().run(page.still().page, options={"resultTypes": ["violations"]}).response["violations"]
    return json.dumps([(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found], indent=1)


@pytest.mark.smoke
def test_typing_suggests_and_choosing_shows_the_pin_and_its_callout(wide):
    page = wide
    page.page.keyboard.press("/")
    expect(page.field).to_be_focused()
    page.page.keyboard.type("landesmus")
    option = page.options.filter(has_text="Landesmuseum").first
    expect(option).to_be_visible()
    expect(option.locator("mark").first).to_have_text(re.compile("^landesmus$", re.IGNORECASE))
    expect(page.field).to_have_attribute("aria-expanded", "true")
    page.page.keyboard.press("ArrowDown")
    reached = page.field.get_attribute("aria-activedescendant")
    expect(page.page.locator(f"#{reached}")).to_have_attribute("aria-selected", "true")
    assert violations(page) == "[]"
    page.picture("search-suggestions")
    page.page.keyboard.press("Enter")
    expect(page.pins).to_have_count(1)
    expect(page.callout).to_contain_text("Landesmuseum")
    expect(page.callout).to_contain_text("Vaduz")
    # The pin stands where the place is.
    page.settled()
    box = page.pins.first.bounding_box()
    place = page.at(9.5227, 47.1382)
    assert abs(box["x"] + box["width"] / 2 - place[0]) < 200 and abs(box["y"] + box["height"] - place[1]) < 200
    page.picture("search-callout")
    # One Escape closes the callout's place in the list, the next the search.
    page.field.focus()
    page.page.keyboard.press("Escape")
    expect(page.pins).to_have_count(0)
    expect(page.field).to_have_value("")


def test_a_category_is_searched_nearby_and_again_in_another_area(wide):
    page = wide
    page.jump(24.9440, 60.1705, 16)
    page.field.fill("coffee")
    page.options.filter(has_text="Search nearby").first.click()
    expect(page.results.first).to_be_visible()
    assert page.results.count() > 5
    assert page.pins.count() == page.results.count()
    first = page.results.first.inner_text()
    assert " ft" in first or " mi" in first, first
    again = page.page.get_by_role("button", name="Search this area")
    expect(again).to_be_hidden()
    page.results.nth(1).click()
    expect(page.callout).to_contain_text(page.results.nth(1).locator(".title").inner_text())
    assert violations(page) == "[]"
    page.picture("search-category")
    before = page.page.locator(".results .title").all_inner_texts()
    camera = page.settled()
    page.drag_map(-350, -250, start=(900, 600))
    expect(again).to_be_visible()
    moved = page.settled()
    assert moved["center"] != camera["center"]
    again.click()
    expect(again).to_be_hidden()
    expect(page.page.locator(".results .title").first).not_to_have_text(before[0])
    assert page.settled()["center"] == moved["center"], "searching here moves nothing"
    page.button("Clear the search").click()
    expect(page.pins).to_have_count(0)


def test_enter_on_a_category_stays_in_town_and_choosing_a_result_comes_close(wide):
    page = wide
    page.jump(9.5220, 47.1395, 15)
    page.field.fill("Apotheke")
    page.page.keyboard.press("Enter")
    expect(page.results.first).to_contain_text("Schloss Apotheke")
    camera = page.settled()
    assert camera["zoom"] > 10, camera
    names = page.page.locator(".results .subtitle").all_inner_texts()
    assert len(names) == 4 and all(name.startswith("Pharmacy") for name in names), names
    # The results are in the part of the map that the list does not cover.
    box = page.pins.first.bounding_box()
    assert 0 < box["x"] < 1280 and 0 < box["y"] < 800, box
    assert violations(page) == "[]"
    page.picture("search-apotheke")
    page.results.nth(1).click()
    expect(page.callout).to_contain_text("Apotheke")
    assert page.camera_until("c.zoom >= 16.5")["zoom"] <= 18
    page.picture("search-chosen")
    page.button("Clear the search").click()


def test_a_category_absent_here_says_so_and_the_map_stays(wide):
    page = wide
    page.jump(9.5220, 47.1395, 15)
    before = page.settled()
    page.field.fill("sushi")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".search")).to_contain_text("Sushi: none nearby.")
    assert page.settled()["center"] == before["center"]
    page.picture("search-absent")
    page.button("Clear the search").click()


def test_a_category_in_another_language_shows_the_word_that_was_typed(wide):
    page = wide
    page.jump(9.5220, 47.1395, 15)
    page.field.fill("tank")
    row = page.page.get_by_role("option").filter(has_text="Fuel")
    expect(row).to_contain_text("Fuel — Tanken")
    page.picture("search-word")
    row.click()
    expect(page.field).to_have_value("Fuel")
    expect(page.results.first).to_be_visible()
    page.button("Clear the search").click()


@pytest.mark.parametrize("places, expected", [
    ([{"distance": 5, "isFromMiddle": True}], True), ([{"distance": 5, "isFromMiddle": False}], False),
    ([{"isFromMiddle": True}, None], False), ([], False),
])
def test_distances_not_from_the_user_say_where_they_are_from(wide, places, expected):
    assert wide.page.evaluate("""async (places) => {
      const { isFromMiddle } = await import(new URL("page/place-details.js", document.baseURI));
      return Boolean(isFromMiddle(places));
    }""", places) is expected


def test_suggestions_stay_in_town(wide):
    page = wide
    page.jump(9.5220, 47.1395, 15)
    for typed, expected in [("apo", "Pharmacy"), ("lan", "Landstrasse"), ("949", "9490")]:
        page.field.fill(typed)
        expect(page.options.filter(has_text=expected).first).to_be_visible()
        texts = page.options.all_inner_texts()
        assert not any(far in text for text in texts for far in ["Colombia", "China", "Sri Lanka"]), texts
        page.picture(f"search-{typed}")
    page.button("Clear the search").click()


def test_crossings_postal_codes_and_near_me_are_found(wide):
    page = wide
    page.jump(24.9440, 60.1705, 15)
    page.field.fill("Aleksanterinkatu & Mikonkatu")
    page.page.keyboard.press("Enter")
    expect(page.callout).to_contain_text("Intersection")
    page.picture("search-intersection")
    page.field.fill("00530")
    page.page.keyboard.press("Enter")
    expect(page.callout).to_contain_text("Postal code")
    page.field.fill("near me")
    expect(page.options.filter(has_text="Search nearby")).to_have_count(8)
    page.page.keyboard.press("Enter")
    # The user is in Vaduz.
    expect(page.results.filter(has_text="Restaurant")).to_contain_text("Liechtenstein")
    page.picture("search-near-me")
    page.button("Clear the search").click()


def test_a_plus_code_is_a_place(wide):
    page = wide
    page.field.fill("4GQC+CJ Vaduz")
    expect(page.options).to_have_count(1)
    expect(page.options).to_contain_text("8FVF4GQC+CJ")
    page.page.keyboard.press("Enter")
    expect(page.callout).to_contain_text("8FVF4GQC+CJ")
    expect(page.callout).to_contain_text("Vaduz")
    page.picture("plus-code")
    page.button("Clear the search").click()
    expect(page.pins).to_have_count(0)


def test_opening_hours_are_written_for_people(wide):
    page = wide
    page.jump(9.5220, 47.1395, 15)
    page.field.fill("Landesmuseum Vaduz")
    page.page.keyboard.press("Enter")
    hours = page.callout.locator(".hours")
    expect(hours).to_contain_text(re.compile(r"Tue, Thu\s–\sSun 10:00–17:00"))
    expect(hours).to_contain_text(re.compile("(Open|Closed) now, (closes|opens) .*at [0-9]+:00"))
    expect(page.callout.locator(".details")).to_contain_text("WheelchairAccessible")
    page.picture("opening-hours")
    page.button("Clear the search").click()
    expect(page.pins).to_have_count(0)


WEEK = [[480, 720], [810, 1080], [5 * 1440 + 1320, 6 * 1440 + 120], [6 * 1440 + 1320, 7 * 1440 + 120]]


@pytest.mark.parametrize("week, zone, now, expected", [
    (WEEK, "Europe/Vaduz", "2026-11-23T09:00Z", "Open now, closes at 12:00"),
    (WEEK, "Europe/Vaduz", "2026-11-23T11:30Z", "Closed now, opens at 13:30"),
    (WEEK, "Europe/Vaduz", "2026-11-23T17:30Z", "Closed now, opens Sat at 22:00"),
    (WEEK, "Europe/Vaduz", "2026-11-23T00:30Z", "Open now, closes at 2:00"),
    (WEEK, "Europe/Vaduz", "2026-11-28T23:30Z", "Open now, closes at 2:00"),
    (WEEK, "Europe/Helsinki", "2026-11-23T10:30Z", "Closed now, opens at 13:30"),
    ([[day * 1440, day * 1440 + 1440] for day in range(7)], "Europe/Vaduz", "2026-11-23T09:00Z", "Open now"),
    (WEEK, "Mars/Olympus", "2026-11-23T09:00Z", ""), (WEEK, None, "2026-11-23T09:00Z", ""), (None, "Europe/Vaduz", "2026-11-23T09:00Z", ""),
])
def test_whether_a_place_is_open_is_said_where_it_is_certain(wide, week, zone, now, expected):
    said = wide.page.evaluate("""async ([week, timeZone, now]) => {
      const { opening } = await import(new URL("page/opening.js", document.baseURI));
      return opening({ openingTimes: { lines: [], week }, address: { timeZone } }, new Date(now));
    }""", [week, zone, now])
    assert said == expected


def test_what_is_open_now_is_found(open_search):
    page = open_search()
    page.page.clock.set_fixed_time("2026-11-25T11:30:00Z")
    page.field.fill("supermarket open now")
    page.page.keyboard.press("Enter")
    expect(page.callout.locator(".hours strong")).to_contain_text("Open now")
    page.picture("search-open-now")
    page.page.clock.set_fixed_time("2026-11-25T02:30:00Z")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".note")).to_contain_text("Places whose hours are not known are left out.")


@pytest.mark.parametrize("edge", ["left", "right", "bottom"])
def test_results_at_the_edge_of_the_map_are_brought_into_view(wide, edge):
    page = wide
    page.jump(9.5222, 47.1395, 16)
    # Two museums in the middle of Vaduz, 20 pixels within the edge.
    page.page.evaluate("""(edge) => {
      const { x, y } = map.project([9.5222, 47.1385]);
      const [to, at] = { left: [20, y], right: [1260, y], bottom: [x, 780] }[edge];
      map.jumpTo({ center: map.unproject([x - to + 640, y - at + 400]) });
    }""", edge)
    page.field.fill("museum")
    page.page.keyboard.press("Enter")
    expect(page.results.first).to_be_visible()
    page.until("() => !map.isMoving()")
    box, listed = page.pins.first.bounding_box(), page.page.locator(".search").bounding_box()
    assert listed["x"] + listed["width"] < box["x"] < 1240 and 100 < box["y"] < 740, (box, listed)
    page.page.get_by_role("button", name="Clear the search").click()


def test_hours_of_public_holidays_are_said_beside_those_of_the_week(wide):
    said = wide.page.evaluate("""async (week) => {
      const { opening } = await import(new URL("page/opening.js", document.baseURI));
      return opening({ openingTimes: { lines: [], week, hasHolidayTimes: true }, address: { timeZone: "Europe/Vaduz" } }, new Date("2026-11-23T09:00Z"));
    }""", WEEK)
    assert said == "Open now, closes at 12:00, except on public holidays"


def test_overrides_in_a_name_are_shown_as_what_they_are(wide):
    said = wide.page.evaluate("""async () => {
      const { element } = await import(new URL("page/dom.js", document.baseURI));
      const made = element("p", { text: "Caf\u202eefac\u2069", aria: { label: "\u2067x" } }, "\u202a", element("b"));
      return [made.textContent, made.getAttribute("aria-label"), element("p", { text: "\u05e9\u200f 5" }).textContent];
    }""")
    assert said == ["Caf\\u{202E}efac\\u{2069}\\u{202A}", "\\u{2067}x", "\u05e9\u200f 5"]


def test_what_is_not_found_is_said(wide):
    page = wide
    page.field.fill("qqqzzzxxx")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".note")).to_contain_text("Nothing found for “qqqzzzxxx”")
    page.page.keyboard.press("Escape")
    expect(page.page.locator(".note")).to_be_hidden()
    page.page.keyboard.press("Escape")
    expect(page.field).to_have_value("")


def test_on_a_phone_the_callout_has_the_room_that_the_list_had(open_search):
    page = open_search(size=PHONE)
    page.field.tap()
    page.field.fill("restaurant")
    page.page.keyboard.press("Enter")
    expect(page.results.first).to_be_visible()
    page.picture("search-phone-list")
    page.results.first.tap()
    expect(page.callout).to_be_visible()
    expect(page.results.first).to_be_hidden()
    page.picture("search-phone")
    page.field.tap()
    expect(page.results.first).to_be_visible()


def test_the_menu_tells_what_is_here(wide):
    page = wide
    page.jump(9.5220, 47.1395, 15)
    page.page.mouse.click(*page.at(9.5209, 47.1410), button="right")
    page.page.get_by_role("menuitem", name="What is here?").click()
    expect(page.callout).to_contain_text("Vaduz")
    page.picture("what-is-here")


def test_without_places_the_field_says_what_to_install(site, open_page, tmp_path):
    """A directory of map data as it is, but without the world's places."""
    for name in os.listdir(DATA):
        if name != "world.places":
            os.symlink(os.path.join(DATA, name), tmp_path / name)
    site.serve("locationctl-map")
    _, address = site.run("locationctl-map", "--mode", "none", data=str(tmp_path))
    page = open_page(address).idle()
    page.page.get_by_role("combobox", name="Search the map").fill("cafe")
    page.page.locator(".note").get_by_role("button", name="Add a region").click()
    expect(page.page.get_by_role("dialog", name="Regions")).to_contain_text("download an OpenStreetMap extract")
