"""Keyboard alone reaches everything; roles and labels are there."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import OPTIONS, MapPage
from tracks import gpx


@pytest.fixture(scope="module")
def program(served):
    return lambda: served.run("locationctl-map", "--mode", "none", gpx(served))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(program, open_page, dark):
    page = open_page(program()[1], dark=dark).idle()
    page.button("^Castle").click()
    expect(page.page.locator(".callout")).to_be_visible()
    page.page.get_by_role("button", name="Map type").click()
    found = Axe().run(page.page).response["violations"]
    assert not found, json.dumps([(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found], indent=1)


def test_tab_goes_through_the_map_its_views_and_its_controls(program, open_page):
    page = open_page(program()[1]).idle()
    page.page.locator("canvas").focus()
    reached = []
    for _ in range(12):
        page.page.keyboard.press("Tab")
        label = page.page.evaluate("""document.activeElement === document.body ? null
          : document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent""")
        if label is None or label in reached:
            break
        reached.append(label)
    everything = " | ".join(str(label) for label in reached)
    for expected in ["Map type", "my location", "Full screen", "Zoom in", "Zoom out", "Credits"]:
        assert expected in everything, everything
    assert any(name in everything for name in ["Castle", "Bridge", "Bold"]), everything
    # All views are one stop: arrows go from one to the next.
    assert sum(name in everything for name in ["Castle", "Bridge"]) <= 1, everything


def test_without_webgl_the_page_says_so_and_tells_the_position_in_words(program, chromium):
    browser = chromium.browser_type.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu", "--disable-3d-apis"])
    try:
        page = MapPage(browser, program()[1])
        expect(page.page.get_by_role("heading", name="This browser cannot draw the map")).to_be_visible()
        expect(page.page.locator(".coordinates")).to_contain_text("47.1")
        expect(page.page.locator("li").first).to_contain_text("47.1")
        page.picture("without-webgl")
        page.close()
    finally:
        browser.close()
