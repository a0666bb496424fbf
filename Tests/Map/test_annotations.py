"""Annotation views and their callouts: by mouse, finger and keys; thousands of them as groups."""

import re

import pytest
from playwright.sync_api import expect

from browser import PHONE
from tracks import HARMLESS, PLACES, crowd, gpx


@pytest.fixture(scope="module")
def program(served):
    return lambda places=PLACES, way=True: served.run("locationctl-map", "--mode", "none", gpx(served, places, way))


@pytest.mark.parametrize("manner", ["mouse", "finger", "keys"])
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
    page.picture("clusters")
    zoom = page.camera()["zoom"]
    group = page.page.locator(".view").filter(has=page.page.get_by_text(re.compile(r"^\d+K?$"))).first
    group.click()
    page.camera_until(f"c.zoom > {zoom} + 0.3")
    page.idle().picture("clusters-split")
    assert 1 < page.page.locator(".view").count() <= 200
