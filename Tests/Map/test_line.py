"""The line to the program: lost, ended, and back."""

import re
import signal

from playwright.sync_api import expect

from browser import PHONE
from relay import Relay
from tracks import gpx


def test_a_page_says_that_its_program_has_ended(site, open_page):
    site.serve("locationctl-map")
    program, address = site.run("locationctl-map", "--mode", "none", gpx(site))
    page = open_page(address, loses_program=True).idle()
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
    page = open_page(address, size=PHONE, loses_program=True).idle()
    program.process.kill()
    program.process.wait()
    banner = page.page.get_by_role("alert")
    expect(banner).to_contain_text("Reconnecting")
    page.picture("lost")


def change(program):
    """Has the program show something else."""
    for word in ["hybrid", "clear", "go"]:
        program.say(word)
        program.line(f"done: {word}")


def expect_the_change(page):
    page.page.wait_for_selector("html[data-type=hybrid]")
    expect(page.page.locator(".view")).to_have_count(0)
    page.camera_until("Math.abs(c.longitude - 7) < 0.01 && Math.abs(c.latitude - 46) < 0.01")
    page.idle()
    assert not any(layer.startswith("overlay") for layer in page.layers())
    expect(page.page.get_by_role("alert")).to_be_hidden()


def show(page, is_hidden):
    """Has the page seen or hidden, which a browser without a window never does by itself."""
    page.page.evaluate("""(isHidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }""", is_hidden)


def is_stream(request):
    return request.url.endswith("/events")


def test_a_page_that_was_hidden_comes_back_to_the_present_state(site, open_page):
    site.serve("MapExamples")
    program, address = site.run("MapExamples", "shapes")
    page = open_page(address, loses_program=True).idle()
    page.page.clock.install()
    # Looked away from for a moment, it keeps its line; for longer, it gives it back.
    show(page, is_hidden=True)
    page.page.clock.fast_forward(9_000)
    show(page, is_hidden=False)
    show(page, is_hidden=True)
    with page.page.expect_event("requestfailed", is_stream):
        page.page.clock.fast_forward(11_000)
    change(program)
    assert page.page.evaluate("document.documentElement.dataset.type") == "standard"
    with page.page.expect_request(is_stream):
        show(page, is_hidden=False)
    expect_the_change(page)
    # It is a page as before: it is told of what changes.
    program.say("dark")
    page.page.wait_for_selector("html.dark")


def test_a_page_that_has_lost_its_server_comes_back_to_the_present_state(site, open_page):
    site.serve("MapExamples")
    program, address = site.run("MapExamples", "shapes")
    relay = Relay(re.match("http://[^/]+", address).group(0))
    page = open_page(address, proxy=relay.proxy, loses_program=True).idle()
    expect(page.button("^Purple")).to_be_visible()
    banner = page.page.get_by_role("alert")
    relay.cut()
    expect(banner).to_contain_text("Reconnecting")
    change(program)
    # What was shown stays meanwhile.
    expect(page.button("^Purple")).to_be_visible()
    relay.mend()
    expect_the_change(page)
    # And once more, as often as it takes; what a person does then reaches the program.
    relay.cut()
    expect(banner).to_be_visible()
    relay.mend()
    expect(banner).to_be_hidden()
    program.say("pin")
    page.button("^Dropped").press("Enter")
    program.line("^selected Dropped")
    relay.cut()
