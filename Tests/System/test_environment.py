"""The installed service on a faulty machine: disk, clock and network."""
import datetime
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from boxtest import Conversation
from service import ServiceTestCase

YEAR = 365 * 86_400
CLOCK_OFFSET = "/run/clock-offset"
FAKE_CLOCK = f"""[Service]
Environment=LD_PRELOAD=/usr/local/lib/clock.so CLOCK_OFFSET={CLOCK_OFFSET}
"""
# An address reserved for documentation: RFC 5737.
ELSEWHERE = "192.0.2.1"
LISTENER = """
import socket, sys
listener = socket.create_server((sys.argv[1], 2947))
print("listening", flush=True)
while True:
    listener.accept()[0].close()
    print("connected", flush=True)
"""


class DiskTests(ServiceTestCase):
    def test_state_directory_that_is_full(self):
        self.cannot_start("size=16k", "there is no space left", fill=True)

    def test_state_directory_that_is_read_only(self):
        self.cannot_start("ro", "must be writable")

    def mount(self, options):
        """Mounts another file system on the state directory, and stops the service."""
        self.box.enter("systemctl", "stop", "locationd.service", stderr=subprocess.DEVNULL)
        uid, gid = self.box.output("id", "-u", "locationd"), self.box.output("id", "-g", "locationd")
        self.box.enter("mount", "-t", "tmpfs", "-o", f"{options},mode=0700,uid={uid},gid={gid}", "tmpfs",
                       "/var/lib/locationd")

    def fill(self):
        self.box.enter("sh", "-c", "cat /dev/zero > /var/lib/locationd/zeroes", check=False, stderr=subprocess.DEVNULL)

    def cannot_start(self, options, reason, fill=False):
        """Exits with 74 while the state directory is unusable, and recovers by itself soon after."""
        self.mount(options)
        try:
            if fill:
                self.fill()
            self.box.enter("systemctl", "start", "locationd.service", check=False, stderr=subprocess.DEVNULL)
            self.assertEqual(self.show("locationd.service", "ExecMainStatus"), "74")
            self.assertIn(reason, self.show("locationd.service", "StatusText"))
        finally:
            self.box.enter("umount", "/var/lib/locationd")
        self.ask("locationctl", "status")

    def test_disk_that_fills_up_while_it_runs(self):
        self.declare("weather")
        self.mount("size=96k")
        try:
            self.ask("locationctl", "status")
            running = self.main_pid
            self.fill()
            reason = "there is no space left for /var/lib/locationd/locationd.db"
            self.assertIn(reason, self.ask("locationctl", "allow", "org.example.Weather", code=1))
            self.assertIn(reason, self.journal("LOCATIOND_CLIENT=org.example.Weather"))
            self.assertEqual(self.status_of("org.example.Weather"), "notDetermined")
            # A restriction takes effect even so, with a warning that it will be forgotten.
            self.assertIn(reason, self.ask("locationctl", "deny", "org.example.Weather", code=1))
            self.assertEqual(self.status_of("org.example.Weather"), "denied")
            self.box.enter("rm", "/var/lib/locationd/zeroes")
            self.ask("locationctl", "allow", "org.example.Weather")
            self.assertEqual(self.status_of("org.example.Weather"), "authorizedWhenInUse")
            self.assertEqual(self.main_pid, running)
        finally:
            self.box.enter("systemctl", "stop", "locationd.service", stderr=subprocess.DEVNULL)
            self.box.enter("umount", "/var/lib/locationd")

    def test_damaged_file(self):
        self.declare("weather")
        self.ask("locationctl", "deny", "org.example.Weather")
        self.box.enter("systemctl", "stop", "locationd.service", stderr=subprocess.DEVNULL)
        database = self.box.path("/var/lib/locationd/locationd.db")
        database.write_bytes(b"x" * 8192)
        # Off until an administrator decides, also after a restart.
        self.assertEqual(self.status_of("org.example.Weather"), "denied")
        self.box.enter("systemctl", "restart", "locationd.service")
        self.assertEqual(self.status_of("org.example.Weather"), "denied")
        self.ask("locationctl", "on", "--system", user="root")
        self.assertEqual(self.status_of("org.example.Weather"), "notDetermined")
        [lost] = self.journal("MESSAGE_ID=89c85cde69e442fc8cc5d73940c67b12").splitlines()
        self.assertRegex(lost, r"^The decisions could not be read \(.*\), except \d+ denials and other restrictions\. The old file is kept as "
                               r"/var/lib/locationd/locationd\.db\.damaged-")
        aside = database.parent / lost.rpartition("/")[2].removesuffix(".")
        self.assertEqual(aside.read_bytes(), b"x" * 8192)

    def status_of(self, client):
        clients = json.loads(self.ask("locationctl", "clients", "--format", "json"))
        return next(entry["status"] for entry in clients if entry["client"] == client)


class ClockTests(ServiceTestCase):
    def setUp(self):
        super().setUp()
        with tempfile.TemporaryDirectory() as directory:
            library = pathlib.Path(directory) / "clock.so"
            source = pathlib.Path(__file__).with_name("clock.c")
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
            self.box.copy(library, "/usr/local/lib/clock.so")
        self.set_clock(0)
        self.addCleanup(self.box.enter, "systemctl", "stop", "gpsd.service")
        for unit in ["locationd.service", "gpsd.service"]:
            self.override(unit, FAKE_CLOCK)
        self.start_anew()
        self.declare("weather")
        self.ask("locationctl", "deny", "org.example.Weather")

    def set_clock(self, offset):
        # Written in place, because the programs have mapped the file.
        path = self.box.path(CLOCK_OFFSET)
        with open(path, "r+b" if path.exists() else "wb") as file:
            file.write(struct.pack("q", offset))
        path.chmod(0o644)

    def start_anew(self):
        self.box.enter("systemctl", "stop", "gpsd.service")
        self.restart()

    def check(self, years):
        """Decisions stay in force, locations have the receiver's time, and history has the machine's."""
        now = datetime.datetime.now(datetime.timezone.utc)
        clients = json.loads(self.ask("locationctl", "clients", "--format", "json"))
        self.assertIn(("org.example.Weather", "denied"), [(entry["client"], entry["status"]) for entry in clients])
        self.ask("weather", "get", code=77)
        location = json.loads(self.ask("locationctl", "get", "--format", "json", user="bob"))
        self.assertLess(abs(moment(location["timestamp"]) - now), datetime.timedelta(minutes=1))
        machine = now + datetime.timedelta(seconds=years * YEAR)
        history = json.loads(self.ask("locationctl", "history", "--format", "json", user="bob"))
        self.assertEqual([session["count"] for session in history
                          if abs(moment(session["to"]) - machine) < datetime.timedelta(minutes=1)], [1])

    def test_clock_that_is_wrong_from_the_start(self):
        for years in [20, -20]:
            with self.subTest(years=years):
                self.set_clock(years * YEAR)
                self.start_anew()
                self.check(years)

    def test_clock_past_the_range_of_timestamps(self):
        # They end in 2262. The history then has the last of them.
        for years in [300, 200_000]:
            with self.subTest(years=years):
                self.set_clock(years * YEAR)
                self.start_anew()
                self.ask("weather", "get", code=77)
                self.assertIn('"latitude"', self.ask("locationctl", "get", "--format", "json", user="bob"))
                self.assertIn("2262-04-11", self.ask("locationctl", "history", "--since", "1d", user="bob"))
                self.assertEqual(self.show("locationd.service", "NRestarts"), "0")

    def test_clock_that_is_set_while_it_runs(self):
        watcher = self.watch(user="alice")
        running = self.main_pid
        for years in [20, -20, 0]:
            with self.subTest(years=years):
                self.set_clock(years * YEAR)
                for _ in range(4):
                    self.assertIn('"latitude"', watcher.answer(""))
        for session in json.loads(self.ask("locationctl", "history", "--format", "json")):
            self.assertLessEqual(moment(session["from"]), moment(session["to"]))
        self.assertEqual(self.main_pid, running)
        self.check(0)


class NetworkTests(ServiceTestCase):
    """The service can only connect to this machine, as its unit says."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.net("ip", "address", "add", f"{ELSEWHERE}/32", "dev", "lo")

    @classmethod
    def net(cls, *command):
        """Runs a program of this machine in the box's network namespace."""
        subprocess.run(["nsenter", f"--target={cls.box.leader}", "--net", *command], check=True)

    def test_only_this_machine_can_be_reached(self):
        listener = Conversation(subprocess.Popen(
            ["nsenter", f"--target={self.box.leader}", "--net", sys.executable, "-c", LISTENER, ELSEWHERE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1))
        self.addCleanup(listener.end)
        self.addCleanup(listener.process.kill)
        listener.expect("listening")
        self.edit("127.0.0.1", ELSEWHERE)
        self.reload()
        watcher = self.watch(first="locationUnavailable")
        # Nothing answers the attempt, so it ends with its time.
        self.eventually(lambda: f"{ELSEWHERE}:2947 cannot be reached" in self.ask("locationctl", "status"))
        # With the drop-in of locationd.plist(5); the first output comes after it.
        self.stop(watcher)
        self.assertTrue(listener.lines.empty())
        self.override("locationd.service", f"[Service]\nIPAddressAllow={ELSEWHERE}\n")
        self.restart()
        self.watch(first="locationUnavailable")
        listener.expect("connected")

    def test_gpsd_is_started_when_somebody_needs_it(self):
        # For GeoClue's programs the service watches all the time whether gpsd has a receiver.
        self.box.output("locationctl", "geoclue", "off")
        self.addCleanup(self.box.output, "locationctl", "geoclue", "on")
        self.box.enter("systemctl", "stop", "gpsd.service")
        self.restart()
        self.ask("locationctl", "status")
        self.assertEqual(self.show("gpsd.service", "ActiveState"), "inactive")
        self.ask("locationctl", "get")
        self.assertEqual(self.show("gpsd.service", "ActiveState"), "active")


def moment(text):
    """The time of a timestamp in the service's output."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
