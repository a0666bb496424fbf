"""Saved places: from a callout or the menu into the user's file, on the map, in the list, changed, imported and exported."""

import json
import pathlib
import re

import pytest
from playwright.sync_api import expect

from browser import PHONE
from tracks import UNTIDY, gpx


@pytest.fixture
def shown(site, open_page):
    site.serve("locationctl-map")

    def show(*files, **options):
        return open_page(site.run("locationctl-map", "--mode", "none", *files)[1], **options).idle()
    return show


def form(page):
    return page.page.get_by_role("dialog", name=re.compile("^(Save this place|Saved place)$"))


def kept(site):
    """The user's file."""
    return pathlib.Path(site.file("data"), "locationd/places.geojson")


def features(site):
    return json.loads(kept(site).read_text())["features"]


def save_by_menu(page, x, y, name):
    page.page.mouse.click(x, y, button="right")
    page.page.get_by_role("menuitem", name="Save this place").click()
    form(page).get_by_label("Name").fill(name)
    form(page).get_by_role("button", name="Save").click()
    expect(form(page)).to_have_count(0)


def test_a_place_that_was_found_and_saved_has_one_callout(shown):
    page = shown()
    field = page.page.get_by_role("combobox", name="Search the map")
    for name in ["vaduz", "schaan"]:
        field.fill(name)
        field.press("Enter")
        found = page.page.get_by_role("group", name="Search results").get_by_role("button", name=re.compile(name, re.I))
        expect(found).to_be_visible()
        callout = page.page.get_by_role("dialog", name=re.compile(name, re.I))
        expect(callout).to_have_count(1)
        callout.get_by_role("button", name="Save", exact=True).click()
        form(page).get_by_role("button", name="Save").click()
        expect(page.page.get_by_role("dialog")).to_have_count(1)
        expect(page.page.get_by_role("dialog").get_by_role("button", name="Edit")).to_be_visible()
    page.still().picture("saved-found")


@pytest.mark.smoke
def test_a_place_is_saved_found_changed_and_removed(shown, site):
    page = shown()
    save_by_menu(page, 700, 400, "Mooring \u202eA <b>")
    pin = page.page.get_by_role("group", name="Saved places").get_by_role("button")
    expect(pin).to_have_attribute("aria-label", re.compile(r"^Mooring \\u\{202E\}A <b>, saved$"))
    [feature] = features(site)
    assert feature["properties"]["name"] == "Mooring \u202eA <b>"
    # It is in the list while nothing is typed, and before the suggestions when its name is.
    field = page.page.get_by_role("combobox", name="Search the map")
    field.focus()
    option = page.page.get_by_role("option", name=re.compile("^Mooring"))
    expect(option).to_be_visible()
    page.still().picture("saved-list")
    field.fill("moor")
    expect(option).to_be_visible()
    option.click()
    callout = page.page.get_by_role("dialog", name=re.compile("^Mooring"))
    callout.get_by_role("button", name="Edit").click()
    form(page).get_by_label("Note").fill("3 m deep")
    form(page).get_by_label("Blue").check()
    page.still().picture("saved-form")
    form(page).get_by_role("button", name="Save").click()
    expect(callout).to_contain_text("3 m deep")
    page.still().picture("saved-callout")
    assert features(site)[0]["properties"]["marker-color"] == "#1d63b5"
    callout.get_by_role("button", name="Edit").click()
    form(page).get_by_role("button", name="Remove").click()
    expect(pin).to_have_count(0)
    expect(callout).to_have_count(0)
    assert features(site) == []


def test_saved_places_are_there_for_the_next_program_and_exported_and_imported(shown, site, tmp_path):
    page = shown()
    for index in range(3):
        save_by_menu(page, 500 + 90 * index, 300, f"Buoy {index}")
    page.page.get_by_role("combobox", name="Search the map").focus()
    with page.page.expect_download() as waiting:
        page.page.get_by_role("button", name="Export").click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    text = file.read_text()
    assert text.count("<wpt ") == 3 and "<name>Buoy 2</name>" in text
    # The next program, and another user's file of waypoints.
    kept(site).unlink()
    page = shown(size=PHONE)
    pins = page.page.get_by_role("group", name="Saved places").get_by_role("button")
    expect(pins).to_have_count(0)
    page.page.get_by_role("combobox", name="Search the map").focus()
    for _ in range(2):
        with page.page.expect_file_chooser() as choosing:
            page.page.get_by_role("button", name="Import").click()
        choosing.value.set_files([file, gpx(site)])
        expect(page.page.locator(".notice").first).to_contain_text("3 places saved")
    # Twice read, they are there once; the way of the second file is a route.
    expect(pins).to_have_count(6)
    expect(page.page.get_by_role("option")).to_have_count(7)
    page.still().picture("saved-phone")
    choose(page, site.write("bad.gpx", "<html>"))
    expect(page.page.locator(".notice").last).to_contain_text("bad.gpx: It cannot be read. Line 1: a GPX file begins with <gpx")


def choose(page, *files):
    with page.page.expect_file_chooser() as choosing:
        page.page.get_by_role("button", name="Import").click()
    choosing.value.set_files(files)


def positions(feature):
    geometry = feature["geometry"]
    return 1 if geometry["type"] == "Point" else len(geometry["coordinates"])


def test_files_are_imported_as_programs_write_them(shown, site, tmp_path):
    page = shown()
    field = page.page.get_by_role("combobox", name="Search the map")
    field.focus()
    for name, (content, expected) in UNTIDY.items():
        file = tmp_path / name
        file.write_bytes(content.encode("latin-1"))
        choose(page, file)
        expect(page.page.get_by_role("option")).to_have_count(len(expected))
        assert [positions(feature) for feature in features(site)] == expected, name
        # The reader's own words about what it left out.
        if name == "nowhere.gpx":
            expect(page.page.locator(".notice").last).to_contain_text("nowhere.gpx: left out: 1 value or point (in line 2: the latitude")
        kept(site).unlink()
        page.page.evaluate("document.querySelectorAll('.notice').forEach((notice) => notice.remove())")
        # The program reads the user's file again when a map opens.
        page.page.reload()
        page.idle()
        page.page.get_by_role("combobox", name="Search the map").focus()


DROP = """([name, content]) => {
  const data = new DataTransfer();
  data.items.add(new File([content], name));
  for (const type of ["dragenter", "dragover", "drop"]) document.querySelector("#stage").dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


@pytest.mark.parametrize("is_saved", [True, False])
def test_a_dropped_track_is_shown_and_saved_on_demand(shown, site, is_saved):
    page = shown(size=PHONE)
    with open(gpx(site)) as file:
        page.page.evaluate(DROP, ["track.gpx", file.read()])
    offer = page.page.get_by_role("group", name=re.compile("^track.gpx: 3 places, 1 route$"))
    expect(offer).to_be_visible()
    pins = page.page.get_by_role("group", name="Saved places").get_by_role("button")
    expect(pins).to_have_count(3)
    page.settled()
    drawn = "map.getStyle().layers.filter(({ id }) => id.startsWith('route:')).length > 0"
    assert page.page.evaluate(drawn)
    assert page.page.evaluate("map.getBounds().contains([9.505, 47.13]) && map.getBounds().contains([9.535, 47.145])")
    assert not kept(site).exists()
    page.still().picture("dropped-track")
    offer.get_by_role("button", name="Save" if is_saved else "Close").click()
    expect(offer).to_have_count(0)
    if is_saved:
        expect(pins).to_have_count(3)
        page.page.get_by_role("combobox", name="Search the map").focus()
        expect(page.page.get_by_role("option")).to_have_count(4)
        assert len(features(site)) == 4
    else:
        expect(pins).to_have_count(0)
        assert not page.page.evaluate(drawn)
        assert not kept(site).exists()


def test_a_dropped_file_of_no_format_is_named_with_the_reason(shown):
    page = shown()
    page.page.evaluate(DROP, ["note.gpx", "hello"])
    expect(page.page.locator(".notice")).to_contain_text("note.gpx: It cannot be read. Line 1: this is not well-formed XML")
    page.page.evaluate(DROP, ["note.txt", "hello"])
    expect(page.page.locator(".notice").last).to_contain_text("note.txt: It cannot be read: this is none of the formats GPX, GeoJSON, KML")


def test_a_file_that_cannot_be_read_is_said_and_left_alone(shown, site):
    path = kept(site)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{")
    page = shown()
    expect(page.page.locator(".notice")).to_contain_text("cannot be used: it is not JSON")
    save_by_menu(page, 700, 400, "Mooring")
    expect(page.page.locator(".notice").last).to_contain_text("cannot be used")
    assert path.read_text() == "{"
