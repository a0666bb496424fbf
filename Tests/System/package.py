"""Builds, installs and inspects the Debian package in a box."""
import functools
import pathlib
import plistlib
import re
import subprocess

from boxtest import REPOSITORY, BoxTestCase

SOCKET = "/run/locationd/org.locationd"


def declaration(identifier, policy="always", **match):
    """The text of a client's declaration; without a policy, the user is asked."""
    return plistlib.dumps({
        "CFBundleIdentifier": identifier, "NSLocationWhenInUseUsageDescription": "Tests.", "Match": match,
        "Policy": {"PresetAuthorization": policy} if policy else {}}).decode()


DECLARATION = declaration("org.locationd.locationctl", Executable="/usr/bin/locationctl")


@functools.cache
def package(name="locationd", target="deb"):
    """A package, built if necessary."""
    result = subprocess.run(["make", target], cwd=REPOSITORY, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stdout + result.stderr)
    [file] = (REPOSITORY / ".build/deb").glob(f"{name}_*.deb")
    print("\n".join(result.stdout.splitlines()[-2:]))
    return file


def python_package():
    """The package python3-locationd, built if necessary."""
    return package("python3-locationd", "deb-python")


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
