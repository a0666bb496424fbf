"""Builds, installs and inspects the Debian package in a box."""
import functools
import pathlib
import re
import subprocess

from boxtest import REPOSITORY, BoxTestCase

SOCKET = "/run/locationd/org.locationd"
DECLARATION = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
    <key>CFBundleIdentifier</key><string>org.locationd.locationctl</string>
    <key>NSLocationWhenInUseUsageDescription</key><string>Tests.</string>
    <key>Match</key><dict><key>Executable</key><string>/usr/bin/locationctl</string></dict>
    <key>Policy</key><dict><key>PresetAuthorization</key><string>always</string></dict>
</dict>
</plist>
"""


@functools.cache
def package():
    """The package, built if necessary."""
    result = subprocess.run(["make", "deb"], cwd=REPOSITORY, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stdout + result.stderr)
    [file] = (REPOSITORY / ".build/deb").glob("locationd_*.deb")
    print("\n".join(result.stdout.splitlines()[-2:]))
    return file


def release(file, version, directory, change=lambda root: None):
    """The package as another release: with that version, and with its files modified by `change`."""
    root = pathlib.Path(directory) / version
    subprocess.run(["dpkg-deb", "--raw-extract", file, root], check=True)
    control = root / "DEBIAN/control"
    control.write_text(re.sub("(?m)^Version: .*", f"Version: {version}", control.read_text()))
    change(root)
    result = root.with_suffix(".deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", root, result],
                   check=True, stdout=subprocess.DEVNULL)
    return result


class PackageTestCase(BoxTestCase):
    """Tests with the package in the box, gpsd with a receiver, and locationctl allowed for all users."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.install(cls.first_package())
        cls.write("/etc/locationd/clients.d/org.locationd.locationctl.plist", DECLARATION)
        cls.connect_receiver()

    @classmethod
    def first_package(cls):
        """The packages installed before the tests."""
        return package()

    @classmethod
    def install(cls, file=None, *options):
        cls.box.copy(file or package(), "/root/locationd.deb", mode=0o644)
        result = cls.box.enter(
            "apt-get", "install", "--yes", "--no-install-recommends", *options, "/root/locationd.deb",
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode:
            raise AssertionError(result.stdout)

    # Looking

    def show(self, unit, name):
        return self.box.output("systemctl", "show", "--value", f"--property={name}", unit)

    @property
    def main_pid(self):
        """The service's process id in the box."""
        return int(self.show("locationd.service", "MainPID"))

    def journal(self, *matches, output="cat"):
        return self.box.output("journalctl", "--quiet", "--no-pager", f"--output={output}", *matches)
