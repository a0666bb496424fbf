"""Installation, upgrade, removal and purge of the package on a minimal system."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from boxtest import BoxTestCase, Terminal
from package import SOCKET, PackageTestCase, package, python_package, release
from service import ServiceTestCase

PLIST = "/etc/locationd/locationd.plist"


class PolicyTests(unittest.TestCase):
    """Needs no box."""

    def test_lintian_finds_nothing(self):
        others = [package(f"locationd-{name}", f"deb-{name}") for name in ["network", "share", "map"]]
        recorder = package("locationd-fleet-recorder", "deb-recorder")
        for file in [package(), python_package(), recorder, *others]:
            result = subprocess.run(["lintian", "--allow-root", "--fail-on=error,warning", file],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual((result.returncode, result.stdout), (0, ""))


class LifeOfThePackageTests(PackageTestCase):
    @classmethod
    def setUpClass(cls):
        BoxTestCase.setUpClass.__func__(cls)

    def test_life(self):
        self.assertEqual(self.box.enter("sh", "-c", "find / -xdev -name 'libswift*' | grep .", check=False,
                                        stdout=subprocess.PIPE).stdout, b"")

        # Install.
        self.install()
        self.assertEqual(self.show("locationd.socket", "UnitFileState"), "enabled")
        self.assertEqual(self.show("locationd.socket", "ActiveState"), "active")
        self.assertEqual(self.show("locationd.service", "ActiveState"), "inactive")
        self.assertEqual(oct(self.box.path(SOCKET).stat().st_mode & 0o777), "0o666")
        # The bus starts it in GeoClue's name, too.
        self.assertEqual(self.show("dbus-org.freedesktop.GeoClue2.service", "Id"), "locationd.service")
        self.assertIn("The location service is ready", self.box.output("journalctl", "--list-catalog"))
        for page in ["8/locationd.8", "1/locationctl.1", "5/locationd.plist.5", "7/org.locationd.7"]:
            self.assertTrue(self.box.path(f"/usr/share/man/man{page}.gz").exists())

        # For the administrator's own files.
        self.assertEqual(oct(self.box.path(PLIST + ".d").stat().st_mode), "0o40755")
        self.assertIn(PLIST + ".d", self.box.output("dpkg", "--listfiles", "locationd"))

        # The first client starts the service.
        self.assertIn("locationd 0.", self.ask("locationctl", "status"))
        self.assertEqual(self.show("locationd.service", "ActiveState"), "active")
        self.assertEqual(self.ask("locationctl", "config", "check"), "No problems found.")

        self.ask("locationctl", "deny", "org.locationd.locationctl")
        # An upgrade leaves disabled units disabled.
        self.box.enter("systemctl", "disable", "--now", "locationd.socket", "locationd.service",
                       stderr=subprocess.DEVNULL)
        self.box.enter("dpkg-reconfigure", "--frontend=noninteractive", "locationd", stderr=subprocess.DEVNULL)
        self.assertEqual(self.show("locationd.socket", "UnitFileState"), "disabled")
        self.box.enter("systemctl", "enable", "--now", "locationd.socket", stderr=subprocess.DEVNULL)

        # Remove.
        self.ask("locationctl", "status")
        said = self.box.enter("apt-get", "remove", "--yes", "locationd", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True).stdout
        self.assertNotIn("--undo", said)
        self.assertFalse(self.box.path(SOCKET).exists())
        self.assertTrue(self.box.path("/var/lib/locationd/locationd.db").exists())
        self.assertTrue(self.box.path(PLIST).exists())
        self.assertEqual(self.main_pid, 0)

        # Install again.
        self.install()
        clients = json.loads(self.ask("locationctl", "clients", "--format", "json"))
        self.assertEqual([each["status"] for each in clients if each["client"] == "org.locationd.locationctl"], ["denied"])

        # Purge.
        self.box.enter("apt-get", "purge", "--yes", "locationd", stdout=subprocess.DEVNULL)
        for directory in ["/var/lib/locationd", "/etc/locationd", "/run/locationd", "/usr/share/locationd"]:
            self.assertFalse(self.box.path(directory).exists(), directory)
        self.assertEqual(self.show("locationd.socket", "LoadState"), "not-found")
        left = self.box.output("find", "/", "-xdev", "(", "-path", "/proc", "-o", "-path", "/root", ")", "-prune", "-o",
                               "-name", "*locationd*", "-print")
        self.assertEqual(left, "")
        # The user stays with its id; otherwise old files would later belong to somebody else.
        self.box.enter("id", "locationd", stdout=subprocess.DEVNULL)


class FixedGPSDTests(PackageTestCase):
    """What doctor --fix wrote for gpsd goes with the package."""

    DROP_IN = "/etc/systemd/system/gpsd.socket.d/locationd.conf"
    SERVICE_DROP_IN = "/etc/systemd/system/gpsd.service.d/locationd.conf"

    def fix(self):
        self.install()
        self.box.enter("locationctl", "doctor", "--fix", "--yes", check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        self.assertFalse(self.gpsd_answers())
        return self.box.path(self.DROP_IN).read_text(), self.box.path(self.SERVICE_DROP_IN).read_text()

    def is_open(self):
        """True if gpsd answers everybody, and everybody can read its shared memory."""
        answers = self.gpsd_answers()
        segments = [line.split()[:3] for line in self.box.output("cat", "/proc/sysvipc/shm").splitlines()]
        return answers and "666" in [mode for key, _, mode in segments if key == str(0x47505344)]

    def apt(self, *arguments):
        return self.box.enter("apt-get", *arguments, "--yes", "locationd", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True).stdout

    def test_gpsd_after_the_package(self):
        self.assertTrue(self.is_open())
        for command in ["remove", "purge"]:
            with self.subTest(command):
                written = self.fix()
                said = self.apt(command)
                self.assertIn(f"remove {self.DROP_IN}", said)
                for file in [self.DROP_IN, self.SERVICE_DROP_IN]:
                    self.assertFalse(self.box.path(file).parent.exists())
                self.assertTrue(self.is_open())
        # A drop-in that an earlier release has left is found when the package is purged.
        self.install()
        self.apt("remove")
        for file, text in zip([self.DROP_IN, self.SERVICE_DROP_IN], written):
            self.box.path(file).parent.mkdir()
            self.box.path(file).write_text(text)
        self.restart_gpsd()
        self.box.enter("systemctl", "start", "gpsd.service")
        self.assertFalse(self.is_open())
        self.apt("purge")
        for file in [self.DROP_IN, self.SERVICE_DROP_IN]:
            self.assertFalse(self.box.path(file).parent.exists())
        self.assertTrue(self.is_open())

    def test_changed_drop_in_stays(self):
        written, _ = self.fix()
        drop_in = self.box.path(self.DROP_IN)
        self.addCleanup(self.restart_gpsd)
        self.addCleanup(lambda: (drop_in.unlink(), drop_in.parent.rmdir()))
        drop_in.write_text(written.replace("SocketMode=0600", "SocketMode=0660"))
        for command in ["remove", "purge"]:
            self.assertIn(f"{self.DROP_IN} stays, because it was changed", self.apt(command))
            self.assertTrue(drop_in.exists())

    def restart_gpsd(self):
        self.box.enter("systemctl", "daemon-reload")
        self.box.enter("systemctl", "stop", "gpsd.socket", "gpsd.service", stderr=subprocess.DEVNULL)
        self.box.enter("systemctl", "start", "gpsd.socket")


class TwoStepsTests(PackageTestCase):
    """An installation that unpacks first and configures later, as with many packages."""

    @classmethod
    def setUpClass(cls):
        BoxTestCase.setUpClass.__func__(cls)

    def test_programs_that_ask_geoclue_are_served(self):
        self.box.copy(package(), "/root/locationd.deb", mode=0o644)
        self.box.enter("dpkg", "--unpack", "/root/locationd.deb", stdout=subprocess.DEVNULL)
        # The bus reads the policy now, without a user locationd.
        self.box.enter("systemctl", "reload", "dbus.service")
        self.box.enter("dpkg", "--configure", "locationd", stdout=subprocess.DEVNULL)
        level = self.ask("busctl", "--system", "get-property", "org.freedesktop.GeoClue2",
                         "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager", "AvailableAccuracyLevel")
        self.assertEqual(level, "u 8")
        self.assertIn("front end     GeoClue: open", self.ask("locationctl", "status"))

        # Without the policy, status and doctor say what the service reports.
        policy = self.box.path("/usr/share/dbus-1/system.d/org.locationd.conf")
        text = policy.read_text()
        policy.write_text(text.replace('own="org.freedesktop.GeoClue2"', 'own="org.example.Other"'))
        self.box.enter("systemctl", "reload", "dbus.service")
        self.box.enter("systemctl", "restart", "locationd.service")
        self.assertIn("the bus does not let this service have the name", self.ask("locationctl", "status"))
        self.assertEqual(self.geoclue()["severity"], "problem")
        # As doctor says.
        policy.write_text(text)
        [remedy] = re.findall("sudo (systemctl .*) && sudo (systemctl .*)", self.geoclue()["remedy"])
        for command in remedy:
            self.box.enter("sh", "-c", command)
        self.assertEqual(self.geoclue()["severity"], "ok")
        self.assertIn("front end     GeoClue: open", self.ask("locationctl", "status"))

    def geoclue(self):
        findings = self.box.enter("locationctl", "doctor", "--format", "json", check=False,
                                  stdout=subprocess.PIPE, text=True).stdout
        [finding] = [each for each in json.loads(findings) if each["identifier"] == "geoclue.name"]
        return finding


class BesideGeoClueTests(PackageTestCase):
    """GeoClue's name and its unit's, where GeoClue is installed and gpsd has a receiver."""

    suite = "bookworm+clients"
    OURS, GEOCLUES = "8", "0"

    @classmethod
    def setUpClass(cls):
        BoxTestCase.setUpClass.__func__(cls)
        cls.connect_receiver()

    def level(self):
        """What a program that asks GeoClue hears: GeoClue, which does not know gpsd, has no accuracy to offer."""
        return self.ask("busctl", "--system", "get-property", "org.freedesktop.GeoClue2",
                        "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager",
                        "AvailableAccuracyLevel").removeprefix("u ")

    def doctor(self):
        findings = self.box.enter("locationctl", "doctor", "--format", "json", check=False,
                                  stdout=subprocess.PIPE, text=True).stdout
        [finding] = [each for each in json.loads(findings) if each["identifier"] == "geoclue.name"]
        return finding["severity"]

    def test_names(self):
        # GeoClue runs when the package comes.
        self.assertEqual(self.level(), self.GEOCLUES)
        self.install()
        self.assertEqual((self.level(), self.doctor()), (self.OURS, "ok"))
        self.assertEqual(self.show("geoclue.service", "Id"), "locationd.service")

        # As doctor says how to give the name back, and how an upgrade leaves it.
        path = self.box.path(PLIST)
        before = path.read_text()
        path.write_text(before.replace("\n    <key>PromptTimeout", "\n    <key>GeoClue</key><dict><key>Enabled</key>"
                                       "<false/></dict>\n    <key>PromptTimeout"))
        self.ask("locationctl", "config", "reload", user="root")
        self.assertEqual(self.doctor(), "problem")
        self.box.enter("systemctl", "disable", "locationd.service", stderr=subprocess.DEVNULL)
        self.assertEqual((self.level(), self.doctor()), (self.GEOCLUES, "ok"))
        self.box.enter("dpkg-reconfigure", "--frontend=noninteractive", "locationd", stderr=subprocess.DEVNULL)
        self.assertEqual(self.show("geoclue.service", "Id"), "geoclue.service")

        # And back again.
        path.write_text(before)
        self.box.enter("systemctl", "stop", "geoclue.service")
        self.box.enter("systemctl", "enable", "locationd.service", stderr=subprocess.DEVNULL)
        self.box.enter("systemctl", "restart", "locationd.service")
        self.eventually(lambda: self.doctor() == "ok")
        self.assertEqual(self.level(), self.OURS)

        self.box.enter("apt-get", "remove", "--yes", "locationd", stdout=subprocess.DEVNULL)
        self.assertEqual(self.level(), self.GEOCLUES)


class UpgradeTests(ServiceTestCase):
    """The release in $LOCATIOND_PREVIOUS_PACKAGE, or this package with an older version."""

    @classmethod
    def first_package(cls):
        given = os.environ.get("LOCATIOND_PREVIOUS_PACKAGE")
        if given:
            return pathlib.Path(given)
        return release(package(), "0.0.1", cls.enterClassContext(tempfile.TemporaryDirectory()))

    def install_next(self, directory):
        """Installs a future release with a changed configuration."""
        def change(root):
            plist = root / PLIST.lstrip("/")
            plist.write_text(plist.read_text().replace("<dict>", "<!-- Of the next release. -->\n<dict>", 1))

        self.install(release(package(), "99", directory, change), "--option=Dpkg::Options::=--force-confold")

    def test_upgrade(self):
        self.declare("weather")
        self.declare("tracker")
        self.declare("compass", policy="always")
        self.ask("locationctl", "deny", "org.example.Weather")
        self.ask("locationctl", "allow", "--always", "org.example.Tracker", user="bob")
        decided = [self.decisions(user) for user in ["alice", "bob"]]
        self.edit("<integer>60</integer>", "<integer>61</integer>")
        running, geofences = self.start_locationctl()
        # Not with locationctl, because a replaced executable no longer identifies its process.
        subscribers = [self.watch(user, "compass") for user in ["alice", "bob"] * 5]
        before, started = self.main_pid, geofences()
        self.assertIsNotNone(started)
        asking = self.keep_asking()
        with tempfile.TemporaryDirectory() as directory:
            self.install_next(directory)
        self.nobody_was_turned_away([asking])

        running.expect("/usr/bin/locationctl was replaced while this program was running.* Start it again")
        self.eventually(lambda: geofences() not in (None, started), 60, lambda: "the unit of the geofences runs as the new program")
        self.assertNotIn("No unit is started now", self.of_alice("locationctl", "monitor"))
        self.of_alice("systemctl", "--user", "stop", "locationd-geofences.service")
        self.assertIn("No unit is started now", self.of_alice("locationctl", "monitor"))
        self.assertIn("user.geofences", self.of_alice("sh", "-c", "locationctl doctor --format json || true"))

        self.assertNotIn(self.main_pid, (0, before))
        self.assertEqual(self.box.output("dpkg-query", "-Wf", "${Version}", "locationd"), "99")
        for subscriber in subscribers:
            self.hears_again(subscriber)
        self.assertEqual([self.decisions(user) for user in ["alice", "bob"]], decided)
        self.assertIn("<integer>61</integer>", self.box.path(PLIST).read_text())
        self.assertIn("Of the next release.", self.box.path(f"{PLIST}.dpkg-dist").read_text())
        self.assertTrue(self.box.path("/etc/locationd/clients.d/weather.plist").exists())
        self.assertEqual(self.journal("MESSAGE_ID=89c85cde69e442fc8cc5d73940c67b12"), "", "no decision was lost")

    def of_alice(self, *command):
        return self.ask("env", "XDG_RUNTIME_DIR=/run/user/1000", *command)

    def start_locationctl(self):
        """Starts what runs for long: `watch` in a terminal, and the unit of the geofences. Returns the terminal, and a function for
        the unit's process id that is None while none has a location service."""
        self.box.enter("systemctl", "start", "user@1000.service")
        self.box.enter("install", "--directory", "--owner=alice", "--group=alice", *(
            f"/home/alice/{part}" for part in [".config", ".config/systemd", ".config/systemd/user"]))
        self.write("/home/alice/.config/systemd/user/gate.service", "[Service]\nExecStart=/bin/sleep infinity\n")
        self.of_alice("systemctl", "--user", "daemon-reload")
        self.of_alice("locationctl", "monitor", "add", "gate", "10", "10", "--start", "gate.service")
        terminal = Terminal(self.box.terminal("watch.service", "locationctl", "watch", user="alice", session="tty"))
        self.addCleanup(terminal.end)
        terminal.expect("[0-9]")

        def geofences():
            shown = self.of_alice("systemctl", "--user", "show", "--property=ActiveState,MainPID", "locationd-geofences.service")
            state = dict(line.split("=") for line in shown.splitlines())
            return int(state["MainPID"]) if state["ActiveState"] == "active" else None

        return terminal, geofences

    def decisions(self, user):
        clients = json.loads(self.ask("locationctl", "clients", "--format", "json", user=user))
        return {entry["client"]: (entry["status"], entry["accuracy"]) for entry in clients}
