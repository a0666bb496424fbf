"""The samples of articles about MapKit, as a package outside of this one ports them: Tests/Outsider/Sources/Seeds."""

import re

import pytest
from playwright.sync_api import expect

from service import Site


@pytest.fixture(scope="module")
def seeds(regions):
    site = Site()
    site.regions = regions
    site.serve("Seeds")
    yield lambda name: site.run("Seeds", name)
    site.end()


@pytest.fixture
def seed(seeds, open_page):
    def show(name, **options):
        program, address = seeds(name)
        return program, open_page(address, **options).idle()
    return show


def test_the_map_follows_the_user(seed):
    program, page = seed("tracking")
    expect(page.page.locator(".user-dot")).to_be_visible()
    page.camera_until("Math.abs(c.longitude - 9.53) < 0.05 && Math.abs(c.latitude - 47.14) < 0.05")
    page.picture("seed-tracking")
    page.drag_map(150, 80)
    program.line("The map no longer follows")


def test_annotations_have_pins_images_and_callouts(seed):
    program, page = seed("annotations")
    expect(page.button("^Barbary macaque").locator("img")).to_be_visible()
    page.button("^Vaduz").click()
    expect(page.page.locator(".callout")).to_contain_text("The capital")
    page.page.keyboard.press("Escape")
    page.button("^Reclining Woman").click()
    callout = page.page.get_by_role("dialog", name="Reclining Woman")
    expect(callout).to_contain_text("Städtle")
    page.still().picture("seed-annotations")
    callout.get_by_role("button", name="More information").click()
    program.line("^Sculpture$")


def test_overlays_are_drawn_as_their_renderers_say(seed):
    _, page = seed("overlays")
    assert any(layer.endswith(":fill") for layer in page.drawn(9.5215, 47.15))
    assert any(layer.endswith(":fill") for layer in page.drawn(9.57, 47.14))
    assert not any(layer.startswith("overlay") for layer in page.drawn(9.595, 47.10)), "the hole"
    page.picture("seed-overlays")


@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.smoke, id="light"), pytest.param(True, id="dark")])
def test_cycles_cluster_and_the_controls_look_as_the_program_says(seed, dark):
    _, page = seed("clustering", dark=dark)
    expect(page.page.locator(".view.image img").first).to_be_visible()
    # The map's own compass is off: there are not two.
    expect(page.page.locator(".compass")).to_have_count(1)
    expect(page.page.locator(".compass")).to_be_visible()
    expect(page.page.locator(".scale")).to_have_class(re.compile("is-trailing"))
    button = page.page.locator("button.tracking")
    expect(button).to_have_css("background-color", "rgba(255, 255, 255, 0.8)")
    expect(button).to_have_css("border-radius", "5px")
    page.still().picture(f"seed-clustering-{'dark' if dark else 'light'}")


def test_search_shows_what_it_finds(seed):
    _, page = seed("search")
    markers = page.page.locator(".view.marker")
    expect(markers.first).to_be_visible()
    page.camera_until("Math.abs(c.latitude - 47.14) < 0.1")
    page.settled()
    page.idle().picture("seed-search")
    assert markers.count() > 1
