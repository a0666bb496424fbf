"""Regions on the page: dropped or chosen, listed with their sizes, removed; and what goes wrong with files."""

import base64
import json
import os
import re
import stat

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import PHONE
from service import ROOT

LIECHTENSTEIN = os.path.join(ROOT, ".build", "map-fixtures", "liechtenstein.osm.pbf")
HELSINKI = os.path.join(ROOT, ".build", "map-fixtures", "helsinki.osm.pbf")
VADUZ = "#map=15.00/47.1395/9.5220"
# The content of the file that is dropped next, in base 64.
HOLD = "(content) => { window.dropped = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0)); }"
DROP = """([name, type]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(window.dropped ?? [])], name, { type: "application/octet-stream" }));
  document.querySelector("#stage").dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def shown(site, open_page):
    site.serve("locationctl-map")

    def show(*, place=VADUZ, **options):
        return open_page(site.run("locationctl-map", "--mode", "none")[1] + place, **{"locale": "en-IE", **options}).idle()
    return show


def dialog(page):
    return page.page.get_by_role("dialog", name="Regions")


def maps(site):
    directory = os.path.join(site.file("data"), "locationd", "maps")
    return sorted(os.listdir(directory)) if os.path.isdir(directory) else []


def open_dialog(page):
    page.page.get_by_role("button", name="Map type").click()
    page.page.get_by_role("menuitem", name="Regions").click()
    return dialog(page)


def choose(page, file):
    with page.page.expect_file_chooser() as choosing:
        dialog(page).get_by_role("button", name="Choose a file").click()
    choosing.value.set_files(file)


def findings(page):
    # A button below the pointer has the colours of one.
    page.page.mouse.move(0, 0)
    found = Axe().run(page.still().page).response["violations"]
    return [(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found]


@pytest.mark.smoke
def test_a_chosen_extract_becomes_a_region_that_is_shown_searched_and_removed(shown, site):
    page = shown()
    # Without a region, a sentence says how to get one.
    page.page.get_by_role("button", name="Add a region").click()
    expect(dialog(page)).to_contain_text("download an OpenStreetMap extract (.osm.pbf), and drop it on the map")
    assert not findings(page)
    page.picture("regions-none")
    choose(page, LIECHTENSTEIN)
    expect(dialog(page).get_by_role("progressbar")).to_be_visible()
    page.picture("regions-progress")
    expect(dialog(page)).to_have_count(0)
    expect(page.page.locator(".notice")).to_contain_text("liechtenstein was added.")
    assert maps(site) == ["liechtenstein"]
    page.settled()
    page.jump(9.522, 47.1395, 15)
    page.idle()
    assert page.page.evaluate("map.queryRenderedFeatures().some(({ source }) => source === 'streets')")
    expect(page.page.get_by_role("button", name="Add a region")).to_have_count(0)
    page.page.get_by_role("combobox", name="Search the map").fill("städtle")
    expect(page.page.get_by_role("option").first).to_contain_text("Städtle")
    page.page.keyboard.press("Escape")
    open_dialog(page)
    expect(dialog(page)).to_contain_text(re.compile(r"liechtenstein.*MB · [\d,]+ places · data of 3 Aug 2013 · older than a year: add a newer extract"))
    assert not findings(page)
    page.picture("regions-list")
    dialog(page).get_by_role("button", name="Remove liechtenstein").click()
    assert maps(site) == ["liechtenstein"]
    dialog(page).get_by_role("button", name="Remove").click()
    expect(dialog(page).get_by_role("listitem")).to_have_count(0)
    assert maps(site) == []


def test_a_region_that_is_added_while_the_map_follows_is_shown(site, open_page):
    site.serve("locationctl-map")
    page = open_page(site.run("locationctl-map")[1], locale="en-IE").idle()
    button = page.page.locator("button.tracking")
    expect(button).to_have_attribute("data-mode", "follow")
    page.camera_until("c.zoom > 11.9")
    open_dialog(page)
    choose(page, HELSINKI)
    expect(page.page.locator(".notice")).to_contain_text("helsinki was added.")
    page.camera_until("Math.hypot(c.longitude - 24.94, c.latitude - 60.17) < 0.2")
    expect(button).to_have_attribute("data-mode", "none")
    page.settled()
    # It stays there while the user goes on.
    walked = page.page.locator(".user-dot").evaluate("(dot) => dot.style.transform")
    page.until("(walked) => document.querySelector('.user-dot').style.transform !== walked", walked)
    assert page.page.evaluate("map.getBounds().contains([24.94, 60.17])"), page.camera()


def test_a_dropped_extract_becomes_a_region(shown, site):
    page = shown(size=PHONE)
    with open(LIECHTENSTEIN, "rb") as file:
        page.page.evaluate(HOLD, base64.b64encode(file.read()).decode())
    page.page.evaluate(DROP, ["liechtenstein-latest.osm.pbf", "dragenter"])
    expect(page.page.locator(".drop")).to_be_visible()
    page.picture("regions-drop")
    page.page.evaluate(DROP, ["liechtenstein-latest.osm.pbf", "drop"])
    expect(page.page.locator(".drop")).to_be_hidden()
    expect(dialog(page).get_by_role("progressbar")).to_be_visible()
    page.still().picture("regions-progress-phone")
    expect(page.page.locator(".notice")).to_contain_text("liechtenstein was added.")
    assert maps(site) == ["liechtenstein"]


def test_a_file_that_is_no_extract_costs_nothing(shown, site):
    page = shown(dark=True)
    open_dialog(page)
    choose(page, site.write("notes.txt", "hello"))
    expect(dialog(page).get_by_role("alert")).to_contain_text("notes.txt: A region is made of an OpenStreetMap extract")
    choose(page, site.write("fake.osm.pbf", "hello"))
    expect(dialog(page).get_by_role("alert")).to_contain_text("fake.osm.pbf: It is not an OpenStreetMap extract.")
    cut = site.file("cut.osm.pbf")
    with open(cut, "wb") as file:
        file.write(open(LIECHTENSTEIN, "rb").read(300_000))
    choose(page, cut)
    problem = dialog(page).get_by_role("alert")
    expect(problem).to_contain_text("EOF")
    assert site.path not in problem.text_content(), problem.text_content()
    assert not findings(page)
    page.picture("regions-problem")
    assert maps(site) == []


def test_an_addition_is_cancelled(shown, site, monkeypatch):
    tools = site.file("tools")
    os.makedirs(tools)
    with open(os.path.join(tools, "tilemaker"), "w") as file:
        file.write("#!/bin/sh\nexec sleep 600\n")
    os.chmod(os.path.join(tools, "tilemaker"), stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    page = shown()
    open_dialog(page)
    choose(page, LIECHTENSTEIN)
    expect(dialog(page)).to_contain_text("Making the tiles")
    # Nobody adds another one meanwhile.
    expect(dialog(page).get_by_role("button", name="Choose a file")).to_have_count(0)
    dialog(page).get_by_role("button", name="Cancel").click()
    expect(dialog(page).get_by_role("button", name="Choose a file")).to_be_visible()
    expect(dialog(page).get_by_role("alert")).to_have_count(0)
    assert maps(site) == []


@pytest.mark.parametrize("locale, sentence", [
    ("en-IE", "tilemaker and osmium are needed to make a region out of an extract, and not installed."),
    ("ar", "يلزم tilemaker وosmium لإنشاء منطقة من مستخرج، وهما غير مثبّتين.")])
def test_missing_tools_are_named_before_a_file_is_sent(shown, site, monkeypatch, locale, sentence):
    monkeypatch.setenv("PATH", site.path)
    page = shown(locale=locale, size={**PHONE, "width": 360})
    # The browser's remark about the refusal.
    page.expected.append("status of 422")
    page.page.locator(".types-control > button").click()
    page.page.locator(".regions-item").click()
    with page.page.expect_file_chooser() as choosing, page.page.expect_response("**/regions/*") as refused:
        page.page.locator(".regions [data-name=choose]").click()
        choosing.value.set_files(LIECHTENSTEIN)
    assert refused.value.status == 422
    problem = page.page.locator(".regions .problem")
    expect(problem.locator(".sentence")).to_have_text(sentence)
    expect(problem.locator("code")).to_have_text("sudo apt install tilemaker osmium-tool")
    assert not findings(page)
    page.picture(f"regions-tools-{locale}")
    assert maps(site) == []


def test_many_regions_fit_a_phone(shown, site):
    for index in range(40):
        directory = os.path.join(site.file("data"), "locationd", "maps", f"region-{index:02d}")
        os.makedirs(directory)
        with open(os.path.join(directory, "region.json"), "w") as file:
            json.dump({"name": f"region-{index}", "bounds": [9, 47, 10, 48], "source": "x.osm.pbf", "sourceSize": 1, "added": "2026-01-01T00:00:00Z",
                       "tilesSize": 11_000_000, "placesSize": 3_000_000, "places": 1234, "attribution": "x"}, file)
        open(os.path.join(directory, "tiles.mbtiles"), "w").close()
    page = shown(size={**PHONE, "width": 360})
    open_dialog(page)
    expect(dialog(page).get_by_role("listitem")).to_have_count(40)
    box = dialog(page).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 360 and box["y"] >= 0 and box["y"] + box["height"] <= PHONE["height"], box
    page.still().picture("regions-many")
