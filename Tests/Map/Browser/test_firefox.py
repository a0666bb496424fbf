"""The map in Firefox: what people do with it once each. The other files have it in detail, in Chromium."""

import base64
import pathlib
from urllib.parse import urlsplit

import axe_playwright_python
import pytest
from PIL import Image

from firefox import DOWN, ENTER, Firefox
from test_labels import DRAWN, free
from test_privacy import PrivacySite
from test_profile import STEP, hike
from test_region_pages import DROP, HOLD, LIECHTENSTEIN, maps
from test_saved import features

VADUZ = "#map=17.20/47.13950/9.52220"


@pytest.fixture(scope="module")
def firefox():
    made = Firefox()
    yield made
    made.end()


@pytest.fixture
def shown(firefox, site, regions):
    """Opens the map of a program that has files; at the end there must have been no error."""
    addresses = []

    def show(*files, view=VADUZ, languages="en-IE", with_regions=True):
        site.serve("locationctl-map")
        site.regions = regions if with_regions else None
        addresses.append(site.run("locationctl-map", "--mode", "none", *files)[1])
        firefox.open(addresses[-1] + view, languages)
        return firefox

    yield show
    for address in addresses:
        problems = firefox.problems("{0.scheme}://{0.netloc}".format(urlsplit(address)))
        assert problems == [], problems


def test_the_map_is_drawn_by_type(shown):
    page = shown(view="#map=3/60/-100")
    # The shadows of hills are no lighter than the land is.
    image = Image.open(page.picture("world")).convert("RGB").crop((400, 100, 1000, 600))
    white = sum(count for count, colour in image.getcolors(image.width * image.height) if min(colour) > 250)
    assert white < 0.02 * image.width * image.height, white
    page.click("button", "Map type")
    page.click("[role=menuitemradio]", "Satellite")
    page.until("return document.documentElement.dataset.drawn === 'satellite'")
    page.idle()
    page.picture("satellite")


def test_typing_suggests_and_choosing_opens_the_callout(shown):
    page = shown()
    page.press("#search-field", "landesmus")
    page.text("[role=option]", "Landesmuseum")
    page.picture("suggestions")
    page.press("#search-field", DOWN)
    page.press("#search-field", ENTER)
    page.text(".callout", "Landesmuseum")
    page.text(".callout button", "Open in…")
    page.picture("found")


def test_a_label_opens_its_place(shown):
    page = shown()
    museum = free(page.evaluate(DRAWN), kind="museum")[0]
    page.point(museum["x"], museum["y"])
    page.text(".callout .title", museum["name"])
    page.picture("label")


def test_a_place_and_a_route_are_saved(shown, site):
    page = shown(with_regions=False)
    page.menu(700, 400)
    page.click("[role=menuitem]", "Save this place")
    page.press("dialog input, [role=dialog] input", "Mooring")
    page.press("dialog input, [role=dialog] input", ENTER)
    page.until("return document.querySelector('button[aria-label^=Mooring]')")
    page.menu(500, 500)
    page.click("[role=menuitem]", "Measure or draw")
    page.point(600, 400)
    page.point(700, 500)
    page.click("[role=group] button", "Save")
    page.press("dialog input, [role=dialog] input", "Round")
    page.press("dialog input, [role=dialog] input", ENTER)
    page.text("[role=group]", "Round")
    page.picture("route")
    assert [feature["geometry"]["type"] for feature in features(site)] == ["Point", "LineString"]


def test_a_track_shows_its_profile(shown, site):
    page = shown(hike(site), view="#map=14/47.146/9.51")
    place = page.until("const { x, y } = map.project(argument); return { x, y };", [9.51, 47.14 + 90 * STEP])
    page.point(place["x"], place["y"])
    page.text("[role=group] .facts", "1.3 km")
    page.picture("profile")


def test_an_extract_becomes_a_region(shown, site):
    page = shown(with_regions=False)
    page.click("button", "Add a region")
    page.text("dialog, [role=dialog]", "OpenStreetMap extract")
    page.picture("regions")
    with open(LIECHTENSTEIN, "rb") as file:
        page.evaluate(HOLD, base64.b64encode(file.read()).decode())
    for event in ["dragenter", "drop"]:
        page.evaluate(DROP, ["liechtenstein-latest.osm.pbf", event])
    page.text(".notice", "liechtenstein was added.")
    assert maps(site) == ["liechtenstein"]


@pytest.mark.parametrize("languages, placeholder, direction", [("de-AT, de", "Suchen", "ltr"), ("ar-EG, ar", None, "rtl")])
def test_the_page_has_the_language_of_the_browser(shown, languages, placeholder, direction):
    page = shown(languages=languages)
    assert page.run("return document.documentElement.dir") == direction
    if placeholder:
        assert page.run("return document.querySelector('#search-field').placeholder") == placeholder
    page.picture(f"language-{languages[:2]}")


def test_the_privacy_page_shows_and_decides(firefox):
    site = PrivacySite()
    try:
        site.prepare()
        address = site.page()
        firefox.go(address, "en-IE")
        firefox.text(".program", "org.example.weather")
        axe = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
        firefox.run(axe + "; window.axe = axe;")
        found = firefox.driver.execute_async_script(
            "const [done] = arguments; axe.run().then(({ violations }) => done(violations.map(({ id, nodes }) => [id, nodes[0].html])));", sandbox=None)
        assert found == [], found
        firefox.run("""const row = [...document.querySelectorAll(".program")].find((each) => each.textContent.includes("org.example.sharing"));
            const menu = row.querySelector("select"); menu.value = "denied"; menu.dispatchEvent(new Event("change"));""")
        firefox.text("[role=status]", "Denied")
        assert site.status("sharing")["status"] == "denied"
        firefox.picture("privacy")
        assert firefox.problems("{0.scheme}://{0.netloc}".format(urlsplit(address))) == []
    finally:
        site.end()
