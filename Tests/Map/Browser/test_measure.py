"""Measuring a distance, and links to a place."""

import configparser
import os
import shutil
import subprocess

import pytest
from playwright.sync_api import expect

from browser import PHONE
from service import ROOT

VADUZ = "#map=15.00/47.1395/9.5220"


@pytest.fixture
def page(program, open_page):
    return open_page(program() + VADUZ, locale="en-GB").idle()


def menu(page, x, y):
    page.page.mouse.click(x, y, button="right")
    return page.page.get_by_role("menu", name="At")


def measured(page):
    return page.page.get_by_role("group", name="Distance").locator(".length")


@pytest.mark.smoke
def test_a_distance_is_measured_by_clicks_in_the_units_of_the_reader(page):
    menu(page, 500, 500).get_by_role("menuitem", name="Measure").click()
    expect(measured(page)).to_have_text("0 ft")
    page.page.mouse.click(700, 500)
    metres = page.page.evaluate("map.unproject([500, 500]).distanceTo(map.unproject([700, 500]))")
    expect(measured(page)).to_have_text(f"{metres / 1609.344:.2f} mi")
    page.page.mouse.click(700, 300)
    further = page.page.evaluate("map.unproject([700, 500]).distanceTo(map.unproject([700, 300]))")
    expect(measured(page)).to_have_text(f"{(metres + further) / 1609.344:.2f} mi")
    page.picture("measured")
    # The line lies where it was put, however the map moves.
    page.jump(9.53, 47.14, 14)
    x, y = page.page.evaluate("() => { const { left, top, width, height } = document.querySelector('button.handle').getBoundingClientRect(); return [left + width / 2, top + height / 2]; }")
    start = page.page.evaluate("([x, y]) => map.unproject([x, y]).toArray()", [x, y])
    # 140 pixels to the west of the centre, and 100 to the south, at the scale before.
    assert abs(start[0] - (9.522 - 140 * 360 / (512 * 2 ** 15))) < 0.0001, start
    page.page.get_by_role("button", name="Undo").click()
    expect(measured(page)).to_have_text(f"{metres / 1609.344:.2f} mi")
    page.page.get_by_role("button", name="Done").click()
    expect(page.page.locator(".measured")).to_have_count(0)
    # A click is a click again.
    page.page.mouse.click(700, 300)
    expect(page.page.get_by_role("group", name="Distance")).to_have_count(0)


def test_a_distance_is_measured_by_keyboard(program, open_page):
    page = open_page(program() + VADUZ, locale="en-CH").idle()
    keyboard = page.page.keyboard
    menu(page, 640, 400).get_by_role("menuitem", name="Measure").press("Enter")
    status = page.page.get_by_role("status")
    expect(status).to_have_text("Measuring a distance from here.")
    keyboard.press("ArrowRight")
    page.settled()
    keyboard.press("Enter")
    metres = page.page.evaluate("map.getCenter().distanceTo(map.unproject([540, 400]))")
    expect(measured(page)).to_have_text(f"{metres:.0f} m")
    expect(status).to_have_text(f"{metres:.0f} m, 2 points")
    keyboard.press("Backspace")
    expect(measured(page)).to_have_text("0 m")
    keyboard.press("Escape")
    expect(page.page.locator(".measured")).to_have_count(0)


def test_a_long_line_is_the_shortest_way_over_the_globe(page):
    page.page.evaluate("() => { map.jumpTo({ center: [0, 50], zoom: 1 }); }")
    menu(page, 640, 400).get_by_role("menuitem", name="Measure").click()
    page.page.mouse.click(840, 400)
    bow = page.page.evaluate("""() => {
      const points = [...document.querySelector(".measured polyline").points];
      return Math.max(...points.map(({ y }) => points[0].y - y));
    }""")
    assert bow > 10, "along a parallel, the shortest way goes nearer to the pole"


def test_the_menu_copies_a_geo_link(page):
    menu(page, 640, 400).get_by_role("menuitem", name="geo:").click()
    expect(page.page.get_by_role("status")).to_have_text("Link copied")
    assert page.page.evaluate("navigator.clipboard.readText()") == "geo:47.139500,9.522000?z=16"


def test_a_geo_link_opens_at_its_place(served, open_page):
    _, address = served.run("locationctl-map", "geo:47.14,9.52;u=150?z=16&q=47.1412,9.5215(%3Cb%3ETown+hall%3C%2Fb%3E)")
    page = open_page(address, size=PHONE).idle()
    expect(page.page.get_by_role("button", name="<b>Town hall</b>, 47.1412, 9.5215")).to_be_visible()
    camera = page.camera()
    assert abs(camera["center"][0] - 9.5215) < 1e-6 and abs(camera["center"][1] - 47.1412) < 1e-6, camera
    assert abs(camera["zoom"] - 15) < 1, camera
    page.picture("geo-link")


def test_the_desktop_opens_geo_links_with_the_map():
    path = os.path.join(ROOT, "Config", "packaging", "desktop", "org.locationd.map.desktop")
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str
    entry.read(path)
    words = entry["Desktop Entry"]
    assert words["MimeType"] == "x-scheme-handler/geo;"
    # One link for each start; the map ends by itself, since nobody sees a terminal.
    assert words["Exec"].split() == ["locationctl", "map", "--open", "--until-unused", "%u"]
    if validator := shutil.which("desktop-file-validate"):
        checked = subprocess.run([validator, path], capture_output=True, text=True)
        assert checked.returncode == 0 and not checked.stdout, checked.stdout
