"""Drawn routes: from the measuring tool into the user's file, on the map, in the list, changed, exported and imported."""

import json
import pathlib
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import PHONE
from test_profile import hike
from tracks import PLACES, gpx

VADUZ = "#map=15.00/47.1395/9.5220"


@pytest.fixture
def shown(site, open_page):
    site.serve("locationctl-map")

    def show(*files, **options):
        return open_page(site.run("locationctl-map", "--mode", "none", *files)[1] + VADUZ, **{"locale": "en-IE", **options}).idle()
    return show


def kept(site):
    """The user's file."""
    return pathlib.Path(site.file("data"), "locationd/places.geojson")


def features(site):
    return json.loads(kept(site).read_text())["features"]


def write(site, *features, **others):
    path = kept(site)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"type": "FeatureCollection", **others, "features": list(features)}))


def line(points, **properties):
    return {"type": "Feature", "properties": properties, "geometry": {"type": "LineString", "coordinates": points}}


def form(page):
    return page.page.get_by_role("dialog", name=re.compile("^(Save this route|Saved route)$"))


def panel(page):
    return page.page.get_by_role("group", name="Profile")


def drawing(page):
    return page.page.get_by_role("group", name=re.compile("^(Distance|Route)$"))


def handles(page):
    return page.page.get_by_role("group", name="Points of the line").get_by_role("button")


def draw(page, *points):
    page.page.mouse.click(*points[0], button="right")
    page.page.get_by_role("menuitem", name="Measure or draw").click()
    for point in points[1:]:
        page.page.mouse.click(*point)


def save(page, name):
    drawing(page).get_by_role("button", name="Save").click()
    form(page).get_by_label("Name").fill(name)
    form(page).get_by_role("button", name="Save").click()
    expect(panel(page)).to_contain_text(name)


def findings(page):
    found = Axe().run(page.still().page).response["violations"]
    return [(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found]


def position(page, x, y):
    return page.page.evaluate("(point) => map.unproject(point).toArray()", [x, y])


def near(one, other):
    return all(abs(a - b) < 1e-5 for a, b in zip(one, other))


@pytest.mark.smoke
def test_a_line_is_drawn_saved_found_changed_and_removed(shown, site):
    page = shown()
    draw(page, (500, 400), (600, 300), (700, 400))
    assert not findings(page)
    page.picture("route-drawing")
    ends = [position(page, 500, 400), position(page, 600, 300), position(page, 700, 400)]
    length = drawing(page).locator(".length").text_content()
    drawing(page).get_by_role("button", name="Save").click()
    assert not findings(page)
    form(page).get_by_label("Name").fill("Round \u202eA <b>")
    form(page).get_by_label("Note").fill("by the river")
    form(page).get_by_label("Purple").check()
    page.still().picture("route-form")
    form(page).get_by_role("button", name="Save").click()
    # It has its profile at once, and is no longer drawn.
    expect(panel(page)).to_contain_text(r"Round \u{202E}A <b>")
    expect(panel(page)).to_contain_text("by the river")
    expect(page.page.get_by_role("slider")).to_have_count(0)
    expect(drawing(page)).to_have_count(0)
    [feature] = features(site)
    assert feature["properties"] == {"name": "Round \u202eA <b>", "description": "by the river", "stroke": "#7d46a3"}
    assert feature["geometry"]["type"] == "LineString"
    assert all(near(*pair) for pair in zip(feature["geometry"]["coordinates"], ends)), feature
    page.idle()
    assert any(layer.startswith("route:") for layer in page.drawn(*ends[1]))
    assert not findings(page)
    page.picture("route-saved")
    panel(page).get_by_role("button", name="Close").click()
    # A click on the line opens it again, and so does the list.
    page.page.mouse.click(600, 300)
    expect(panel(page)).to_be_visible()
    page.page.keyboard.press("Escape")
    field = page.page.get_by_role("combobox", name="Search the map")
    field.focus()
    option = page.page.get_by_role("option", name=re.compile("^Round"))
    expect(option).to_contain_text(f"{length} · by the river")
    page.still().picture("route-list")
    field.fill("river")
    # The list of saved places gives way to suggestions.
    expect(page.page.locator(".unseen[role=status]")).to_have_text(re.compile("suggestions"))
    field.press("ArrowDown")
    field.press("Enter")
    expect(panel(page)).to_be_visible()
    expect(panel(page).get_by_role("button", name="Edit")).to_be_focused()
    page.page.keyboard.press("Enter")
    form(page).get_by_label("Name").fill("Round")
    form(page).get_by_role("button", name="Save").click()
    expect(panel(page).locator("strong")).to_have_text("Round")
    panel(page).get_by_role("button", name="Edit").click()
    form(page).get_by_role("button", name="Remove").click()
    expect(panel(page)).to_have_count(0)
    assert features(site) == []


def test_points_are_dragged_added_and_removed(shown, site):
    page = shown()
    draw(page, (400, 400), (600, 400))
    save(page, "Way")
    panel(page).get_by_role("button", name="Move points").click()
    page.settled()
    page.idle()
    mouse = page.page.mouse
    expect(handles(page)).to_have_count(2)
    # The end is dragged, and half way another point is added.
    mouse.move(600, 400)
    mouse.down()
    mouse.move(620, 300, steps=4)
    mouse.up()
    mouse.move(510, 350)
    mouse.down()
    mouse.move(510, 450, steps=4)
    mouse.up()
    expect(handles(page)).to_have_count(3)
    page.picture("route-editing")
    assert not findings(page)
    wanted = [position(page, 400, 400), position(page, 510, 450), position(page, 620, 300)]
    # Nothing is saved until it is said so, and Escape forgets it.
    assert len(features(site)[0]["geometry"]["coordinates"]) == 2
    drawing(page).get_by_role("button", name="Save").click()
    expect(drawing(page)).to_have_count(0)
    assert all(near(*pair) for pair in zip(features(site)[0]["geometry"]["coordinates"], wanted)), features(site)
    panel(page).get_by_role("button", name="Move points").click()
    handles(page).nth(1).click()
    drawing(page).get_by_role("button", name="Remove point").click()
    expect(handles(page)).to_have_count(2)
    drawing(page).get_by_role("button", name="Undo").click()
    expect(handles(page)).to_have_count(3)
    page.page.mouse.click(700, 500)
    expect(handles(page)).to_have_count(4)
    page.page.keyboard.press("Escape")
    expect(drawing(page)).to_have_count(0)
    assert len(features(site)[0]["geometry"]["coordinates"]) == 3


def test_points_are_changed_by_keyboard(shown, site):
    page = shown()
    draw(page, (400, 400), (600, 400))
    keyboard = page.page.keyboard
    handles(page).last.focus()
    keyboard.press("PageUp")
    expect(handles(page).first).to_be_focused()
    keyboard.press("ArrowDown")
    keyboard.press("Insert")
    expect(handles(page)).to_have_count(3)
    expect(handles(page).nth(1)).to_be_focused()
    expect(handles(page).nth(1)).to_have_attribute("aria-label", "Point 2 of 3")
    keyboard.press("Delete")
    expect(handles(page)).to_have_count(2)
    save(page, "By keys")
    [start, end] = features(site)[0]["geometry"]["coordinates"]
    assert near(start, position(page, 400, 410)) and near(end, position(page, 600, 400)), features(site)


def test_a_line_of_another_program_is_a_route_and_keeps_what_else_it_has(shown, site):
    points = [[9.5201234567, 47.1385, 455.0], [9.525, 47.141, 520.5], [9.53, 47.1385, 470]]
    write(site, line(points, name="Fence", stroke="#2d7a35", **{"stroke-width": 7}), line([[9, 47]]), name="Mine")
    before = kept(site).read_text()
    page = shown()
    page.idle()
    page.page.mouse.click(*page.at(9.525, 47.141))
    expect(panel(page).locator(".facts")).to_have_text(re.compile(r"^\d+ m · 66 m up, 51 m down$"))
    expect(panel(page).get_by_role("slider")).to_be_visible()
    page.still().picture("route-profile")
    assert kept(site).read_text() == before
    panel(page).get_by_role("button", name="Edit").click()
    form(page).get_by_label("Name").fill("Hedge")
    form(page).get_by_role("button", name="Save").click()
    expect(panel(page)).to_contain_text("Hedge")
    feature, odd = features(site)
    assert feature["geometry"]["coordinates"] == points and feature["properties"]["stroke-width"] == 7
    assert odd["geometry"]["coordinates"] == [[9, 47]] and json.loads(kept(site).read_text())["name"] == "Mine"


def test_two_maps_show_the_same_routes(shown, site):
    page, other = shown(), shown(dark=True)
    draw(page, (500, 400), (700, 400))
    save(page, "Ours")
    # The other program reads the file when a page of it connects.
    other.page.reload()
    other.idle()
    other.page.mouse.click(600, 400)
    expect(panel(other)).to_contain_text("Ours")
    assert not findings(other)
    other.picture("route-dark")
    panel(other).get_by_role("button", name="Edit").click()
    form(other).get_by_role("button", name="Remove").click()
    expect(panel(other)).to_have_count(0)
    # What one saves next does not bring back what the other has removed.
    draw(page, (500, 300), (700, 300))
    save(page, "New")
    assert [feature["properties"]["name"] for feature in features(site)] == ["New"]


def test_routes_are_exported_and_imported(shown, site, tmp_path):
    page = shown()
    draw(page, (500, 400), (600, 300), (700, 400))
    save(page, "Round / <b>")
    with page.page.expect_download() as waiting:
        panel(page).get_by_role("button", name="Export").click()
    assert waiting.value.suggested_filename == "Round  b.gpx"
    file = tmp_path / "round.gpx"
    waiting.value.save_as(file)
    assert file.read_text().count("<trkpt ") == 3
    kept(site).unlink()
    page = shown(size=PHONE)
    route = '<rte><name>Planned</name><rtept lat="47.14" lon="9.52"/><rtept lat="47.15" lon="9.53"/></rte>'
    files = [file, hike(site), site.write("route.gpx", f'<gpx xmlns="http://www.topografix.com/GPX/1/1">{route}</gpx>'),
             site.write("lines.geojson", json.dumps({"type": "FeatureCollection", "features": [
                 line([[9.52, 47.14], [9.53, 47.13]], name="Straight"), line([[9.52, 47.14]]),
                 {"type": "Feature", "properties": {"name": "Both"}, "geometry": {"type": "MultiLineString", "coordinates": [[[9, 47], [9.1, 47]], [[9, 48], [9.1, 48]]]}}]}))]
    page.page.get_by_role("combobox", name="Search the map").focus()
    with page.page.expect_file_chooser() as choosing:
        page.page.get_by_role("button", name="Import").click()
    # Twice read, they are there once; a line of one point is a place.
    choosing.value.set_files([*files, *files, gpx(site, way=False)])
    expect(page.page.get_by_role("option")).to_have_count(7 + len(PLACES))
    expect(page.page.locator(".notice", has_text="lines.geojson: 1 place, 3 routes saved.").first).to_be_visible()
    page.still().picture("route-phone")
    page.page.get_by_role("option", name=re.compile("^Up and")).click()
    expect(panel(page).locator(".facts")).to_have_text("1.3 km · 236 m up, 236 m down")
    page.settled()
    assert not findings(page.idle())
    page.picture("route-phone-profile")


def test_a_track_of_many_points_becomes_a_route_of_fewer(shown, site):
    page = shown()
    points = "".join(f'<trkpt lat="{47.1 + index * 1e-6:.6f}" lon="9.52"/>' for index in range(20_000))
    file = site.write("long.gpx", f'<gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Long</name><trkseg>{points}</trkseg></trk></gpx>')
    page.page.get_by_role("combobox", name="Search the map").focus()
    with page.page.expect_file_chooser() as choosing:
        page.page.get_by_role("button", name="Import").click()
    choosing.value.set_files([file])
    expect(page.page.locator(".notice").last).to_contain_text("Long: points within 1 m of the one before were left out.")
    page.page.get_by_role("option", name=re.compile("^Long")).click()
    expect(panel(page).locator(".facts")).to_have_text("2.2 km")
    [feature] = features(site)
    assert 1500 < len(feature["geometry"]["coordinates"]) <= 5000
    # Its points get handles where there is room.
    panel(page).get_by_role("button", name="Move points").click()
    page.settled()
    assert 10 < handles(page).count() <= 120
    page.picture("route-many-points")


@pytest.mark.parametrize("width", [360, 768])
def test_drawing_fits_a_small_screen(shown, width):
    page = shown(size={**PHONE, "width": width})
    draw(page, (100, 400), (300, 300))
    handles(page).last.click()
    box = drawing(page).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width, box
    for button in drawing(page).get_by_role("button").all():
        inner = button.bounding_box()
        assert inner["x"] >= box["x"] and inner["x"] + inner["width"] <= box["x"] + box["width"], (inner, box)
    page.picture(f"route-drawing-{width}")


def test_what_cannot_be_saved_stays_drawn(shown, site):
    page = shown()
    path = kept(site)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{")
    draw(page, (500, 400), (700, 400))
    drawing(page).get_by_role("button", name="Save").click()
    form(page).get_by_role("button", name="Save").click()
    expect(page.page.locator(".notice").last).to_contain_text("cannot be used")
    expect(handles(page)).to_have_count(2)
    assert path.read_text() == "{"
