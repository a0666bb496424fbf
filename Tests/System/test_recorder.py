"""The package locationd-fleet-recorder: installed, switched on, upgraded, removed and purged, with a broker and a database beside it."""
import json
import pathlib
import subprocess
import tempfile
import time

from package import PackageTestCase, package, release

UNIT = "locationd-fleet-recorder.service"
CONFIGURATION, PASSWORD = "/etc/locationd/fleet-recorder.conf", "/etc/locationd/fleet-recorder.password"
DATABASE = ["createuser locationd-fleet", "createdb --owner locationd-fleet fleet",
            "psql --quiet fleet --command 'CREATE EXTENSION postgis'"]


def recorder_package():
    """The package locationd-fleet-recorder, built if necessary."""
    return package("locationd-fleet-recorder", "deb-recorder")


class RecorderTests(PackageTestCase):
    suite = "bookworm+broker"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for command in DATABASE:
            cls.box.enter("runuser", "-u", "postgres", "--", "sh", "-c", f"cd /; {command}")

    @classmethod
    def connect_receiver(cls):
        """None: nothing here has a location of its own."""

    def state(self):
        return self.show(UNIT, "UnitFileState"), self.show(UNIT, "ActiveState")

    def publish(self, latitude):
        """Has a vehicle publish a position, with Mosquitto's configuration of the distribution: for this machine, without TLS."""
        position = {"_type": "location", "lat": latitude, "lon": 16.37, "tst": int(time.time())}
        self.box.enter("mosquitto_pub", "-q", "1", "-t", "owntracks/fleet/van7", "-m", json.dumps(position))

    def is_recorded(self, latitude):
        """Waits until a position is in the track of the vehicle."""
        def track():
            return self.box.enter("runuser", "-u", "locationd-fleet", "--", "locationctl", "fleet", "track", "van7", check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        self.eventually(lambda: f'lat="{latitude}"' in track(), 60, lambda: f"{latitude} in {track()}{self.journal('--unit', UNIT)}")

    def rows(self):
        """The number of recorded positions in the database."""
        return self.box.output("runuser", "-u", "postgres", "--", "psql", "--tuples-only", "--no-align", "fleet", "--command",
                               "SELECT count(*) FROM fleet.position")

    # The tests, in one, since each goes on where the one before has ended.

    def test_installation_upgrade_removal_and_purge(self):
        with self.subTest("an installation starts nothing"):
            self.install(recorder_package())
            self.assertEqual(self.state(), ("disabled", "inactive"))
        with self.subTest("switched on, it records"):
            self.write(CONFIGURATION, "BROKER=mqtt://localhost:1883\nOPTIONS=--plain-http\n")
            # The broker requires none.
            self.write(PASSWORD, "")
            self.box.enter("systemctl", "enable", "--now", UNIT, stderr=subprocess.DEVNULL)
            self.eventually(lambda: "Recording the vehicles at" in self.journal("--unit", UNIT))
            self.publish(48.2)
            self.is_recorded(48.2)
        with self.subTest("an upgrade keeps it on"):
            process = self.show(UNIT, "MainPID")
            directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
            self.install(release(recorder_package(), "99.0", directory))
            self.assertEqual(self.state(), ("enabled", "active"))
            self.assertNotIn(self.show(UNIT, "MainPID"), [process, "0"])
        with self.subTest("switched off, an upgrade leaves it off"):
            self.box.enter("systemctl", "disable", "--now", UNIT, stderr=subprocess.DEVNULL)
            self.install(release(recorder_package(), "99.1", directory))
            self.assertEqual(self.state(), ("disabled", "inactive"))
        with self.subTest("what was published while it was off is recorded"):
            self.publish(48.3)
            self.box.enter("systemctl", "enable", "--now", UNIT, stderr=subprocess.DEVNULL)
            self.is_recorded(48.3)
        with self.subTest("a removal stops it, and keeps its files"):
            self.box.enter("apt-get", "remove", "--yes", "locationd-fleet-recorder", stdout=subprocess.DEVNULL)
            self.assertEqual(self.show(UNIT, "ActiveState"), "inactive")
            self.assertTrue(self.box.path(CONFIGURATION).exists() and self.box.path(PASSWORD).exists())
        with self.subTest("a purge removes its files, and nothing of the database"):
            self.box.enter("apt-get", "purge", "--yes", "locationd-fleet-recorder", stdout=subprocess.DEVNULL)
            for file in [CONFIGURATION, PASSWORD, f"/etc/systemd/system/{UNIT}"]:
                self.assertFalse(self.box.path(file).is_symlink() or self.box.path(file).exists(), file)
            self.assertTrue(self.box.path("/etc/locationd/locationd.plist").exists())
            self.assertEqual(self.rows(), "2")
