"""The line to the program: lost, ended, and back."""

import re
import signal

import pytest
from playwright.sync_api import expect

from browser import PHONE
from relay import Relay
from tracks import gpx


STALE = re.compile(r"\bis-stale\b")


def dot(page):
    return page.page.locator(".user-dot")


@pytest.mark.smoke
def test_a_page_says_that_its_program_has_ended(site, open_page):
    site.serve("locationctl-map")
    program, address = site.run("locationctl-map", "--mode", "none", gpx(site))
    page = open_page(address, loses_program=True).idle()
    banner = page.page.get_by_role("alert")
    expect(banner).to_be_hidden()
    assert program.end(signal.SIGTERM) == 0
    expect(banner).to_be_visible()
    expect(banner).to_contain_text("ended")
    expect(dot(page)).to_have_class(STALE)
    expect(page.page.locator("button.tracking")).to_have_attribute("aria-label", re.compile("^Not following"))
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
    expect(banner).to_contain_text("start it again")
    # At once, and with its age.
    expect(dot(page)).to_have_class(STALE)
    expect(dot(page)).to_have_attribute("aria-label", "My Location, not current")
    expect(dot(page).locator(".age")).to_have_text(re.compile(r"^\d+ sec\. ago$"))
    page.picture("lost")


def hang(page, program):
    """Stops a program, and lets the time pass after which a page must have noticed."""
    program.process.send_signal(signal.SIGSTOP)
    # What was under way arrives between the two.
    page.page.clock.fast_forward(1_000)
    page.page.clock.fast_forward(11_000)


def test_the_dot_of_a_program_that_hangs_is_grey_with_its_age_until_it_responds(site, open_page):
    site.serve("locationctl-map")
    program, address = site.run("locationctl-map", "--mode", "none")
    page = open_page(address)
    page.page.clock.install()
    page.page.reload()
    expect(dot(page)).to_be_visible()
    page.page.clock.fast_forward(8_000)
    expect(dot(page)).not_to_have_class(STALE)
    banner = page.page.get_by_role("alert")
    hang(page, program)
    expect(dot(page)).to_have_class(STALE)
    expect(dot(page).locator(".age")).to_have_text(re.compile(r"^\d\d sec\. ago$"))
    expect(banner).to_contain_text("does not respond")
    page.picture("hung")
    page.page.clock.fast_forward(120_000)
    expect(dot(page).locator(".age")).to_have_text("2 min. ago")
    program.process.send_signal(signal.SIGCONT)
    expect(dot(page)).not_to_have_class(STALE)
    expect(dot(page).locator(".age")).to_be_hidden()
    expect(banner).to_be_hidden()


def test_views_that_a_hung_program_has_moved_are_grey(site, open_page):
    site.serve("MapExamples")
    program, address = site.run("MapExamples", "shapes")
    page = open_page(address)
    page.page.clock.install()
    page.page.reload()
    moved, still = page.button("^Purple"), page.button("^Dropped")
    expect(moved).to_be_visible()
    for word in ["pin", "move"]:
        program.say(word)
        program.line(f"done: {word}")
    expect(still).to_be_visible()
    expect(moved).not_to_have_class(STALE)
    hang(page, program)
    expect(moved).to_have_class(STALE)
    expect(moved).to_have_attribute("aria-description", "Not current")
    expect(still).not_to_have_class(STALE)
    program.process.send_signal(signal.SIGCONT)
    expect(moved).not_to_have_class(STALE)


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
    posts = []
    page.page.on("request", lambda request: posts.append(request) if request.method == "POST" else None)
    # Looked away from for a moment, it keeps its line; for longer, it gives it back.
    show(page, is_hidden=True)
    page.page.clock.fast_forward(9_000)
    show(page, is_hidden=False)
    show(page, is_hidden=True)
    with page.page.expect_event("requestfailed", is_stream):
        page.page.clock.fast_forward(11_000)
    change(program)
    assert not posts, "a hidden page has nothing to say"
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


def test_an_address_that_was_used_says_how_to_get_a_new_one(site, open_page):
    site.serve("locationctl-map")
    _, address = site.run("locationctl-map", "--mode", "none")
    open_page(address).idle()
    # Another browser, which has no cookie.
    page = open_page(address, size=PHONE, dark=True, loses_program=True)
    expect(page.page.get_by_role("heading")).to_have_text("This address does not open a map")
    expect(page.page.locator("code")).to_have_text("locationctl map --open")
    assert page.page.locator("code").evaluate("(node) => getComputedStyle(node).userSelect") == "all"
    page.picture("used-address")
