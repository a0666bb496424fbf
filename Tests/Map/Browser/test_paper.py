"""The map on paper."""

import re

import pytest
from playwright.sync_api import expect

from browser import PHONE, WIDE

VADUZ = "#map=15.00/47.1395/9.5220"


def paper(page, is_open=True):
    """Shows on the screen what would be printed."""
    page.page.emulate_media(media="print" if is_open else "screen")
    page.page.evaluate("(name) => { dispatchEvent(new Event(name)); }", "beforeprint" if is_open else "afterprint")


@pytest.mark.parametrize("size", [pytest.param(WIDE, marks=pytest.mark.smoke), PHONE], ids=["wide", "phone"])
def test_the_map_fills_one_sheet(program, open_page, size):
    page = open_page(program() + VADUZ, size=size, locale="en-CH").idle()
    before = page.camera()
    posts = []
    page.page.on("request", lambda request: posts.append(request.post_data) if request.method == "POST" else None)
    printed = page.page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    width, height = map(float, re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", printed).groups())
    # A4, as the map lies, in points.
    expected = (842, 595) if size is WIDE else (595, 842)
    assert abs(width - expected[0]) < 2 and abs(height - expected[1]) < 2, (width, height)
    # Afterwards the map is as before, and its program knows nothing of it.
    page.idle()
    assert page.camera() == before and not posts, posts


def test_on_paper_are_the_map_its_scale_north_and_credits_and_no_controls(program, open_page):
    page = open_page(program() + VADUZ + "/30.0/0", dark=True, locale="en-CH").idle()
    paper(page)
    picture = page.page.locator("canvas.paper")
    box = picture.bounding_box()
    assert abs(box["width"] - 277 * 96 / 25.4) < 2 and abs(box["height"] - 190 * 96 / 25.4) < 2, box
    # The land is light, although the map on the screen is dark.
    red, green, blue = picture.evaluate("(canvas) => [...canvas.getContext('2d').getImageData(canvas.width / 2, 40, 1, 1).data].slice(0, 3)")
    assert min(red, green, blue) > 150, (red, green, blue)
    expect(page.page.locator(".on-paper .scale-text")).to_have_text(re.compile(r"\d+ m"))
    expect(page.page.locator(".north-arrow")).to_have_css("transform", re.compile(r"^matrix\(0\.866"))
    expect(page.page.locator(".attribution")).to_contain_text("OpenStreetMap")
    for control in ["button.round", ".search", ".zoom", ".attribution a", ".maplibregl-canvas"]:
        expect(page.page.locator(control).first).to_be_hidden()
    page.picture("paper")
    paper(page, is_open=False)
    page.idle()
    expect(page.page.locator("button.tracking")).to_be_visible()
    expect(picture).to_have_count(0)
