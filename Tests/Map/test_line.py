"""The line to the program: lost, ended, and back."""

import signal

from playwright.sync_api import expect

from browser import PHONE
from tracks import gpx


def test_a_page_says_that_its_program_has_ended(site, open_page):
    site.serve("locationctl-map")
    program, address = site.run("locationctl-map", "--mode", "none", gpx(site))
    page = open_page(address).idle()
    banner = page.page.get_by_role("alert")
    expect(banner).to_be_hidden()
    assert program.end(signal.SIGTERM) == 0
    expect(banner).to_be_visible()
    expect(banner).to_contain_text("ended")
    page.picture("ended")
    # What was shown stays to be looked at.
    expect(page.button("^Castle")).to_be_visible()


def test_a_program_that_is_killed_is_reported_as_lost(site, open_page):
    site.serve("locationctl-map")
    program, address = site.run("locationctl-map", "--mode", "none", gpx(site))
    page = open_page(address, size=PHONE).idle()
    program.process.kill()
    program.process.wait()
    banner = page.page.get_by_role("alert")
    expect(banner).to_contain_text("Reconnecting")
    page.picture("lost")
