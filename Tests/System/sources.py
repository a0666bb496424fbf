"""The service from the source tree, without a package: quick to install in a box."""
import json
import subprocess

from boxtest import REPOSITORY, BoxTestCase

# A client, with its declaration.
CLIENT = "org.example.Weather"
PROGRAM = "/usr/local/bin/weather"
WHEN_IN_USE = "Shows the weather where you are."
ALWAYS = "Warns you of storms wherever you go."


class SourcesTestCase(BoxTestCase):
    """Tests with the service under its real unit, and a receiver with a fix."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.install_program("locationd", "/usr/sbin/locationd")
        cls.install_program("locationctl", "/usr/bin/locationctl")
        for source, target in [
            ("systemd/locationd.service", "/usr/lib/systemd/system/locationd.service"),
            ("systemd/locationd.socket", "/usr/lib/systemd/system/locationd.socket"),
            ("systemd/locationd-watching.service", "/usr/lib/systemd/system/locationd-watching.service"),
            ("systemd/locationd-timezone.service", "/usr/lib/systemd/system/locationd-timezone.service"),
            ("systemd/locationd-agent.service", "/usr/lib/systemd/user/locationd-agent.service"),
            ("systemd/locationd-geofences.service", "/usr/lib/systemd/user/locationd-geofences.service"),
            ("systemd/locationd-geofence@.target", "/usr/lib/systemd/user/locationd-geofence@.target"),
            ("systemd/locationd.sysusers", "/usr/lib/sysusers.d/locationd.conf"),
            ("Config/dbus/org.locationd.conf", "/usr/share/dbus-1/system.d/org.locationd.conf"),
            ("Config/dbus/org.freedesktop.GeoClue2.service",
             "/usr/lib/dbus-1/system-services/org.freedesktop.GeoClue2.service"),
            ("Config/locationd.plist", "/etc/locationd/locationd.plist"),
        ]:
            cls.box.copy(REPOSITORY / source, target, mode=0o644)
        for file in (REPOSITORY / "Config/clients.d").glob("*.plist"):
            cls.box.copy(file, f"/usr/share/locationd/clients.d/{file.name}", mode=0o644)
        grid = REPOSITORY / ".build/timezones/timezones.grid"
        if not grid.exists():
            raise RuntimeError(f"{grid} is missing: make time-zones")
        cls.box.copy(grid, "/usr/share/locationd/timezones.grid", mode=0o644)
        cls.connect_receiver()
        cls.box.enter("mkdir", "--parents", "/etc/locationd/clients.d")
        cls.box.enter("systemd-sysusers", stderr=subprocess.DEVNULL)
        cls.box.enter("systemctl", "daemon-reload")
        cls.box.enter("systemctl", "enable", "locationd.service", stderr=subprocess.DEVNULL)
        cls.box.enter("systemctl", "start", "locationd.socket")
        cls.box.enter("systemctl", "reload", "dbus.service")

    @classmethod
    def declare_example(cls):
        """Declares a client."""
        cls.install_program("ExampleClient", PROGRAM)
        cls.box.enter("locationctl", "clients", "add", "--executable", PROGRAM, "--identifier", CLIENT,
                      "--name", "Weather", "--when-in-use", WHEN_IN_USE, "--always", ALWAYS,
                      stdout=subprocess.DEVNULL)

    def json(self, *command, user="alice"):
        return json.loads(self.ask("locationctl", *command, "--format", "json", user=user))

    def client(self, identifier=CLIENT, user="alice"):
        """A client in a user's session."""
        [client] = [client for client in self.json("clients", user=user) if client["client"] == identifier]
        return client
