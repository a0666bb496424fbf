"""The list of the tracks on the map: each with its colour and length, to be shown, hidden and removed."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import PHONE
from test_profile import hike
from test_saved import DROP

WIDE = {"width": 1440, "height": 900}
LONG = "From the station over the ridge and through the forest to the old chapel above the lake, and back again"


def tracks(site, count):
    """Files with one track each, side by side, with long names in both directions and a waypoint in the first."""
    files = []
    for index in range(count):
        name = f"{index + 1}. {LONG if index % 2 else 'طريق طويل من المحطة إلى البحيرة عبر الغابة والجبل ثم العودة'}"
        place = '<wpt lat="47.144" lon="9.505"><name>Chapel</name></wpt>' if not index else ""
        points = "".join(f'<trkpt lat="{47.14 + step * 0.0001:.4f}" lon="{9.5 + index * 0.001:.3f}"/>' for step in range(120))
        files.append(site.write(f"{index}.gpx", f'<?xml version="1.0"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">{place}'
                                                f"<trk><name>{name}</name><trkseg>{points}</trkseg></trk></gpx>"))
    return files


@pytest.fixture
def shown(site, open_page):
    # Without a location there is no track of the user's own.
    site.serve("locationctl-map", policy={"Restricted": True})

    def show(*files, **options):
        _, address = site.run("locationctl-map", "--mode", "none", *files)
        page = open_page(address, **{"locale": "en-IE", "size": WIDE, **options}).idle()
        page.address = address
        return page
    return show


def opened(page):
    """The list, opened with the menu of the map types."""
    page.page.locator(".types-control > button").click()
    page.page.locator(".tracks-item").click()
    return page.page.locator(".tracks")


def visible(page):
    """How many lines the map draws."""
    return page.page.evaluate("""map.getStyle().layers.filter(({ id, layout }) => /^(overlay|route):.*:line$/.test(id)
      && layout?.visibility !== "none").length""")


@pytest.mark.smoke
def test_tracks_are_listed_hidden_and_removed(shown, site):
    page = shown(hike(site), *tracks(site, 2))
    expect(page.button("^Chapel")).to_be_visible()
    panel = opened(page)
    rows = panel.get_by_role("listitem")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text(r"Up and \u{202E}down")
    expect(rows.first.locator(".subtitle")).to_have_text("1.3 km")
    colours = page.page.evaluate("[...document.querySelectorAll('.tracks .line')].map((line) => getComputedStyle(line).backgroundColor)")
    assert len(set(colours)) == 3, colours
    assert visible(page) == 3
    # One is hidden, and stays so with another map type.
    rows.first.get_by_role("button", name=re.compile("^Hide Up")).click()
    expect(rows.first.get_by_role("button", name=re.compile("^Show Up"))).to_be_focused()
    assert visible(page) == 2
    page.page.locator(".types-control > button").click()
    page.page.get_by_role("menuitemradio", name="Satellite").click()
    page.until("() => document.documentElement.dataset.type === 'satellite'")
    assert visible(page) == 2
    # Shown, it is on the map as a whole, with its profile and beside the list.
    page.jump(9.6, 47.3, 12)
    rows.first.locator(".show").click()
    expect(page.page.get_by_role("group", name="Profile")).to_contain_text("1.3 km")
    page.settled()
    assert visible(page) == 3
    box = panel.bounding_box()
    for latitude in [47.14, 47.1519]:
        x, y = page.at(9.51, latitude)
        assert box["x"] + box["width"] < x < WIDE["width"] and 0 < y < WIDE["height"], (x, y, box)
    # All are hidden, which closes the profile, and shown.
    panel.get_by_role("button", name="Hide all").click()
    assert visible(page) == 0
    expect(page.page.get_by_role("group", name="Profile")).to_have_count(0)
    panel.get_by_role("button", name="Show all").click()
    assert visible(page) == 3
    # One is removed after a question, with its waypoint, from this page and for the next one. The focus stays in the list.
    rows.nth(1).get_by_role("button", name=re.compile("^Remove 1")).click()
    expect(rows.nth(1)).to_contain_text("from the map?")
    rows.nth(1).get_by_role("button", name="Keep").click()
    expect(rows).to_have_count(3)
    rows.nth(1).get_by_role("button", name=re.compile("^Remove 1")).click()
    rows.nth(1).get_by_role("button", name="Remove", exact=True).click()
    expect(rows).to_have_count(2)
    expect(rows.nth(1).locator(".show")).to_be_focused()
    expect(page.button("^Chapel")).to_have_count(0)
    page.page.reload()
    page.idle()
    expect(opened(page).get_by_role("listitem")).to_have_count(2)


def test_the_users_own_track_is_listed_grows_and_begins_anew(site, open_page):
    site.serve("locationctl-map")
    _, address = site.run("locationctl-map", "--mode", "none")
    page = open_page(address, locale="en-IE", size=WIDE).idle()
    rows = opened(page).get_by_role("listitem")
    expect(rows).to_have_count(1)
    expect(rows.locator(".title")).to_have_text("My Track")
    metres = "() => Number(/^(\\d+) m$/.exec(document.querySelector('.tracks .subtitle')?.textContent)?.[1] ?? 0)"
    page.until(f"() => ({metres})() >= 60")
    # Shown, it is on the map as a whole. It has no profile.
    page.jump(9.6, 47.3, 12)
    rows.locator(".show").click()
    page.camera_until("Math.abs(c.latitude - 47.141) < 0.01")
    expect(page.page.get_by_role("group", name="Profile")).to_have_count(0)
    rows.get_by_role("button", name="Hide My Track").click()
    assert visible(page) == 0
    rows.get_by_role("button", name="Show My Track").click()
    assert visible(page) == 1
    length = page.page.evaluate(metres)
    rows.get_by_role("button", name="Remove My Track").click()
    rows.get_by_role("button", name="Remove", exact=True).click()
    page.until(f"(before) => document.querySelector('.tracks .subtitle') && ({metres})() < before", length)
    expect(rows.locator(".title")).to_have_text("My Track")


def test_a_hidden_line_is_hidden_in_the_next_load_of_the_page(shown, site):
    page = shown(hike(site), tracks(site, 1)[0])
    # The second file takes the place of the first, so that its line has another number in the next load.
    for index in [3, 1]:
        with open(tracks(site, 4)[index]) as file:
            page.page.evaluate(DROP, [f"{index}.gpx", file.read()])
    page.page.get_by_role("group", name=re.compile("^1.gpx: ")).get_by_role("button", name="Save").click()
    rows = opened(page).get_by_role("listitem")
    expect(rows.last.locator(".subtitle")).to_have_text("1.3 km · saved")
    for row in [rows.first, rows.last]:
        row.get_by_role("button", name=re.compile("^Hide")).click()
    assert visible(page) == 1
    page.page.reload()
    page.idle()
    assert visible(page) == 1
    opened(page)
    for row in [rows.first, rows.last]:
        expect(row.get_by_role("button", name=re.compile("^Show"))).to_be_visible()
    # Shown again, it stays so as well, and all of a broken store is shown.
    rows.last.get_by_role("button", name=re.compile("^Show")).click()
    page.page.reload()
    page.idle()
    assert visible(page) == 2
    page.page.evaluate("for (const key of Object.keys(sessionStorage)) sessionStorage.setItem(key, '{')")
    page.page.reload()
    page.idle()
    assert visible(page) == 3


def test_the_keyboard_alone_uses_the_list(shown, site):
    page = shown(hike(site))
    button = page.page.locator(".types-control > button")
    button.focus()
    page.page.keyboard.press("Enter")
    expect(page.page.get_by_role("menuitemradio", name="Standard")).to_be_focused()
    item = page.page.get_by_role("menuitem", name="Tracks")
    for _ in range(3):
        page.page.keyboard.press("ArrowDown")
    expect(item).to_be_focused()
    page.page.keyboard.press("Enter")
    panel = page.page.get_by_role("group", name="Tracks")
    expect(panel.get_by_role("button", name="Close")).to_be_focused()
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Tab")
    expect(panel.get_by_role("button", name=re.compile("^Hide"))).to_be_focused()
    page.page.keyboard.press("Space")
    assert visible(page) == 0
    page.page.keyboard.press("Space")
    assert visible(page) == 1
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Enter")
    expect(panel.get_by_role("button", name="Remove", exact=True)).to_be_focused()
    page.page.keyboard.press("Enter")
    # Nothing is left but the button that closes.
    expect(panel).to_contain_text("No tracks are shown.")
    expect(panel.get_by_role("button")).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(button).to_be_focused()


def test_dropped_tracks_and_saved_routes_are_in_the_list(shown, site):
    page = shown()
    panel = opened(page)
    expect(panel).to_contain_text("No tracks are shown.")
    files = tracks(site, 2)
    with open(files[1]) as file:
        page.page.evaluate(DROP, ["1.gpx", file.read()])
    rows = panel.get_by_role("listitem")
    expect(rows).to_have_count(1)
    expect(rows.locator(".subtitle")).to_have_text("1.3 km · not saved")
    page.page.get_by_role("group", name=re.compile("^1.gpx: ")).get_by_role("button", name="Save").click()
    expect(rows.locator(".subtitle")).to_have_text("1.3 km · saved")
    # Of a file with places only the track is removed, and what is left can be saved.
    with open(files[0]) as file:
        page.page.evaluate(DROP, ["0.gpx", file.read()])
    expect(page.page.get_by_role("group", name=re.compile("^0.gpx: 1 place, 1 route"))).to_be_visible()
    expect(rows).to_have_count(2)
    unsaved = rows.filter(has_text="not saved")
    unsaved.get_by_role("button", name=re.compile("^Remove")).click()
    panel.get_by_role("button", name="Remove", exact=True).click()
    expect(rows).to_have_count(1)
    expect(page.page.get_by_role("group", name=re.compile("^0.gpx: 1 place$"))).to_be_visible()
    # A saved route asks as such.
    rows.get_by_role("button", name=re.compile("^Remove")).click()
    expect(rows).to_contain_text("from your saved routes?")
    panel.get_by_role("button", name="Remove", exact=True).click()
    expect(panel).to_contain_text("No tracks are shown.")
    assert visible(page) == 0


@pytest.mark.parametrize("language", ["en-IE", "de", "ar"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_forty_tracks_with_long_names_fit(shown, site, language, size):
    dark = (language == "de") == (size is WIDE)
    page = shown(*tracks(site, 40), size=size, dark=dark, locale=language)
    panel = opened(page)
    rows = panel.get_by_role("listitem")
    expect(rows).to_have_count(40)
    rows.nth(1).get_by_role("button").nth(1).click()
    rows.nth(3).get_by_role("button").nth(2).click()
    page.still().picture(f"tracks-{language}-{'wide' if size is WIDE else 'phone'}-{'dark' if dark else 'light'}")
    found = Axe().run(page.page).response["violations"]
    assert not found, json.dumps([(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found], indent=1)
    box = panel.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"] and box["height"] < size["height"] * 0.6, box
    assert page.page.evaluate("""[...document.querySelectorAll(".tracks button")].every((button) => {
      const { width, height } = button.getBoundingClientRect();
      return width >= 44 && height >= 44;
    })"""), "a button is too small for a finger"
    # The last one is reached, and the list does not jump when it is hidden.
    last = rows.last.get_by_role("button").nth(1)
    last.click()
    assert visible(page) == 38
    expect(last).to_be_in_viewport()
