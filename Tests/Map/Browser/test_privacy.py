"""The page of locationctl privacy: the programs, their permissions and when they had the location."""

import configparser
import json
import os
import plistlib
import shutil
import sqlite3
import subprocess
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import PICTURES, MapPage
from service import DATA, PATIENCE, ROOT, Site

PURPOSE = "Shows your place."
SIZES = {"phone": {"width": 360, "height": 740}, "desk": {"width": 1280, "height": 800}, "wall": {"width": 2560, "height": 1300}}
HOSTILE = "<img src=x onerror=alert(1)>"
DAY = 86_400_000_000_000
# Of gpsd’s protocol: below those that the system gives to others.
PORT = 29471


class PrivacySite(Site):
    """A service with programs of all kinds, and the page's program."""

    def declare(self, name, policy=None, executable=None, title=None, more=None):
        self.write(f"clients.d/org.example.{name}.plist", plistlib.dumps({
            "CFBundleIdentifier": f"org.example.{name}", "CFBundleDisplayName": title or name.capitalize(),
            "NSLocationWhenInUseUsageDescription": PURPOSE, "NSLocationAlwaysAndWhenInUseUsageDescription": PURPOSE,
            "Match": {"Executable": executable or f"/usr/bin/{name}"}, "Policy": policy or {}, **(more or {})}).decode())

    def prepare(self, programs=()):
        """Starts the service with programs of all kinds and more `programs`."""
        self.declare("watcher", executable=self.executable("locationctl"), policy={"PresetAuthorization": "always"})
        self.declare("weather", policy={"MaximumAuthorization": "whenInUse", "MaximumAccuracy": "reduced"})
        self.declare("forbidden", policy={"Restricted": True})
        self.declare("sharing", more={"Recipients": ["Example Friends"]})
        self.declare("hostile", title=HOSTILE)
        self.declare("atlas", executable=self.executable("locationctl-map"))
        self.write("clients.d/org.locationd.share.plist", plistlib.dumps({
            "CFBundleIdentifier": "org.locationd.share", "NSLocationWhenInUseUsageDescription": PURPOSE,
            "Match": {"Executable": self.executable("locationd-share")}, "Policy": {"PresetAuthorization": "always"}}).decode())
        for name in programs:
            self.declare(name)
        self.write("locationd.plist", plistlib.dumps({
            "ClientDirectories": [self.file("clients.d")],
            "Agents": [self.executable("locationctl"), self.executable("locationctl-map")]}).decode())
        self.track()
        self.start()

    def remember(self, accesses, prefix="org.example."):
        """Adds accesses to the history: client, nanoseconds ago of its beginning and its end, accuracy, front end."""
        self.programs.pop().end()
        now = time.time_ns()
        database = sqlite3.connect(os.path.join(self.file("state"), "locationd.db"))
        with database:
            database.executemany("INSERT OR REPLACE INTO access VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [
                (os.getuid(), prefix + client, now - start, now - end, 30, accuracy, 8.0 if accuracy == "full" else 5000.0, front_end, 1, 0)
                for client, start, end, accuracy, front_end in accesses])
        database.close()
        self.start()

    def leave_unused(self, client):
        """Lets the service have counted 91 days since a program was given a location, and starts it again."""
        self.programs.pop(0).end()
        database = sqlite3.connect(os.path.join(self.file("state"), "locationd.db"))
        with database:
            changed = database.execute("UPDATE last_use SET used_at = used_at - 91 * 86400 WHERE client = ?", [f"org.example.{client}"])
            assert changed.rowcount == 1
        database.close()
        self.start()

    def page(self):
        return self.run("locationctl-map", "privacy", "--config", self.file("locationd.plist"))[1]

    def command(self, *arguments):
        """What a command of locationctl prints, as JSON."""
        done = subprocess.run([self.executable("locationctl"), *arguments, "--socket", self.file("socket"), "--format", "json"],
                              capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def status(self, name):
        return next(client for client in self.command("clients") if client["client"] == f"org.example.{name}")


@pytest.fixture(scope="module")
def privacy():
    made = PrivacySite()
    made.prepare()
    hour = DAY // 24
    made.remember([
        ("weather", 3 * hour, 2 * hour, "reduced", "GeoClue"), ("weather", 9 * hour, 8 * hour, "reduced", "GeoClue"),
        ("sharing", 5 * DAY, 5 * DAY - hour, "full", "Varlink"), ("sharing", 5 * hour, 4 * hour, "full", "Varlink"),
        ("hostile", 6 * DAY, 6 * DAY - hour, "full", None)])
    yield made
    made.end()


@pytest.fixture
def address(privacy):
    """Starts a page's program. It ends after the test's pages: each follows the service, which lets sixteen do that."""
    program, address = privacy.run("locationctl-map", "privacy", "--config", privacy.file("locationd.plist"))
    yield address
    program.end()


@pytest.fixture
def shown(address, open_page):
    def show(**options):
        page = open_page(address, **options)
        expect(row(page, "weather")).to_be_attached()
        return page
    return show


def row(page, name):
    return page.page.locator(".program").filter(has_text=f"org.example.{name}")


def permission(page, name):
    return row(page, name).locator("select").first


def chosen(page, name):
    return permission(page, name).locator("option:checked")


def axe(page):
    found = Axe().run(page.still().page).response["violations"]
    assert not found, json.dumps([(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in found], indent=1)


def rules(page):
    return page.page.locator(".rules")


@pytest.fixture
def home(privacy):
    privacy.command("places", "add", "home", "47.141", "9.5215", "--radius", "300", "--replace")
    yield
    for rule in privacy.command("rules"):
        privacy.command("rules", "remove", rule["id"])
    if privacy.command("places"):
        privacy.command("places", "remove", "home")


@pytest.mark.smoke
def test_a_decision_here_is_the_command_line_s_and_one_there_appears_here(privacy, shown):
    page = shown()
    permission(page, "sharing").select_option(label="While in use")
    expect(chosen(page, "sharing")).to_have_text("While in use")
    page.until("() => document.querySelector('[role=status]').textContent.includes('While in use')")
    assert privacy.status("sharing")["status"] == "authorizedWhenInUse"
    row(page, "sharing").locator("select").last.select_option(label="Approximate")
    page.until("() => document.querySelector('[role=status]').textContent.includes('Approximate')")
    assert privacy.status("sharing")["accuracy"] == "reduced"
    privacy.command("deny", "org.example.sharing")
    expect(chosen(page, "sharing")).to_have_text("Denied")
    privacy.command("allow", "org.example.sharing", "--for", "2h")
    expect(chosen(page, "sharing")).to_contain_text("While in use until ")
    permission(page, "sharing").select_option(label="Not decided, ask again")
    expect(chosen(page, "sharing")).to_have_text("Not decided")
    page.until("() => document.querySelector('[role=status]').textContent.includes('Not decided')")
    assert privacy.status("sharing")["status"] == "notDetermined"


def test_a_reset_for_lack_of_use_is_shown_and_undone(privacy, shown):
    page = shown()
    # Root's *always* would be an administrator's decision, which is not reset.
    privacy.command("allow", "org.example.sharing")
    expect(chosen(page, "sharing")).to_have_text("While in use")
    undo = row(page, "sharing").get_by_role("button", name="Undo Sharing")
    expect(undo).to_have_count(0)
    privacy.leave_unused("sharing")
    expect(chosen(page, "sharing")).to_have_text("Not decided")
    expect(row(page, "sharing")).to_contain_text(", because it was not given your location for a long time.")
    axe(page)
    page.picture("privacy-reset")
    undo.click()
    expect(chosen(page, "sharing")).to_have_text("While in use")
    expect(undo).to_have_count(0)
    expect(permission(page, "sharing")).to_be_focused()
    status = privacy.status("sharing")
    assert status["status"] == "authorizedWhenInUse" and "resetAt" not in status, status
    privacy.command("reset", "org.example.sharing")


def test_the_switch_is_that_of_the_command_line(privacy, shown):
    page = shown()
    switch = page.page.get_by_role("switch", name="Location services On").first
    expect(switch).to_have_attribute("aria-checked", "true")
    switch.click()
    off = page.page.get_by_role("switch", name="Location services Off").first
    expect(off).to_have_attribute("aria-checked", "false")
    expect(permission(page, "sharing")).to_be_disabled()
    assert not privacy.command("status")["isEnabledForUser"]
    privacy.command("on")
    expect(page.page.get_by_role("switch").first).to_have_attribute("aria-checked", "true")
    expect(permission(page, "sharing")).to_be_enabled()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may switch the machine's services")
def test_root_switches_the_services_of_the_machine(privacy, shown):
    page = shown()
    page.page.get_by_role("switch", name="Location services of this machine On").click()
    off = page.page.get_by_role("switch", name="Location services of this machine Off")
    expect(off).to_have_attribute("aria-checked", "false")
    expect(off).to_contain_text("Off, for all users.")
    expect(permission(page, "sharing")).to_be_disabled()
    assert not privacy.command("status")["isEnabled"]
    privacy.command("on", "--system")
    expect(page.page.get_by_role("switch").nth(1)).to_have_attribute("aria-checked", "true")
    expect(permission(page, "sharing")).to_be_enabled()


def test_a_menu_has_what_a_policy_allows_and_says_why_not_more(shown):
    page = shown()
    options = permission(page, "weather").locator("option").all_text_contents()
    assert "While in use" in options and "Always" not in options, options
    assert row(page, "weather").locator("select").last.locator("option").all_text_contents() in (["Approximate"], ["Exact", "Approximate"])
    expect(row(page, "weather")).to_contain_text("A policy allows no more than while in use.")
    expect(row(page, "weather")).to_contain_text("org.example.weather.plist: Policy.MaximumAuthorization")
    expect(permission(page, "forbidden")).to_be_disabled()
    expect(row(page, "forbidden")).to_contain_text("A policy of this machine forbids it.")
    expect(row(page, "sharing")).to_contain_text("It passes your location on to Example Friends.")


def test_who_has_the_location_now_is_first(privacy, shown):
    page = shown()
    watch = subprocess.Popen([privacy.executable("locationctl"), "watch", "--socket", privacy.file("socket")], stdout=subprocess.DEVNULL)
    try:
        expect(row(page, "watcher")).to_have_class("program is-now")
        expect(page.page.locator(".group").first.locator("h3")).to_have_text("Now")
        expect(row(page, "watcher").locator(".use")).to_contain_text("by Varlink")
    finally:
        watch.terminate()
        watch.wait(PATIENCE)
    expect(row(page, "watcher")).to_have_class("program")


def test_a_timeline_has_times_and_accuracy_and_never_a_coordinate(privacy, shown):
    page = shown()
    bodies = []
    page.page.on("response", lambda response: bodies.append(response.text()) if response.url.endswith("/timeline") else None)
    row(page, "sharing").get_by_role("button", name="Details of Sharing").click()
    details = row(page, "sharing").locator(".details")
    expect(details.locator("tbody tr")).to_have_count(1)
    expect(details.locator("tbody tr")).to_contain_text("exact (± 8 m)")
    expect(details.get_by_role("img")).to_have_attribute("aria-label", "Had your location once in this period")
    details.get_by_text("7 days").click()
    expect(details.locator("tbody tr")).to_have_count(2)
    expect(details.locator(".why li").first).to_be_visible()
    expect(details).to_contain_text("locationctl history --client org.example.sharing")
    page.picture("privacy-timeline")
    assert bodies and all("latitude" not in body and "47.14" not in body for body in bodies)


def test_a_name_is_text_whatever_it_is(shown):
    page = shown()
    expect(row(page, "hostile").locator("strong")).to_have_text(HOSTILE)
    assert page.page.locator("img[src=x]").count() == 0


def test_search_and_keyboard(shown):
    page = shown()
    page.page.get_by_role("searchbox", name="Search the programs").press_sequentially("weath")
    expect(page.page.locator(".program:visible")).to_have_count(1)
    for _ in range(3):
        page.page.keyboard.press("Tab")
    expect(row(page, "weather").get_by_role("button")).to_be_focused()
    page.page.keyboard.press("Enter")
    expect(row(page, "weather").locator("tbody tr")).to_have_count(2)
    page.page.get_by_role("searchbox").fill("nothing is called so")
    expect(page.page.get_by_text("No program has this name.")).to_be_visible()


def test_without_programs_there_is_nothing_to_search(chromium):
    site = PrivacySite()
    site.write("locationd.plist", plistlib.dumps({
        "ClientDirectories": [], "Agents": [site.executable("locationctl"), site.executable("locationctl-map")]}).decode())
    site.track()
    site.start()
    page = MapPage(chromium, site.page(), size=SIZES["phone"])
    expect(page.page.get_by_text("No program has asked for your location yet.")).to_be_visible()
    expect(page.page.get_by_role("searchbox")).to_be_hidden()
    axe(page)
    page.picture("privacy-empty")
    page.close()
    site.end()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(shown, home, size, dark):
    page = shown(size=SIZES[size], dark=dark)
    rules(page).get_by_role("button", name="Add a rule").click()
    row(page, "weather").get_by_role("button").click()
    expect(row(page, "weather").locator("tbody tr")).to_have_count(2)
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    axe(page)
    page.picture(f"privacy-{size}-{'dark' if dark else 'light'}")


@pytest.mark.parametrize("language", ["de", "fr", "es", "pt", "ja", "ar"])
def test_the_page_has_the_language_of_the_browser(shown, home, language):
    page = shown(locale=language, size=SIZES["phone"])
    expect(page.page.locator("html")).to_have_attribute("lang", language)
    rules(page).locator(".heading button").first.click()
    rules(page).locator(".form").screenshot(path=f"{PICTURES}/privacy-rule-{language}.png")
    row(page, "weather").get_by_role("button").click()
    expect(row(page, "weather").locator("tbody tr")).to_have_count(2)
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    axe(page)
    page.picture(f"privacy-{language}")


def test_forced_colours_keep_what_colours_say(shown):
    page = shown(forced_colors="active")
    row(page, "weather").get_by_role("button").click()
    expect(row(page, "weather").locator("tbody tr")).to_have_count(2)
    page.picture("privacy-forced")


def test_the_end_of_the_program_is_shown(privacy, chromium):
    program, address = privacy.run("locationctl-map", "privacy", "--config", privacy.file("locationd.plist"))
    page = MapPage(chromium, address, loses_program=True)
    expect(row(page, "weather")).to_be_attached()
    program.end()
    expect(page.page.get_by_role("alert")).to_contain_text("locationctl privacy --open")
    page.close()


def test_a_used_address_opens_nothing(privacy, chromium):
    address = privacy.page()
    first = MapPage(chromium, address)
    expect(row(first, "weather")).to_be_attached()
    second = MapPage(chromium, address, loses_program=True)
    expect(second.page.get_by_role("heading")).to_have_text("This address does not open the page")
    first.close()
    second.close()


def test_the_desktop_has_an_entry_for_the_page():
    path = os.path.join(ROOT, "Config", "packaging", "desktop", "org.locationd.privacy.desktop")
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str
    entry.read(path, encoding="utf-8")
    # The page ends by itself, since nobody sees a terminal.
    assert entry["Desktop Entry"]["Exec"].split() == ["locationctl", "privacy", "--open", "--until-unused"]
    if validator := shutil.which("desktop-file-validate"):
        checked = subprocess.run([validator, path], capture_output=True, text=True)
        assert checked.returncode == 0 and not checked.stdout, checked.stdout


def test_a_prompt_is_shown_and_answered(privacy, shown):
    page = shown()
    get = subprocess.Popen([privacy.executable("locationctl-map"), "--port", "0", "--mode", "none"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "LOCATIOND_SOCKET": privacy.file("socket"), "LOCATIOND_MAP_DATA": DATA})
    try:
        card = page.page.locator(".prompts li")
        expect(card).to_contain_text("Allow “Atlas” to use your location?")
        expect(card).to_contain_text(PURPOSE)
        page.picture("privacy-prompt")
        card.get_by_role("button", name="Don’t Allow").click()
        expect(page.page.locator(".prompts")).to_be_hidden()
        assert privacy.status("atlas")["status"] == "denied"
    finally:
        get.terminate()
        get.wait(PATIENCE)
        privacy.command("reset", "org.example.atlas")


def test_a_program_that_nobody_declared_is_listed_once_it_has_asked_and_answered_for(chromium):
    site = PrivacySite()
    site.options = ["--gpsd-listen", str(PORT)]
    site.prepare()
    stranger = shutil.copy("/usr/bin/gpspipe", site.file("stranger"))
    program, address = site.run("locationctl-map", "privacy", "--config", site.file("locationd.plist"))
    page = MapPage(chromium, address)
    found = page.page.locator(".program").filter(has_text=stranger)
    expect(row(page, "weather")).to_be_attached()
    expect(found).to_have_count(0)
    pipe = subprocess.Popen([stranger, "-w", f"127.0.0.1:{PORT}"], stdout=subprocess.PIPE, text=True)
    try:
        card = page.page.locator(".prompts li")
        expect(card).to_contain_text(stranger)
        # It has not said why, and nobody has said so for it.
        expect(card).not_to_contain_text(PURPOSE)
        card.get_by_role("button", name="Don’t Allow").click()
        expect(found.locator("select").first.locator("option:checked")).to_have_text("Denied")
        page.picture("privacy-undeclared")
        found.locator("select").first.select_option(label="Always")
        assert any('"lat":47.14' in line for line in pipe.stdout)
        expect(found).to_have_class("program is-now")
    finally:
        pipe.kill()
        pipe.wait(PATIENCE)
        page.close()
        program.end()
        site.end()


def test_a_share_is_shown_with_its_end_and_stopped(privacy, open_page, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", privacy.file("shares"))
    monkeypatch.setenv("LOCATIOND_SOCKET", privacy.file("socket"))

    def share(*arguments):
        return subprocess.run([privacy.executable("locationd-share"), *arguments], check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    secret = privacy.write("secret", "http://127.0.0.1:9\nkey-of-the-device\n")
    share("add", "friends", "traccar", "--url-file", secret, "--user-name", "Alice", "--plain-http")
    share("start", "friends", "--for", "2h", "--no-service")
    program, address = privacy.run("locationctl-map", "privacy", "--config", privacy.file("locationd.plist"))
    page = open_page(address)
    shares = page.page.locator("section[aria-labelledby=shares]")
    expect(shares).to_contain_text("Traccar at http://127.0.0.1:9, as ")
    expect(shares).to_contain_text("until ")
    assert "key-of-the-device" not in page.page.content()
    axe(page)
    shares.scroll_into_view_if_needed()
    page.picture("privacy-shares")
    shares.get_by_role("button", name="Stop sharing with friends").click()
    expect(shares.get_by_role("button")).to_have_count(0)
    page.until("() => document.querySelector('[role=status]').textContent.includes('Stopped sharing with friends.')")
    assert json.loads(share("status", "--format", "json"))[0]["phase"] not in ("sharing", "paused", "clockNotSet")
    program.end()


def test_sources_say_what_they_tell_and_doctor_what_is_wrong(shown):
    page = shown()
    sources = page.page.locator("section[aria-labelledby=sources]")
    expect(sources).to_contain_text("Tells nobody where you are.")
    expect(sources).to_contain_text("Sends the Wi-Fi networks nearby to a server that root names, which learns where you are.")
    page.page.get_by_role("button", name="Check").click()
    expect(page.page.locator("section[aria-labelledby=doctor] li").last).to_contain_text("found nothing to do")
    axe(page)
    page.picture("privacy-reports")


@pytest.mark.smoke
def test_a_rule_is_tried_on_a_track_and_added_and_is_the_command_line_s(privacy, home, shown):
    page = shown()
    section = rules(page)
    expect(section).to_contain_text("No rule limits")
    expect(section.get_by_role("listitem").filter(has_text="home")).to_contain_text("radius 300 m")
    section.get_by_role("button", name="Add a rule").click()
    expect(section.get_by_label("What programs get")).to_be_focused()
    section.get_by_label("Where").select_option(label="Inside home")
    section.get_by_label("From").fill("22:00")
    section.get_by_label("Until").fill("06:00")
    section.get_by_label("Sat").uncheck()
    section.get_by_label("Sun").uncheck()
    # Friday's night ends on Saturday.
    expect(section.locator(".form .week .hours")).to_have_count(10)
    # Tried on a track that leads away from home at noon: nothing changes. Without hours it does.
    section.locator("input[type=file]").set_input_files(privacy.file("track.json"))
    result = section.locator(".result")
    expect(result).to_contain_text("Watcher exact")
    expect(result).not_to_contain_text("Watcher nothing")
    page.picture("privacy-rule")
    section.get_by_role("button", name="Add", exact=True).click()
    row = section.get_by_role("listitem").filter(has_text="home").filter(has_text="22:00")
    expect(row.locator(".week")).to_be_visible()
    added = privacy.command("rules")
    assert [rule["definition"] for rule in added] == [{
        "deny": True, "inside": "home", "hours": "22:00-06:00", "days": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]}], added
    # A place that a rule names stays, and the page says why.
    place = section.get_by_role("listitem").filter(has_text="radius")
    place.get_by_role("button", name="Remove home").click()
    expect(section.locator(".note").first).to_be_visible()
    privacy.command("rules", "remove", added[0]["id"])
    expect(row).to_have_count(0)
    place.get_by_role("button", name="Remove home").click()
    expect(place).to_have_count(0)
    assert privacy.command("places") == []


def test_a_rule_that_would_take_the_location_shows_on_the_track(privacy, home, shown):
    page = shown()
    section = rules(page)
    section.get_by_role("button", name="Add a rule").click()
    section.get_by_label("Where").select_option(label="Inside home")
    section.locator("input[type=file]").set_input_files(privacy.file("track.json"))
    expect(section.locator(".result")).to_contain_text("nothing")
    section.locator("input[type=file]").set_input_files(privacy.file("locationd.plist"))
    expect(section.locator(".result .note")).to_be_visible()
    assert privacy.command("rules") == []
    section.get_by_role("button", name="Cancel").click()
    expect(section.locator(".form")).to_be_hidden()


def test_a_place_is_added_by_its_position_and_moved_on_the_map(privacy, shown):
    page = shown()
    section = rules(page)
    section.get_by_role("button", name="Add a place").click()
    section.get_by_label("Name").fill("office")
    section.get_by_label("Position").fill("nowhere at all")
    section.get_by_role("button", name="Add", exact=True).click()
    expect(section.locator(".note").first).to_be_visible()
    section.get_by_label("Position").fill("47.1500 9.5200")
    section.get_by_role("button", name="Add", exact=True).click()
    expect(section.get_by_role("listitem").filter(has_text="office")).to_contain_text("radius 200 m")
    section.get_by_role("button", name="Map of the places").click()
    map_frame = page.page.frame_locator(".places-map iframe")
    marker = map_frame.get_by_role("button", name="office")
    expect(marker).to_be_visible()
    section.locator(".places-map").scroll_into_view_if_needed()
    frame = page.page.frames[-1]
    frame.wait_for_function("() => window.map?.loaded?.() && !map.isMoving()")
    lines = "map.getStyle().layers.filter(({ id }) => id.startsWith('overlay:') && id.endsWith(':line')).length"
    assert frame.evaluate(lines) == 2
    page.picture("privacy-map")
    box = marker.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 40, y, steps=4)
    page.page.mouse.move(x + 90, y, steps=4)
    page.page.mouse.up()

    def moved():
        return privacy.command("places")[0]["longitude"] > 9.5201
    deadline = time.monotonic() + PATIENCE
    while not moved():
        assert time.monotonic() < deadline, privacy.command("places")
        page.page.wait_for_timeout(100)
    privacy.command("places", "remove", "office")
    expect(section.get_by_role("listitem").filter(has_text="office")).to_have_count(0)
    expect(marker).to_have_count(0)
