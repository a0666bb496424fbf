"""Annotation views and their callouts: by mouse, finger and keys; thousands of them as groups."""

import re

import pytest
from playwright.sync_api import expect

from browser import PHONE
from tracks import HARMLESS, PLACES, crowd, gpx


@pytest.fixture(scope="module")
def program(served):
    return lambda places=PLACES, way=True: served.run("locationctl-map", "--mode", "none", gpx(served, places, way))


@pytest.mark.parametrize("manner", [pytest.param("mouse", marks=pytest.mark.smoke), "finger", "keys"])
def test_a_callout_opens_and_closes(program, open_page, manner):
    page = open_page(program()[1], **({"size": PHONE} if manner == "finger" else {})).idle()
    castle = page.button("^Castle")
    callout = page.page.locator(".callout")
    if manner == "mouse":
        castle.click()
    elif manner == "finger":
        castle.tap()
    else:
        page.page.locator("canvas").focus()
        page.page.keyboard.press("Tab")
        for _ in range(3):
            if "Castle" in (page.page.evaluate("document.activeElement.getAttribute('aria-label')") or ""):
                break
            page.page.keyboard.press("ArrowRight")
        page.page.keyboard.press("Enter")
    expect(callout).to_be_visible()
    expect(callout).to_contain_text("Castle")
    expect(callout).to_contain_text("Above the town")
    expect(castle).to_have_class(re.compile("is-selected"))
    page.picture(f"callout-{manner}")
    if manner == "keys":
        page.page.keyboard.press("Escape")
        expect(callout).to_be_hidden()
        expect(castle).to_be_focused()
    else:
        x, y = (200, 700) if manner == "finger" else (300, 700)
        (page.page.touchscreen.tap if manner == "finger" else page.page.mouse.click)(x, y)
        expect(callout).to_be_hidden()


def test_titles_are_text_and_never_markup(program, open_page):
    page = open_page(program()[1]).idle()
    page.page.locator(".view").filter(has_text="Bold").first.click()
    callout = page.page.locator(".callout")
    expect(callout.locator(".title")).to_have_text(HARMLESS)
    expect(callout.locator(".subtitle")).to_have_text("<script>alert(1)</script>")
    assert callout.locator("b, script, img").count() == 0


def test_thousands_of_places_are_at_most_200_views_and_groups_split(program, open_page):
    page = open_page(program(crowd(3000), False)[1]).idle()
    count = page.page.locator(".view").count()
    assert 1 < count <= 200, count
    # All are in view: each is a view or in a group.
    labels = page.page.locator(".view").evaluate_all("(views) => views.map((view) => view.getAttribute('aria-label'))")
    counts = [re.match(r"([\d,]+) places, Place \d+ and others$", label) for label in labels]
    assert sum(int(found.group(1).replace(",", "")) if found else 1 for found in counts) == 3000, labels
    # A balloon with the number needs no caption with the same number.
    assert page.page.locator(".marker", has_text="places").count() == 0
    page.picture("clusters")
    zoom = page.camera()["zoom"]
    group = page.page.locator(".view").filter(has=page.page.get_by_text(re.compile(r"^\d+K?$"))).first
    group.click()
    page.camera_until(f"c.zoom > {zoom} + 0.3")
    page.idle().picture("clusters-split")
    assert 1 < page.page.locator(".view").count() <= 200


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_markers_have_contrast_to_their_glyphs_and_to_the_map(program, open_page, dark):
    page = open_page(program([*PLACES, *[("Same", "", 47.1400, 9.5180)] * 12])[1], dark=dark).idle()
    expect(page.button("^12 places")).to_be_visible()
    colours = page.page.evaluate("""() => {
      const land = map.getPaintProperty("land", "fill-color");
      return [...document.querySelectorAll(".marker")].map((marker) => ({
        land, tint: getComputedStyle(marker.querySelector(".balloon path")).fill, glyph: getComputedStyle(marker.querySelector(".glyph")).color,
        isText: Boolean(marker.querySelector(".glyph").textContent),
      }));
    }""")
    assert {marker["isText"] for marker in colours} == {True, False}
    for marker in colours:
        assert contrast(marker["tint"], marker["glyph"]) >= (4.5 if marker["isText"] else 3), marker
        assert contrast(marker["tint"], marker["land"]) >= 3, marker


def contrast(*colours):
    """The contrast of two colours in CSS by WCAG 2.2."""
    def luminance(colour):
        parts = [int(colour[index:index + 2], 16) for index in (1, 3, 5)] if colour.startswith("#") else map(int, re.findall(r"\d+", colour)[:3])
        linear = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    dark, light = sorted(map(luminance, colours))
    return (light + 0.05) / (dark + 0.05)


def test_places_at_one_point_are_listed_and_one_is_chosen(program, open_page):
    page = open_page(program([("Castle", "Above the town", 47.1395, 9.5245), *[(f"Shop {index}", f"Floor {index}", 47.14, 9.51) for index in range(12)]])[1]).idle()
    page.button("^12 places").click()
    callout = page.page.get_by_role("dialog", name="12 places")
    expect(callout.get_by_role("button")).to_have_count(12)
    page.picture("one-place")
    callout.get_by_role("button", name=re.compile("^Shop 7")).click()
    chosen = page.page.get_by_role("dialog", name="Shop 7")
    expect(chosen).to_contain_text("Floor 7")
    expect(page.button("^11 places")).to_be_visible()
    page.picture("one-place-chosen")
    page.page.keyboard.press("Escape")
    expect(page.button("^12 places")).to_be_visible()


def test_labels_of_the_map_give_way_to_captions(program, open_page):
    town = [("A very long caption", "", 47.141, 9.5215)]
    page = open_page(program(town, False)[1]).idle()
    page.jump(9.5215, 47.141, 9)
    page.page.wait_for_selector(".caption:not(.is-crowded)")
    # Vaduz is there, and labels stay elsewhere.
    page.until("""() => {
      const { left, right, top, bottom } = document.querySelector(".caption").getBoundingClientRect();
      const labels = (...box) => map.queryRenderedFeatures(...box).filter(({ layer }) => layer.type === "symbol" && layer.id !== "view-room");
      return labels().length > 3 && !labels([[left, top], [right, bottom]]).length;
    }""")
    page.picture("caption")
