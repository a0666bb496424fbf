"""`locationctl share` with a real Home Assistant: what its API says of the tracker during a share and after it."""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import home_assistant

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "Tests/OtherLanguages"))
import support  # noqa: E402

SHARE = "org.locationd.share"


class Daemon(support.Daemon):
    """A locationd that knows the share program, about which the user has decided nothing."""

    def start(self):
        self.write(f"clients.d/{SHARE}.plist", {
            "CFBundleIdentifier": SHARE, "NSLocationWhenInUseUsageDescription": "For a test.",
            "NSLocationAlwaysAndWhenInUseUsageDescription": "For a test.",
            "Match": {"Executable": str((support.PROGRAMS / "locationd-share").resolve())}})
        super().start()


class HomeAssistantTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="home-assistant-"))
        try:
            server = home_assistant.HomeAssistant(directory)
        except home_assistant.Unavailable as reason:
            raise unittest.SkipTest(f"not tested with a real Home Assistant: {reason}") from None
        cls.server = cls.enterClassContext(server)
        cls.daemon = cls.enterClassContext(Daemon())
        cls.state = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="locationd-share-"))

    def locationctl(self, *arguments, code=0, **options):
        environment = os.environ | {"LOCATIOND_SOCKET": self.daemon.socket, "XDG_STATE_HOME": self.state}
        result = subprocess.run([support.PROGRAMS / "locationctl", *arguments], env=environment, capture_output=True, text=True,
                                **options)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stderr}")
        return result.stdout + result.stderr

    def await_tracker(self, what, condition):
        return self.server.until(what, lambda: (seen := self.server.tracker("ann_van")) and condition(seen) and seen, 60)

    def test_a_share_is_seen_and_forgotten(self):
        arguments = ["share", "add", "home", "homeassistant", "--user-name", "ann", "--device", "van"]
        self.assertIn("https:// address", self.locationctl(*arguments, code=1, input=self.server.webhook))
        self.locationctl(*arguments, "--plain-http", input=self.server.webhook + "\n")
        self.locationctl("share", "add", "wrong", "homeassistant", "--plain-http", input=self.server.webhook[:-8] + "00000000")
        self.assertIn("knows the URL", self.locationctl("share", "check", "home"))
        self.assertIn("does not know this webhook", self.locationctl("share", "check", "wrong", code=1))
        self.assertIsNone(self.server.tracker("ann_van"), "a test is no position")
        self.assertIn("allow --always", self.locationctl("share", "start", "home", "--no-service", code=77))

        self.locationctl("allow", "--always", SHARE)
        self.locationctl("share", "start", "home", "--for", "2h", "--no-service")
        environment = os.environ | {"LOCATIOND_SOCKET": self.daemon.socket, "XDG_STATE_HOME": self.state}
        program = subprocess.Popen([support.PROGRAMS / "locationctl", "share", "run"], env=environment)
        self.addCleanup(program.kill)
        _, latitude = self.await_tracker("the position", lambda seen: seen[1])
        self.assertAlmostEqual(latitude, support.LATITUDE, 5)

        forgotten = ("unknown", None)
        for undo, *command in [("resume", "share", "pause", "home"), ("allow", "deny", SHARE), ("on", "off")]:
            self.locationctl(*command)
            self.await_tracker(f"the end after {command}", lambda seen: seen == forgotten)
            self.locationctl(*{"resume": ["share", "resume", "home", "--no-service"], "allow": ["allow", "--always", SHARE],
                               "on": ["on"]}[undo])
            self.await_tracker(f"the position after {undo}", lambda seen: seen[1])

        self.locationctl("share", "stop", "home")
        self.await_tracker("the end", lambda seen: seen == forgotten)
        self.assertEqual(program.wait(60), 0)
        self.assertEqual(self.server.tracker("ann_van"), forgotten)

    def test_a_vehicle_at_a_broker_is_discovered_and_forgotten(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="locationd-broker-")))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (directory / "mosquitto.conf").write_text(f"user root\nlistener {port} 127.0.0.1\nallow_anonymous true\n")
        broker = subprocess.Popen([shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), "-c", directory / "mosquitto.conf"],
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, broker)
        while not broker.stderr.readline().strip().endswith(" running"):
            self.assertIsNone(broker.poll())
        self.server.add_broker(port)
        self.assertIsNone(self.server.tracker("van7"))

        self.locationctl("allow", "--always", SHARE)
        self.locationctl("share", "add", "depot", "mqtt", f"mqtt://127.0.0.1:{port}", "--plain-http", "--user-name", "fleet", "--device",
                         "van7", "--home-assistant", input="van7:secret\n")
        self.locationctl("share", "check", "depot")
        self.locationctl("share", "start", "depot", "--for", "2h", "--no-service")
        environment = os.environ | {"LOCATIOND_SOCKET": self.daemon.socket, "XDG_STATE_HOME": self.state}
        program = subprocess.Popen([support.PROGRAMS / "locationctl", "share", "run"], env=environment)
        self.addCleanup(program.kill)
        _, latitude = self.server.until(
            "the position", lambda: (seen := self.server.tracker("van7")) and seen[1] and seen, 60)
        self.assertAlmostEqual(latitude, support.LATITUDE, 5)
        # The tracker ends with the share.
        self.locationctl("share", "stop", "depot")
        self.server.until("the end", lambda: self.server.tracker("van7") is None, 60)
        self.assertEqual(program.wait(60), 0)

    def end(self, process):
        process.kill()
        process.communicate()


if __name__ == "__main__":
    unittest.main()
