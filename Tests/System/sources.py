"""The service as the sources have it, without a package: quick to put into a box."""
import json
import subprocess
import time

from boxtest import REPOSITORY, BoxTestCase, build

# A program that asks, with what it says in its declaration.
CLIENT = "org.example.Weather"
PROGRAM = "/usr/local/bin/weather"
WHEN_IN_USE = "Shows the weather where you are."
ALWAYS = "Warns you of storms wherever you go."


class SourcesTestCase(BoxTestCase):
    """Tests with the service under its real unit, and a receiver that has a fix."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box.copy(build("locationd"), "/usr/sbin/locationd")
        cls.box.copy(build("locationctl"), "/usr/bin/locationctl")
        for source, target in [
            ("systemd/locationd.service", "/usr/lib/systemd/system/locationd.service"),
            ("systemd/locationd.socket", "/usr/lib/systemd/system/locationd.socket"),
            ("systemd/locationd-agent.service", "/usr/lib/systemd/user/locationd-agent.service"),
            ("systemd/locationd.sysusers", "/usr/lib/sysusers.d/locationd.conf"),
            ("Config/locationd.plist", "/etc/locationd/locationd.plist"),
        ]:
            cls.box.copy(REPOSITORY / source, target, mode=0o644)
        for file in (REPOSITORY / "Config/clients.d").glob("*.plist"):
            cls.box.copy(file, f"/usr/share/locationd/clients.d/{file.name}", mode=0o644)
        cls.connect_receiver()
        cls.box.enter("mkdir", "--parents", "/etc/locationd/clients.d")
        cls.box.enter("systemd-sysusers", stderr=subprocess.DEVNULL)
        cls.box.enter("systemctl", "daemon-reload")
        cls.box.enter("systemctl", "start", "locationd.socket")

    @classmethod
    def declare_example(cls):
        """Declares a program that asks."""
        cls.box.copy(build("ExampleClient"), PROGRAM)
        cls.box.enter("locationctl", "clients", "add", "--executable", PROGRAM, "--identifier", CLIENT,
                      "--name", "Weather", "--when-in-use", WHEN_IN_USE, "--always", ALWAYS,
                      stdout=subprocess.DEVNULL)

    def eventually(self, condition, timeout=30, what=lambda: "it"):
        """Waits until a condition holds for which nothing can be waited on, and returns what it gives."""
        deadline = time.monotonic() + timeout
        while not (value := condition()):
            if time.monotonic() > deadline:
                self.fail(f"waited {timeout} s in vain for {what()}")
            time.sleep(0.02)
        return value

    def json(self, *command, user="alice"):
        return json.loads(self.ask("locationctl", *command, "--format", "json", user=user))

    def client(self, identifier=CLIENT, user="alice"):
        """A client as a user has it."""
        [client] = [client for client in self.json("clients", user=user) if client["client"] == identifier]
        return client
