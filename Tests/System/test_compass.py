"""The compass of a tablet, through the real iio-sensor-proxy, message bus and polkit."""
import json
import pathlib
import subprocess
import time

from boxtest import Conversation
from package import DECLARATION
from sources import SourcesTestCase

SENSOR_PROXY = "net.hadess.SensorProxy"
COMPASS = [SENSOR_PROXY, "/net/hadess/SensorProxy/Compass", f"{SENSOR_PROXY}.Compass"]
LOG = "/run/iio-sensor-proxy.log"
RULE = "/etc/polkit-1/rules.d/60-locationd-compass.rules"
STRANGER = "/usr/local/bin/stranger"
# The declinations at the beginning of 2025 and of 2030, by another program for the World Magnetic Model 2025 (pygeomag 1.1.0).
RECEIVER = (4.190, 4.859)
YAKUTSK = (-16.281, -16.503)
# What another compass is waited for.
PATIENCE = 3.5
# A receiver with a compass.
HEADINGS = """
import functools, socket, time
feed = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    body = "GPHDT,123.4,T"
    checksum = functools.reduce(lambda sum, character: sum ^ ord(character), body, 0)
    feed.sendto(f"${body}*{checksum:02X}\\r\\n".encode(), ("127.0.0.1", 20175))
    time.sleep(0.5)
"""


def true_heading(magnetic, declinations=RECEIVER):
    first, last = declinations
    years = (time.time() - 1735689600) / (365.25 * 86400)
    return (magnetic + first + (last - first) * years / 5) % 360


class CompassTests(SourcesTestCase):
    """With the iio-sensor-proxy of Debian 12, where the bus decides who may read the compass."""

    suite = "bookworm+sources"
    # What lets the service read the compass, and the unit that reads that.
    permission = ("/usr/share/dbus-1/system.d/org.locationd.conf", ["reload", "dbus.service"])

    @classmethod
    def setUpClass(cls):
        cls.skip_unless_available()
        super().setUpClass()
        cls.install_program("locationctl", STRANGER)
        cls.write("/etc/locationd/clients.d/org.locationd.locationctl.plist", DECLARATION)
        here = pathlib.Path(__file__).parent
        cls.box.copy(here.parents[1] / "Config/polkit/compass.rules", RULE, mode=0o644)
        cls.box.copy(here / "compass.py", "/root/compass.py")
        cls.box.enter("systemctl", "restart", "polkit.service")
        cls.tablet = Conversation(cls.box.spawn(
            "umockdev-wrapper", "python3", "-u", "/root/compass.py", options=["--unit=tablet"]))
        cls.addClassCleanup(cls.tablet.end)
        cls.testbed = cls.tablet.answer("")
        cls.tell("start")

    @classmethod
    def tell(cls, *commands):
        for command in commands:
            cls.tablet.tell(str(command))
            cls.tablet.expect(str(command))

    # The programs

    def watch(self, *options, user="alice", unit="watch"):
        """A program that wants every location and, unless the options say otherwise, every heading."""
        program = Conversation(self.box.spawn(
            "locationctl", "watch", "--format", "json", *(options or ["--heading"]),
            options=[f"--uid={user}", f"--unit={unit}"]))
        self.addCleanup(program.end)
        self.addCleanup(self.stop, unit)
        return program

    def stop(self, unit):
        self.box.enter("systemctl", "stop", f"{unit}.service", check=False, stderr=subprocess.DEVNULL)

    def next_of(self, program, key, timeout=20):
        """The next update with this key: `heading`, `latitude` or `diagnostic`."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            update = json.loads(program._next(timeout, key)[1])
            if key in update:
                return update[key]
        raise AssertionError(f"waited {timeout} s in vain for “{key}”")

    def heading(self, program, timeout=20):
        return self.next_of(program, "heading", timeout)["trueHeading"]

    def turned(self, program, expected):
        """Waits for this heading."""
        self.eventually(lambda: abs(self.heading(program) - expected) < 0.1, what=lambda: expected)

    def drain(self, program):
        """The headings that have come."""
        updates = [json.loads(program.lines.get()[1]) for _ in range(program.lines.qsize())]
        return [update["heading"]["trueHeading"] for update in updates if "heading" in update]

    # What iio-sensor-proxy and the service report

    def calls(self):
        """The calls that iio-sensor-proxy has accepted: `ClaimCompass` and `ReleaseCompass`."""
        lines = self.box.path(LOG).read_text().splitlines()
        return [line.split("'")[1] for line in lines if "refcounting method" in line]

    def is_claimed(self):
        return self.calls()[-1:] == ["ClaimCompass"]

    def released_within_a_second(self, what, action, *arguments):
        before = time.monotonic()
        action(*arguments)
        self.eventually(lambda: not self.is_claimed(), what=lambda: "the release")
        elapsed = time.monotonic() - before
        print(f"Debian {self.suite}: released {elapsed * 1000:.0f} ms after {what}, its command included")
        self.assertLess(elapsed, 1)

    def status(self):
        return self.box.output("locationctl", "status")

    def journal(self):
        return self.box.output("journalctl", "--quiet", "--output=cat", "--unit=locationd.service")

    def doctor(self):
        """What doctor finds about the compass, on this tablet."""
        result = self.box.enter(
            "env", f"UMOCKDEV_DIR={self.testbed}", "umockdev-wrapper", "locationctl", "doctor", "--format", "json",
            check=False, stdout=subprocess.PIPE, text=True, timeout=60)
        [finding] = [finding for finding in json.loads(result.stdout) if finding["identifier"] == "compass.heading"]
        return finding

    def setUp(self):
        self.assertFalse(self.is_claimed())
        self.tell(90)

    def tearDown(self):
        for unit in ["watch", "second"]:
            self.stop(unit)
        self.eventually(lambda: not self.is_claimed(), what=lambda: "the release")

    # The tests

    def test_claimed_while_needed(self):
        program = self.watch("--count", "1000")
        deadline = time.monotonic() + PATIENCE + 1
        while time.monotonic() < deadline:
            self.next_of(program, "latitude")
        self.assertFalse(self.is_claimed(), "nobody wants a heading")
        self.stop("watch")

        program = self.watch()
        second = self.watch(user="bob", unit="second")
        self.heading(program)
        self.assertTrue(self.is_claimed())
        self.stop("watch")
        self.drain(second)
        self.heading(second)
        self.assertTrue(self.is_claimed(), "another program wants headings")
        self.released_within_a_second("the last program ended", self.stop, "second")

    def test_true_heading(self):
        program = self.watch()
        self.assertAlmostEqual(self.heading(program), true_heading(90), delta=0.1)
        for magnetic in [359, 0.5, 181.25]:
            self.tell(magnetic)
            self.turned(program, true_heading(magnetic))
        self.assertEqual(self.next_of(program, "heading")["sourceInformation"]["device"], "compass")
        self.assertNotIn("compass ", self.status())
        self.stop("watch")
        self.eventually(lambda: not self.is_claimed())
        # Not where it pointed then.
        self.tell(270)
        self.assertAlmostEqual(self.heading(self.watch(unit="second")), true_heading(270), delta=0.1)

    def test_frames_turn_with_it(self):
        program = Conversation(self.box.spawn(
            "locationctl", "follow", "--format", "json", options=["--uid=alice", "--unit=watch"]))
        self.addCleanup(program.end)
        self.assertAlmostEqual(self.next_of(program, "heading"), true_heading(90), delta=0.1)
        self.assertTrue(self.is_claimed())
        self.released_within_a_second("the last program that follows ended", self.stop, "watch")

    def test_declination_at_the_fixed_position(self):
        self.box.enter("systemctl", "stop", "gpsd.socket", "gpsd.service", stderr=subprocess.DEVNULL)
        self.addCleanup(self.box.enter, "systemctl", "start", "gpsd.socket")
        self.box.output("locationctl", "sources", "fixed", "set", "62", "129.7")
        self.addCleanup(self.box.output, "locationctl", "sources", "fixed", "clear")
        program = self.watch()
        self.assertAlmostEqual(self.heading(program), true_heading(90, YAKUTSK), delta=0.1)

    def test_location_services_off(self):
        program = self.watch()
        self.heading(program)
        self.addCleanup(self.box.output, "locationctl", "on", "--system")
        self.released_within_a_second(
            "location services were switched off", self.box.output, "locationctl", "off", "--system")
        self.drain(program)
        self.box.output("locationctl", "on", "--system")
        self.heading(self.watch(unit="second"))

    def test_compass_goes_away(self):
        program = self.watch()
        self.heading(program)
        self.addCleanup(self.tell, "add")
        self.tell("remove")
        removed = time.monotonic()
        self.eventually(lambda: "Neither a receiver nor the machine has a compass." in self.status(),
                        what=self.status)
        print(f"Debian {self.suite}: the loss was known after {time.monotonic() - removed:.1f} s")
        self.assertLess(time.monotonic() - removed, 2.5)
        self.drain(program)
        for _ in range(12):
            self.next_of(program, "latitude")
        self.assertEqual(self.drain(program), [])
        self.tell(200, "add")
        self.assertAlmostEqual(self.heading(program), true_heading(200), delta=0.1, msg="not the heading from before")
        self.assertNotIn("compass ", self.status())
        # iio-sensor-proxy has the claim, too: further headings come.
        self.tell(300)
        self.turned(program, true_heading(300))

    def test_iio_sensor_proxy_ends(self):
        program = self.watch()
        self.heading(program)
        self.tell("stop")
        self.eventually(lambda: "sudo apt install iio-sensor-proxy" in self.status(), what=self.status)
        self.assertEqual(self.doctor()["severity"], "problem")
        self.drain(program)
        self.tell(45, "start")
        self.assertAlmostEqual(self.heading(program), true_heading(45), delta=0.1)

    def test_receiver_with_a_compass_wins(self):
        program = self.watch()
        self.assertAlmostEqual(self.heading(program), true_heading(90), delta=0.1)
        self.write("/root/headings.py", HEADINGS)
        self.box.start("receiver", "python3", "/root/headings.py")
        self.addCleanup(self.stop, "receiver")
        self.eventually(lambda: not self.is_claimed(), what=lambda: "the release")
        self.drain(program)
        time.sleep(PATIENCE + 1)
        self.assertEqual(set(self.drain(program)), {123.4})
        self.assertFalse(self.is_claimed())
        self.stop("receiver")
        self.turned(program, true_heading(90))

    def test_others_get_none(self):
        # Not from the service.
        result = self.ask(STRANGER, "watch", "--heading", "--format", "json", code=77)
        self.assertNotIn("trueHeading", result)
        self.assertFalse(self.is_claimed())
        # Nor from iio-sensor-proxy, by the service's permission.
        program = self.watch()
        self.heading(program)
        for user in ["alice", "bob"]:
            result = self.ask("busctl", "--system", "call", *COMPASS, "ClaimCompass", user=user, code=1)
            self.assertIn("Access denied", result)

    def test_without_the_permission(self):
        file, action = self.permission
        self.assertEqual(self.doctor()["severity"], "ok")
        self.addCleanup(self.box.enter, "systemctl", *action)
        self.addCleanup(self.box.enter, "mv", "/root/permission", file)
        self.box.enter("mv", file, "/root/permission")
        self.box.enter("systemctl", *action)
        program = self.watch()
        self.next_of(program, "latitude")
        refusal = "does not let this service use the compass"
        self.eventually(lambda: refusal in self.status(), what=self.status)
        self.assertIn(refusal, self.journal())
        self.assertEqual(self.drain(program), [])
        finding = self.doctor()
        self.assertEqual(finding["severity"], "problem")
        self.assertIn("sudo apt install --reinstall ./locationd_*.deb", finding["remedy"])


class Debian13CompassTests(CompassTests):
    """From iio-sensor-proxy 3.6 on, where polkit decides who may read the compass."""

    suite = "trixie+sources"
    permission = (RULE, ["restart", "polkit.service"])
