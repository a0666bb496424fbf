"""The menu that opens a place on other maps: its links, its keys, and that nothing leaves the machine without a click."""

import http.server
import json
import re
import threading

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import MapPage

VADUZ = "#map=15.00/47.1395/9.5220"
WEBSITE = "Opens a website, which receives this position"
PHONE = {"width": 360, "height": 740}


@pytest.fixture
def opened(program, open_page):
    """A page with the card of the national museum."""
    def made(locale="en-GB", **options):
        page = open_page(program() + VADUZ, locale=locale, **options).idle()
        field = page.page.locator("#search-field")
        field.fill("Landesmuseum Vaduz")
        field.press("Enter")
        page.card = page.page.locator(".callout:visible")
        page.opener = page.card.locator("[aria-haspopup=menu]")
        page.menu = page.page.locator(".menu.open-in")
        page.items = page.menu.get_by_role("menuitem")
        expect(page.opener).to_be_visible()
        page.settled()
        return page
    return made


@pytest.fixture
def elsewhere():
    """A website of this machine that notes what it is asked."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.requests.append((self.path, dict(self.headers)))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<link rel=icon href=data:,>A map")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.requests = []
    server.origin = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def check(page):
    found = Axe().run(page.still().page).response["violations"]
    assert not found, json.dumps([(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found], indent=1)


@pytest.mark.smoke
def test_the_card_of_a_place_leads_to_other_maps(opened):
    page = opened()
    expect(page.card.locator(".details")).to_contain_text(re.compile(r"Distance[\d.]+ mi in a straight line"))
    page.opener.click()
    expect(page.opener).to_have_attribute("aria-expanded", "true")
    assert page.menu.locator("a").evaluate_all("(all) => all.map((link) => link.href)") == [
        "geo:47.138165,9.522733?z=18",
        "om://map?v=1&ll=47.138165,9.522733&n=Liechtensteinisches%20Landesmuseum%20Vaduz",
        "https://www.openstreetmap.org/?mlat=47.138165&mlon=9.522733#map=18/47.138165/9.522733",
        "https://osmand.net/map?pin=47.138165,9.522733#18/47.138165/9.522733",
    ]
    for link in page.menu.locator("a").all():
        is_website = link.get_attribute("href").startswith("https:")
        assert link.get_attribute("rel") == "noopener noreferrer"
        # A program of the device opens beside the map: an empty tab would stay.
        assert link.get_attribute("target") == ("_blank" if is_website else None)
        assert (WEBSITE in link.inner_text()) == is_website, link.inner_text()
    check(page)
    page.picture("open-in")
    page.menu.get_by_role("menuitem", name="Copy a geo: link").click()
    expect(page.menu).to_have_count(0)
    assert page.page.evaluate("navigator.clipboard.readText()") == "geo:47.138165,9.522733?z=18"


def test_the_keyboard_alone_uses_the_menu(opened):
    page = opened()
    keyboard = page.page.keyboard
    for key in ["Enter", "Space", "ArrowDown"]:
        page.opener.focus()
        keyboard.press(key)
        expect(page.items.first).to_be_focused()
        keyboard.press("Escape")
        expect(page.menu).to_have_count(0)
        expect(page.opener).to_be_focused()
        expect(page.opener).to_have_attribute("aria-expanded", "false")
    # Escape has closed the menu, not the card.
    expect(page.card).to_be_visible()
    keyboard.press("Enter")
    for key, index in [("ArrowDown", 1), ("End", 4), ("ArrowDown", 0), ("ArrowUp", 4), ("Home", 0)]:
        keyboard.press(key)
        expect(page.items.nth(index)).to_be_focused()
    keyboard.press("Tab")
    expect(page.menu).to_have_count(0)
    expect(page.opener).to_be_focused()
    # A press elsewhere closes the menu as well.
    keyboard.press("Enter")
    page.page.mouse.move(300, 600)
    page.page.mouse.wheel(0, 100)
    expect(page.menu).to_have_count(0)


@pytest.mark.parametrize("key", ["Enter", "Space", "mouse"])
def test_a_website_is_opened_by_the_click_alone_and_learns_no_more(opened, elsewhere, key):
    page = opened()
    page.opener.click()
    item = page.items.filter(has_text="OpenStreetMap")
    # The website is one of this machine: a page without an opener is none whose requests could be answered in its place.
    item.evaluate("(link, origin) => { link.href = link.href.replace('https://www.openstreetmap.org', origin); }", elsewhere.origin)
    item.hover()
    item.focus()
    page.still()
    assert elsewhere.requests == []
    with page.context.expect_page() as other:
        item.click() if key == "mouse" else page.page.keyboard.press(key)
    other.value.wait_for_url(f"{elsewhere.origin}/**")
    expect(page.menu).to_have_count(0)
    [(path, headers)] = elsewhere.requests
    assert path == "/?mlat=47.138165&mlon=9.522733"
    assert not {"referer", "cookie", "origin"} & {name.lower() for name in headers}, headers
    assert other.value.evaluate("[document.referrer, opener]") == ["", None]
    # What is otherwise a fault is what was clicked here.
    assert [problem for problem in page.problems if not problem.startswith(f"request to elsewhere: {elsewhere.origin}/?mlat=")] == []
    page.problems.clear()


def test_a_program_of_the_device_leaves_the_map_as_it_is(opened):
    page = opened()
    page.page.evaluate("globalThis.isSame = true")
    page.opener.click()
    page.items.filter(has_text="Another map program").click()
    expect(page.menu).to_have_count(0)
    expect(page.opener).to_be_focused()
    assert page.page.evaluate("globalThis.isSame") and len(page.context.pages) == 1
    # What was clicked, and what a browser without a program for these links says.
    assert page.problems.pop(0) == "request to elsewhere: geo:47.138165,9.522733?z=18"
    page.problems[:] = [problem for problem in page.problems if "does not have a registered handler" not in problem]


NAMES = ['Zum „Löwen“ & "Söhne" #1?', "O'Brien’s 100 % + café/bar;=\\", "قلعة فادوتس", "漢字 ‮overridden", "<b>&amp;", " "]


@pytest.fixture(scope="module")
def plain(program, chromium):
    """One page for what needs no card."""
    page = MapPage(chromium, program())
    yield page.idle()
    page.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_encoded(plain, name):
    link = plain.page.evaluate("""async (name) => {
      const { organicMapsLink } = await import(new URL("page/place-links.js", document.baseURI));
      const link = organicMapsLink({ longitude: -0.1, latitude: 47, name }, 15);
      const { hash, searchParams } = new URL(link);
      return [link, hash, [...searchParams]];
    }""", name)
    assert link[1:] == ["", [["v", "1"], ["ll", "47.000000,-0.100000"], ["n", name]]]
    assert re.fullmatch(r"om://map\?v=1&ll=47\.000000,-0\.100000&n=[A-Za-z0-9%_.!~*'()-]+", link[0]), link[0]


@pytest.mark.parametrize("longitude, latitude, zoom, expected", [
    (-1e-7, 1e-7, 15, ["geo:0.000000,-0.000000?z=16", "#map=16/0.000000/-0.000000", "#16/0.000000/-0.000000"]),
    (179.999999, -85.05, 20, ["geo:-85.050000,179.999999?z=21", "#map=19/-85.050000/179.999999", "#19/-85.050000/179.999999"]),
    (9.5, 47.1, 1.2, ["geo:47.10,9.50?z=2", "#map=2/47.10/9.50", "#2/47.10/9.50"]),
])
def test_coordinates_have_no_exponent_and_websites_a_zoom_level_that_they_know(plain, longitude, latitude, zoom, expected):
    links = plain.page.evaluate("""async ([longitude, latitude, zoom]) => {
      const { geoLink, openStreetMapLink, osmAndLink } = await import(new URL("page/place-links.js", document.baseURI));
      return [geoLink, openStreetMapLink, osmAndLink].map((link) => link({ longitude, latitude }, zoom));
    }""", [longitude, latitude, zoom])
    assert [links[0], *(link[link.index("#"):] for link in links[1:])] == expected


@pytest.mark.parametrize("locale, forward, back", [("en-GB", "ArrowRight", "ArrowLeft"), ("ar", "ArrowLeft", "ArrowRight")])
def test_a_point_of_the_map_has_the_menu_behind_its_own(program, open_page, locale, forward, back):
    page = open_page(program() + VADUZ, locale=locale).idle()
    keyboard = page.page.keyboard
    page.page.mouse.click(700, 450, button="right")
    first = page.page.get_by_role("menu").locator("[aria-haspopup]")
    first.focus()
    page.picture(f"open-in-of-a-point-{locale}")
    keyboard.press(back)
    expect(first).to_be_focused()
    for key in ["Enter", forward]:
        keyboard.press(key)
        links = page.page.locator(".menu.open-in a")
        expect(links.first).to_be_focused()
        expect(page.page.get_by_role("menu")).to_have_count(1)
        # A point has no name.
        assert re.fullmatch(r"om://map\?v=1&ll=47\.\d+,9\.\d+", links.nth(1).get_attribute("href"))
        check(page)
        keyboard.press(forward)
        expect(links.first).to_be_focused()
        keyboard.press(back)
        expect(first).to_be_focused()
    keyboard.press(forward)
    keyboard.press("Escape")
    expect(page.page.get_by_role("menu")).to_have_count(0)
    expect(page.page.locator("canvas.maplibregl-canvas")).to_be_focused()


@pytest.mark.parametrize("name, size, locale, options", [
    ("phone-de", PHONE, "de", {}), ("phone-ar-dark", PHONE, "ar", {"dark": True}), ("phone-fr-across", {"width": 640, "height": 300}, "fr", {}),
    ("800-en-forced", {"width": 800, "height": 600}, "en-GB", {"forced_colors": "active"}),
    ("1440-ja-dark", {"width": 1440, "height": 900}, "ja", {"dark": True}), ("2560-pt", {"width": 2560, "height": 1300}, "pt", {}),
])
def test_the_menu_fits(opened, name, size, locale, options):
    page = opened(locale=locale, size=size, **options)
    page.opener.click()
    page.still().picture(f"open-in-{name}")
    check(page)
    box = page.menu.bounding_box()
    assert box["x"] >= 8 and box["x"] + box["width"] <= size["width"] - 8, box
    assert box["y"] >= 8 and box["y"] + box["height"] <= size["height"] - 8, box
    for item in page.items.all():
        assert item.bounding_box()["height"] >= 44
    # Names of programs begin where the other texts of the page do.
    edges = page.menu.locator(".words > span").evaluate_all(
        """(all, isRightToLeft) => all.map((node) => {
          const words = document.createRange();
          words.selectNodeContents(node);
          return Math.round(words.getBoundingClientRect()[isRightToLeft ? "right" : "left"]);
        })""", locale == "ar")
    assert max(edges) - min(edges) <= 2, edges
    # The last item is reached where the menu has to scroll.
    page.page.keyboard.press("End")
    expect(page.items.last).to_be_in_viewport()
    assert page.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
