"""A recorded track that is clicked: its name, its figures, and the diagram along which the pointer runs."""

import datetime
import re

import pytest
from playwright.sync_api import expect

from browser import PHONE

# Up for ten minutes and down for ten, at a walk, with a rest of five minutes at the top.
STEP = 0.0001


def hike(site, name="hike.gpx", altitudes=True, times=True):
    start = datetime.datetime(2026, 5, 1, 8, 0)
    points = []
    for index in range(120):
        minute = index / 6 + (5 if index >= 60 else 0)
        altitude = f"<ele>{600 + 4 * min(index, 119 - index)}</ele>" if altitudes else ""
        time = f"<time>{(start + datetime.timedelta(minutes=minute)).isoformat()}Z</time>" if times else ""
        points.append(f'<trkpt lat="{47.14 + index * STEP}" lon="9.51">{altitude}{time}</trkpt>')
    return site.write(name, '<?xml version="1.0"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">'
                            f"<trk><name>Up and \u202edown</name><trkseg>{''.join(points)}</trkseg></trk></gpx>")


@pytest.fixture
def shown(site, open_page):
    def show(*files, **options):
        site.serve("locationctl-map")
        page = open_page(site.run("locationctl-map", "--mode", "none", *files)[1], locale="en-IE", **options).idle()
        page.jump(9.51, 47.146, 14)
        return page.idle()
    return show


def panel(page):
    return page.page.get_by_role("group", name="Profile")


def click(page, latitude):
    page.page.mouse.click(*page.at(9.51, latitude))


@pytest.mark.smoke
def test_a_click_on_a_track_shows_its_figures_and_the_pointer_runs_along_it(shown, site):
    page = shown(hike(site))
    expect(panel(page)).to_have_count(0)
    click(page, 47.14 + 90 * STEP)
    # What would turn the text around is shown.
    expect(panel(page)).to_contain_text(r"Up and \u{202E}down")
    expect(panel(page).locator(".facts")).to_have_text("1.3 km · 25 mins · 20 mins in motion · 236 m up, 236 m down")
    # It begins where the line was clicked.
    expect(panel(page).locator(".readout")).to_contain_text("1.0 km · 716 m · 4.0 km/h")
    page.still().picture("profile")
    diagram = page.page.get_by_role("slider")
    dot = page.page.locator(".profile-dot")
    box = diagram.bounding_box()
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    expect(panel(page).locator(".readout")).to_contain_text("660 m · 836 m")
    where = dot.bounding_box()
    _, y = page.at(9.51, 47.14 + 59 * STEP)
    assert abs(where["y"] + where["height"] / 2 - y) < 4, (where, y)
    # By the keyboard, too.
    diagram.focus()
    page.page.keyboard.press("End")
    expect(diagram).to_have_attribute("aria-valuetext", re.compile("^1.3 km · 600 m"))
    page.page.keyboard.press("Home")
    page.page.keyboard.press("ArrowLeft")
    expect(diagram).to_have_attribute("aria-valuenow", "0")
    page.page.keyboard.press("Escape")
    expect(panel(page)).to_have_count(0)
    expect(dot).to_have_count(0)


def test_a_track_without_altitudes_and_times_has_its_length(shown, site):
    page = shown(hike(site, altitudes=False, times=False))
    click(page, 47.145)
    expect(panel(page).locator(".facts")).to_have_text("1.3 km")
    expect(page.page.get_by_role("slider")).to_have_count(0)
    # Beside it the map is as before.
    page.page.mouse.click(*page.at(9.53, 47.145))
    expect(panel(page)).to_be_visible()
    panel(page).get_by_role("button", name="Close").click()
    expect(panel(page)).to_have_count(0)


def test_a_profile_fits_a_phone(shown, site):
    page = shown(hike(site), size=PHONE)
    click(page, 47.145)
    expect(panel(page).locator(".facts")).to_be_visible()
    box = panel(page).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"], box
    page.still().picture("profile-phone")


def test_a_profile_whose_program_is_gone_says_so(shown, site):
    page = shown(hike(site))
    page.page.route("**/profiles/*", lambda route: route.fulfill(status=404))
    page.expected = [*page.expected, "status of 404"]
    click(page, 47.145)
    expect(page.page.locator(".notice")).to_contain_text("The profile could not be loaded.")
    expect(panel(page)).to_have_count(0)
