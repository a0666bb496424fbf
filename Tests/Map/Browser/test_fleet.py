"""The vehicles of a broker on the map: a real Mosquitto, and names that others have chosen."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import PHONE
from service import PROGRAMS, ROOT, Program

sys.path.insert(0, os.path.join(ROOT, "Tests/Sharing"))
from postgresql import Cluster  # noqa: E402

WRITER = os.path.join(ROOT, "Tests", "Sharing", "SharingProgramTests", "Server", "mqtt-fleet")
HOSTILE = "</span><img src=x onerror=alert(1)>\u202eevil"


class Broker:
    """A Mosquitto with a socket for the map and a port for those who publish."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="locationd-broker-")
        self.socket = os.path.join(self._directory.name, "socket")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.configuration = os.path.join(self._directory.name, "mosquitto.conf")
        with open(self.configuration, "w") as file:
            file.write(f"user root\nlog_dest stderr\nallow_anonymous true\nmax_queued_messages 0\n"
                       f"listener 0 {self.socket}\nlistener {self.port} 127.0.0.1\n")
        self.start()

    def start(self):
        self.process = Program(["/usr/sbin/mosquitto", "-c", self.configuration])
        self.process.line(" running$")

    def publish(self, *messages):
        """Publishes pairs of a topic below `owntracks/` and a payload."""
        file = os.path.join(self._directory.name, "messages")
        with open(file, "w") as lines:
            for topic, payload in messages:
                lines.write(json.dumps({"topic": f"owntracks/{topic}", "payload": payload}) + "\n")
        subprocess.run(["/usr/bin/python3", WRITER, str(self.port), file], check=True, timeout=60)

    def end(self):
        self.process.end()
        self._directory.cleanup()


def position(latitude, longitude, age=0, **more):
    return json.dumps({"_type": "location", "lat": latitude, "lon": longitude, "tst": int(time.time()) - age, **more})


@pytest.fixture
def broker():
    made = Broker()
    yield made
    made.end()


@pytest.fixture
def shown(site, broker, open_page):
    # Without a location, so that the map shows the vehicles alone.
    site.serve("locationctl-map", policy={"Restricted": True})

    def show(*arguments, **options):
        _, address = site.run("locationctl-map", "--fleet", broker.socket, *arguments)
        page = open_page(address, **{"locale": "en-IE", **options}).idle()
        page.address = address
        return page
    return show


def four(broker):
    """One vehicle in each state, and a name that is no name."""
    broker.publish(
        ("fleet/van7", position(47.14, 9.52, vel=36, cog=90)), ("fleet/van8", position(47.15, 9.53, vel=0)),
        ("fleet/van9", position(47.16, 9.54, age=300)), ("fleet/truck", position(47.17, 9.55, age=7200)),
        ("fleet/van8/info", json.dumps({"_type": "card", "name": HOSTILE})))


def symbols(page):
    """The symbols of the vehicles that the map draws, by label."""
    return page.page.evaluate("""Object.fromEntries(["fleet:vehicle", "fleet:selected"].filter((id) => map.getLayer(id))
      .flatMap((layer) => map.queryRenderedFeatures({ layers: [layer] })).map(({ properties }) => [properties.label, properties.symbol]))""")


def drawn(page, count):
    page.until("""(count) => new Set(map.queryRenderedFeatures({ layers: ["fleet:vehicle", "fleet:selected"] })
      .map(({ properties }) => properties.n)).size === count""", count)


@pytest.mark.smoke
def test_vehicles_are_shown_listed_searched_and_selected(shown, broker):
    four(broker)
    page = shown()
    panel = page.page.get_by_role("group", name="Vehicles")
    rows = panel.get_by_role("listitem")
    expect(rows).to_have_count(4)
    expect(panel.get_by_role("heading")).to_have_text("4 vehicles")
    expect(rows.nth(1)).to_contain_text(re.compile(r"fleet/van7Moving · 36 km/h · 90° · \d+ sec"))
    expect(rows.nth(0)).to_contain_text(re.compile(r"fleet/truckOffline · .* hr"))
    expect(rows.nth(3)).to_contain_text(re.compile(r"fleet/van9Stale · 5 min"))
    # The map goes to them, and each state has a symbol of its own.
    drawn(page, 4)
    found = symbols(page)
    assert len(set(found.values())) == 4, found
    # The list is searched by name and label; a row shows its vehicle.
    page.page.get_by_role("searchbox", name="Search the vehicles").fill("TRUCK")
    expect(rows).to_have_count(1)
    rows.first.get_by_role("button").click()
    callout = page.page.locator(".callout")
    expect(callout).to_contain_text(re.compile("fleet/truck.*Offline", re.S))
    page.settled()
    x, y = page.at(9.55, 47.17)
    assert 0 < x < 1280 and 0 < y < 800, (x, y)
    # It goes on: the callout and the place follow a message.
    broker.publish(("fleet/truck", position(47.171, 9.551, vel=72, cog=180)))
    expect(callout).to_contain_text("72 km/h")
    expect(callout).to_contain_text("Moving")
    page.until("""() => map.querySourceFeatures("fleet-selected")[0]?.geometry.coordinates[1] > 47.1705""")
    # A click beside it ends that, and a click on another selects it.
    page.page.mouse.click(1200, 700)
    expect(callout).to_have_count(0)
    page.jump(9.53, 47.15, 15)
    page.until("""() => map.queryRenderedFeatures({ layers: ["fleet:vehicle"] }).some(({ properties }) => properties.label === "fleet/van8")""")
    page.page.mouse.click(*page.at(9.53, 47.15))
    expect(callout).to_contain_text("fleet/van8")


def test_no_name_is_markup_or_another_vehicle(shown, broker):
    four(broker)
    broker.publish(("fleet/\u202egnav", position(47.18, 9.56)), ("fleet/<b>x<|b>", position(47.19, 9.57)))
    page = shown()
    panel = page.page.get_by_role("group", name="Vehicles")
    row = panel.get_by_role("listitem").filter(has_text="fleet/van8")
    expect(row).to_contain_text(r"calls itself </span><img src=x onerror=alert(1)>\u{202E}evil")
    expect(panel).to_contain_text("fleet/<b>x<|b>")
    expect(panel).to_contain_text(r"fleet/\u{202E}gnav")
    row.get_by_role("button").click()
    expect(page.page.locator(".callout")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.page.locator("img[src=x], .fleet b").count() == 0
    assert not any("\u202e" in label for label in symbols(page)), symbols(page)


def test_a_broker_that_is_gone_is_said_and_read_again(shown, broker):
    four(broker)
    page = shown()
    problem = page.page.locator(".fleet-problem")
    expect(page.page.get_by_role("group", name="Vehicles").get_by_role("listitem")).to_have_count(4)
    expect(problem).to_be_hidden()
    broker.process.end()
    expect(problem).to_contain_text("their broker is not read now")
    broker.start()
    expect(problem).to_be_hidden()
    broker.publish(("fleet/van10", position(47.2, 9.5)))
    expect(page.page.get_by_role("group", name="Vehicles").get_by_role("listitem")).to_have_count(5)


def test_clusters_hold_many_vehicles_and_open(shown, broker):
    # The names come after all positions, and the broker does not say which message is the last.
    broker.publish(*((f"fleet/v{index}", position(47.1 + index % 20 / 10000, 9.5 + index // 20 / 10000)) for index in range(300)),
                   *((f"fleet/v{index}/info", json.dumps({"_type": "card", "name": f"Driver {index}"})) for index in range(300)))
    page = shown()
    expect(page.page.get_by_role("heading", name="300 vehicles")).to_be_visible()
    panel = page.page.get_by_role("group", name="Vehicles")
    expect(panel).to_contain_text("200 more")
    expect(panel.locator(".show", has_text="calls itself Driver")).to_have_count(100)
    page.jump(9.5, 47.1, 8)
    page.until("""() => map.queryRenderedFeatures({ layers: ["fleet:cluster"] }).reduce((sum, { properties }) => sum + properties.point_count, 0) >= 300""")
    page.page.mouse.click(*page.at(9.5007, 47.101))
    assert page.camera_until("c.zoom > 9")["zoom"] > 9


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_keyboard_reaches_all_and_axe_finds_nothing(shown, broker, dark):
    four(broker)
    page = shown(dark=dark)
    panel = page.page.get_by_role("group", name="Vehicles")
    expect(panel.get_by_role("listitem")).to_have_count(4)
    page.page.get_by_role("searchbox", name="Search the vehicles").focus()
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".callout")).to_contain_text("fleet/truck")
    found = Axe().run(page.still().page).response["violations"]
    assert not found, json.dumps([(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found], indent=1)
    # The focus stays in its row while the list changes, and Escape leads to the button that opens the list again.
    broker.publish(("fleet/a", position(47.3, 9.5)))
    expect(panel.get_by_role("listitem")).to_have_count(5)
    expect(panel.get_by_role("listitem").filter(has_text="fleet/truck").get_by_role("button")).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(page.page.get_by_role("button", name="5 vehicles")).to_be_focused()
    page.page.keyboard.press("Enter")
    expect(page.page.get_by_role("searchbox", name="Search the vehicles")).to_be_focused()


def test_the_vehicles_outlast_another_map_type(shown, broker):
    four(broker)
    page = shown()
    drawn(page, 4)
    page.page.locator(".types-control > button").click()
    page.page.get_by_role("menuitemradio", name="Satellite").click()
    page.until("() => document.documentElement.dataset.type === 'satellite'")
    drawn(page, 4)


PLACES = """(places) => JSON.stringify(Object.fromEntries(map.getSource("fleet")?.serialize().data.features
  .map(({ properties, geometry }) => [properties.label, geometry.coordinates]) ?? [])) === JSON.stringify(places)"""


def test_a_vehicle_is_where_it_is_after_moves_and_after_it_has_come_back(shown, broker):
    # Each position is sent as a difference from the one before.
    now = int(time.time())
    broker.publish(("fleet/van7", position(47.14, 9.52, tst=now - 20)))
    page = shown()
    page.until(PLACES, {"fleet/van7": [9.52, 47.14]})
    for step, place in enumerate([(47.141, 9.53), (47.139001, 9.51), (47.14, 9.519999)]):
        broker.publish(("fleet/van7", position(*place, tst=now - 10 + step)))
        page.until(PLACES, {"fleet/van7": [place[1], place[0]]})
    broker.publish(("fleet/van7", ""))
    page.until(PLACES, {})
    broker.publish(("fleet/van7", position(47.145, 9.51, tst=now)))
    page.until(PLACES, {"fleet/van7": [9.51, 47.145]})


def test_the_phone_has_a_button_for_the_list(shown, broker):
    four(broker)
    page = shown(size=PHONE)
    # What is said of the own location is below it.
    button, pill = page.button("4 vehicles").bounding_box(), page.page.locator(".pill[data-status]").bounding_box()
    assert button["y"] + button["height"] <= pill["y"]
    page.button("4 vehicles").click()
    rows = page.page.get_by_role("group", name="Vehicles").get_by_role("listitem")
    expect(rows).to_have_count(4)
    rows.filter(has_text="van9").get_by_role("button").click()
    # The list gives way to the vehicle.
    expect(page.page.locator(".callout")).to_contain_text("fleet/van9")
    expect(page.button("4 vehicles")).to_be_focused()


def test_a_small_cluster_names_its_members_on_the_map_and_at_a_click(shown, broker):
    broker.publish(("fleet/van7", position(47.14, 9.52)), ("fleet/van8", position(47.1401, 9.5201)), ("fleet/truck", position(47.3, 9.6)))
    page = shown()
    page.page.get_by_role("group", name="Vehicles").get_by_role("listitem").nth(2).wait_for()
    page.jump(9.52, 47.14, 10)
    page.until("""() => map.queryRenderedFeatures({ layers: ["fleet:names"] }).some(({ properties }) => /van7/.test(properties.names) && /van8/.test(properties.names))""")
    page.page.mouse.click(*page.at(9.52005, 47.14005))
    callout = page.page.locator(".callout")
    expect(callout).to_contain_text("2 vehicles")
    callout.get_by_role("button", name="fleet/van8").click()
    expect(callout).to_contain_text(re.compile("fleet/van8.*Stopped", re.S))


def test_the_vehicle_that_is_followed_stays_in_the_middle_and_leaves_a_trail(shown, broker):
    broker.publish(("fleet/van7", position(47.14, 9.52, vel=36, cog=90)))
    page = shown()
    page.page.get_by_role("group", name="Vehicles").get_by_role("listitem").get_by_role("button").click()
    page.settled()
    callout = page.page.locator(".callout")
    callout.get_by_role("button", name="Follow", exact=True).click()
    for step in range(1, 4):
        broker.publish(("fleet/van7", position(47.14, 9.52 + step / 1000, vel=36, cog=90)))
        page.camera_until(f"Math.abs(c.longitude - {9.52 + step / 1000}) < 1e-5")
    page.until("""() => map.querySourceFeatures("fleet-trail").length > 0""")
    # A pan ends it, and so does the button.
    expect(callout.get_by_role("button", name="Stop following")).to_be_visible()
    page.drag_map(-150, 100, start=(700, 600))
    expect(callout.get_by_role("button", name="Follow", exact=True)).to_be_visible()
    where = page.settled()["center"]
    broker.publish(("fleet/van7", position(47.14, 9.53, vel=36, cog=90)))
    page.until("""() => map.querySourceFeatures("fleet-selected").some(({ geometry }) => geometry.coordinates[0] > 9.5295)""")
    assert page.camera()["center"] == where


AHEAD = """() => map.getSource("fleet-ahead")?.serialize().data.features.filter(({ geometry }) => geometry.type === "Point")
  .map(({ geometry }) => geometry.coordinates[0])"""


def test_a_vehicle_is_extrapolated_for_its_interval_at_most(shown, broker):
    # Two positions, 20 s apart and not kept by the broker, are an interval; 30 m/s to the east are 600 m in it.
    page = shown()
    now = int(time.time())
    broker.publish(*(("fleet/van7", position(47.14, 9.52, tst=now - age, vel=108, cog=90)) for age in (40, 20)))
    page.page.get_by_role("group", name="Vehicles").get_by_role("listitem").get_by_role("button").click()
    page.settled()
    page.until("(look) => (%s)()?.length === 1" % AHEAD)
    (east,) = page.page.evaluate(AHEAD)
    metres = (east - 9.52) * 111_320 * 0.6802
    assert abs(metres - 600) < 6, metres


def test_an_area_raises_alarms_that_stay_until_they_are_dismissed(shown, broker, site):
    four(broker)
    page = shown()
    panel = page.page.get_by_role("group", name="Vehicles")
    drawn(page, 4)
    panel.get_by_text("0 areas with alarms").click()
    panel.get_by_role("button", name="Add an area").click()
    form = page.page.get_by_role("form", name="New area")
    form.get_by_label("Name", exact=True).fill(HOSTILE)
    form.get_by_label("Radius in metres").fill("300")
    form.get_by_label("Only vehicles").fill("VAN")
    # A click moves it, and what is drawn follows the form.
    page.page.mouse.click(*page.at(9.52, 47.14))
    page.until("""() => map.querySourceFeatures("fleet-areas").some(({ properties }) => properties.isDraft)""")
    form.get_by_role("button", name="Save").click()
    area = panel.get_by_role("listitem").filter(has_text="Vehicles with VAN in their name")
    expect(area).to_contain_text(r"</span><img src=x onerror=alert(1)>\u{202E}evil")
    expect(area).to_contain_text("300 m")
    with open(os.path.join(site.file("data"), "locationd", "fleet-areas.geojson")) as file:
        (feature,) = json.load(file)["features"]
    assert feature["properties"]["name"] == HOSTILE and feature["properties"]["radius"] == 300
    # One that is there already raises none; one that comes, and one that goes, do. The truck is no van.
    broker.publish(("fleet/van8", position(47.1401, 9.5201)), ("fleet/truck", position(47.1401, 9.5201)))
    alarms = panel.get_by_role("log", name="Alarms").get_by_role("listitem")
    expect(alarms).to_have_count(1)
    expect(alarms).to_contain_text(re.compile(r"fleet/van8 entered </span><img src=x onerror=alert\(1\)>\\u\{202E\}evil\d+:\d\d"))
    broker.publish(("fleet/van7", position(47.2, 9.52)))
    expect(alarms).to_have_count(2)
    expect(alarms.first).to_contain_text("fleet/van7 left ")
    assert page.page.locator("img[src=x]").count() == 0
    # They outlast the page, and say so on a closed list.
    page.page.reload()
    page.idle()
    expect(alarms).to_have_count(2)
    page.page.get_by_role("searchbox", name="Search the vehicles").press("Escape")
    expect(page.page.get_by_role("button", name="4 vehicles")).to_contain_text("2 alarms")
    page.page.get_by_role("button", name="4 vehicles").click()
    alarms.first.get_by_role("button", name="Dismiss").click()
    expect(alarms).to_have_count(1)
    expect(alarms.first.get_by_role("button").first).to_be_focused()
    found = Axe().run(page.still().page).response["violations"]
    assert not found, json.dumps([(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found], indent=1)
    panel.get_by_role("button", name="Dismiss all").click()
    expect(alarms).to_have_count(0)
    # By keyboard, the area is edited and removed.
    panel.get_by_text("1 area with alarms").press("Enter")
    area.get_by_role("button").press("Enter")
    form = page.page.get_by_role("form", name="Area", exact=True)
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    form.get_by_role("button", name="Remove").press("Enter")
    expect(panel.get_by_text("0 areas with alarms")).to_be_focused()


class Database(Cluster):
    """A PostgreSQL with PostGIS and a socket, with the tables of a recorder, as it makes them."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="locationd-database-")
        super().__init__(self._directory.name)
        self.process = Program(self.server("lc_messages=C"))
        self.process.line("ready to accept connections")
        self.create()

    def record(self, broker):
        """Has a recorder make the tables, and record what the broker has."""
        recorder = Program([os.path.join(PROGRAMS, "locationd-fleet-recorder"), "record", "--broker", broker.socket, "--database", self.address])
        recorder.line("Recording the vehicles")
        recorder.end()

    def end(self):
        self.process.end(signal.SIGINT)
        self._directory.cleanup()


# A day in Vaduz at which summer time ends.
DAY = "2026-10-25"
ADD = """CREATE TABLE fleet.position_20261025 PARTITION OF fleet.position FOR VALUES FROM ('2026-10-25 00:00Z') TO ('2026-10-26 00:00Z');
INSERT INTO fleet.vehicle (topic, name) VALUES ('owntracks/fleet/van7', '</span><img src=x onerror=alert(1)>'), ('owntracks/fleet/van8', NULL);
INSERT INTO fleet.position (vehicle, time, point)
SELECT vehicle.id, timestamptz '2026-10-25 08:00Z' + s * interval '10 s', ST_MakePoint(9.5 + least(s, 60) * 0.0005, 47.1)::geography
FROM fleet.vehicle, generate_series(0, 120) s WHERE topic LIKE '%/van7';
INSERT INTO fleet.position (vehicle, time, point)
SELECT vehicle.id, timestamptz '2026-10-25 08:05Z', ST_MakePoint(9.51, 47.11)::geography FROM fleet.vehicle WHERE topic LIKE '%/van8';"""


@pytest.fixture
def database(broker):
    made = Database()
    made.record(broker)
    made.ask(ADD)
    yield made
    made.end()


def played(page):
    """The vehicles on the map, by label: their longitude and symbol."""
    return page.page.evaluate("""Object.fromEntries(map.getSource("fleet").serialize().data.features.map(({ geometry, properties }) =>
      [properties.label, [geometry.coordinates[0], properties.symbol]]))""")


def choose_time(page, hours, minutes):
    """Moves the slider to a time after the beginning of the day."""
    page.page.get_by_role("slider", name="Time of day").fill(str(hours * 3600 + minutes * 60))


def test_a_day_is_played_back_in_place_of_the_live_vehicles(shown, broker, database):
    four(broker)
    page = shown("--recorded", database.address, timezone_id="Europe/Vaduz")
    panel = page.page.get_by_role("group", name="Vehicles")
    expect(panel.get_by_role("listitem")).to_have_count(4)
    panel.get_by_role("button", name="Play back a day").click()
    bar = page.page.get_by_role("group", name="Playback")
    expect(bar.get_by_label("Day", exact=True)).to_be_focused()
    # Today nothing was recorded but what the broker had.
    bar.get_by_label("Day", exact=True).fill(DAY)
    expect(bar).to_contain_text("The live vehicles are hidden.")
    slider = bar.get_by_role("slider", name="Time of day")
    # The clocks went back in the night: nine o'clock is ten hours after midnight, and the day has 25.
    assert slider.get_attribute("max") == "90000"
    choose_time(page, 10, 5)
    expect(slider).to_have_attribute("aria-valuetext", "09:05:00")
    found = played(page)
    assert set(found) == {"fleet/van7", "fleet/van8"} and found["fleet/van7"][1] == "vehicle:0", found
    assert abs(found["fleet/van7"][0] - (9.5 + 30 * 0.0005)) < 2e-5, found
    row = panel.get_by_role("listitem").filter(has_text="fleet/van7")
    expect(row).to_contain_text(re.compile(r"Moving · 14 km/h · 90°"))
    expect(row).to_contain_text("</span><img src=x onerror=alert(1)>")
    assert page.page.locator("img[src=x]").count() == 0
    # It stops, and later nobody knows where it is.
    for minutes, van7, van8 in [(4, 0, None), (6, 0, 1), (15, 1, 2), (19, 1, 2), (23, 2, 3), (40, 3, 3)]:
        choose_time(page, 10, minutes)
        states = {label: int(symbol[-1]) for label, (_, symbol) in played(page).items()}
        assert states == {"fleet/van7": van7, **({} if van8 is None else {"fleet/van8": van8})}, (minutes, states)
    # Live messages change nothing meanwhile.
    broker.publish(("fleet/van9", position(47.3, 9.6, vel=0)))
    page.page.get_by_role("searchbox", name="Search the vehicles").fill("VAN8")
    expect(panel.get_by_role("listitem")).to_have_count(1)
    page.page.get_by_role("searchbox", name="Search the vehicles").fill("")
    # By keyboard a step is a minute, and it plays to the end of the day.
    slider.focus()
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "09:41:00")
    bar.get_by_label("Speed").select_option("600")
    slider.press("End")
    slider.press("ArrowLeft")
    bar.get_by_role("button", name="Play", exact=True).click()
    expect(slider).to_have_js_property("valueAsNumber", 90_000)
    expect(bar.get_by_role("button", name="Play", exact=True)).to_be_visible()
    found = Axe().run(page.still().page).response["violations"]
    assert not found, json.dumps([(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found], indent=1)
    bar.get_by_role("button", name="Back to the live vehicles").click()
    expect(panel.get_by_role("listitem")).to_have_count(4)
    expect(panel.get_by_role("listitem").filter(has_text="fleet/van9")).to_contain_text("Stopped")
    assert "fleet/truck" in played(page)


def test_without_a_broker_the_map_begins_with_the_past(site, database, open_page):
    site.serve("locationctl-map", policy={"Restricted": True})
    _, address = site.run("locationctl-map", "--recorded", database.address)
    page = open_page(address, locale="en-IE", timezone_id="America/New_York").idle()
    bar = page.page.get_by_role("group", name="Playback")
    expect(bar).to_contain_text("Nothing was recorded on this day.")
    expect(bar.get_by_role("button", name="Back to the live vehicles")).to_be_hidden()
    bar.get_by_label("Day", exact=True).fill("2026-03-08")
    expect(bar.get_by_role("slider")).to_have_attribute("max", "82800")
    bar.get_by_label("Day", exact=True).fill(DAY)
    # It begins with the first position, at four in New York, and the map goes there.
    expect(bar.get_by_role("slider")).to_have_attribute("aria-valuetext", "04:01:00")
    drawn(page, 1)


def test_a_database_that_is_gone_is_said(shown, broker, database):
    page = shown("--recorded", database.address)
    database.process.end(signal.SIGINT)
    page.page.get_by_role("button", name="Play back a day").click()
    expect(page.page.get_by_role("group", name="Playback")).to_contain_text(
        re.compile("The recorded positions could not be loaded. The database cannot be reached: "))


def test_a_browser_that_cannot_draw_lists_the_vehicles(site, broker, chromium):
    four(broker)
    broker.publish(("fleet/bad", "{"))
    site.serve("locationctl-map", policy={"Restricted": True})
    _, address = site.run("locationctl-map", "--fleet", broker.socket)
    page = chromium.new_context(locale="en-IE").new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(address)
    expect(page.get_by_role("heading", name="4 vehicles")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("listitem").filter(has_text="fleet/van7")).to_contain_text(
        re.compile(r"fleet/van7: Moving · 36 km/h · 90° · .* · 47.14000, 9.52000"))
    page.context.close()


def test_the_list_says_what_was_left_out(shown, broker):
    four(broker)
    broker.publish(("fleet/bad", "{"), ("fleet/secret", json.dumps({"_type": "encrypted", "data": "AA"})))
    page = shown()
    expect(page.page.get_by_role("group", name="Vehicles")).to_contain_text(
        "Left out: 1 message encrypted with a passphrase of OwnTracks. Left out: 1 message without a position that can be read.")
