"""The life of the package on a bare system: installed, upgraded, removed, purged."""
import json
import subprocess
import tempfile
import pathlib

from boxtest import BoxTestCase
from package import SOCKET, PackageTestCase, package


def newer(file, directory):
    """The same package as a release to come."""
    root = directory / "root"
    subprocess.run(["dpkg-deb", "--raw-extract", file, root], check=True)
    control = root / "DEBIAN/control"
    control.write_text(control.read_text().replace("\nVersion: ", "\nVersion: 99."))
    result = directory / "newer.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", root, result],
                   check=True, stdout=subprocess.DEVNULL)
    return result


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
        self.assertIn("The location service is ready", self.box.output("journalctl", "--list-catalog"))
        for page in ["8/locationd.8", "1/locationctl.1", "5/locationd.plist.5"]:
            self.assertTrue(self.box.path(f"/usr/share/man/man{page}.gz").exists())

        # The first client starts the service.
        self.assertIn("locationd 0.", self.ask("locationctl", "status"))
        self.assertEqual(self.show("locationd.service", "ActiveState"), "active")
        self.assertEqual(self.ask("locationctl", "config", "check"), "No problem found.")

        # Upgrade.
        self.ask("locationctl", "deny", "org.locationd.locationctl")
        before = self.main_pid
        plist = self.box.path("/etc/locationd/locationd.plist")
        plist.write_text(plist.read_text().replace("<integer>60</integer>", "<integer>61</integer>"))
        with tempfile.TemporaryDirectory() as directory:
            self.install(newer(package(), pathlib.Path(directory)))
        self.assertNotIn(self.main_pid, (0, before))
        self.assertIn("<integer>61</integer>", plist.read_text())
        [client] = json.loads(self.ask("locationctl", "clients", "--format", "json"))
        self.assertEqual(client["status"], "denied")

        # An upgrade leaves alone what was switched off.
        self.box.enter("systemctl", "disable", "--now", "locationd.socket", "locationd.service",
                       stderr=subprocess.DEVNULL)
        self.box.enter("dpkg-reconfigure", "--frontend=noninteractive", "locationd", stderr=subprocess.DEVNULL)
        self.assertEqual(self.show("locationd.socket", "UnitFileState"), "disabled")
        self.box.enter("systemctl", "enable", "--now", "locationd.socket", stderr=subprocess.DEVNULL)

        # Remove.
        self.ask("locationctl", "status")
        self.box.enter("apt-get", "remove", "--yes", "locationd", stdout=subprocess.DEVNULL)
        self.assertFalse(self.box.path(SOCKET).exists())
        self.assertTrue(self.box.path("/var/lib/locationd/locationd.db").exists())
        self.assertTrue(plist.exists())
        self.assertEqual(self.main_pid, 0)

        # Install again.
        self.install()
        [client] = json.loads(self.ask("locationctl", "clients", "--format", "json"))
        self.assertEqual(client["status"], "denied")

        # Purge.
        self.box.enter("apt-get", "purge", "--yes", "locationd", stdout=subprocess.DEVNULL)
        for directory in ["/var/lib/locationd", "/etc/locationd", "/run/locationd", "/usr/share/locationd"]:
            self.assertFalse(self.box.path(directory).exists(), directory)
        self.assertEqual(self.show("locationd.socket", "LoadState"), "not-found")
