"""The time zone that follows: the packaged unit with the real systemd-timedated, polkit, agent and notification service."""
import json
import os
import pathlib
import plistlib
import struct
import subprocess
import sys
import tempfile

from boxtest import REPOSITORY
from desktop import DesktopTestCase

UNIT, USER, CLIENT = "locationd-timezone.service", "locationd-timezone", "org.locationd.timezone"
AGENT = "locationd-agent.service"
RULE = "/usr/share/polkit-1/rules.d/60-locationd-timezone.rules"
# In place of a password, which a user without an administrator's rights would be asked for.
PASSWORD = """polkit.addRule(function(action, subject) {
    if (action.id == "org.freedesktop.timedate1.set-timezone" && subject.user == "alice") return polkit.Result.YES;
});
"""
HERE, ELSEWHERE = "Europe/Berlin", "America/New_York"
# More than the ten minutes of a stay.
STAY = 660


class TimeZoneTests(DesktopTestCase):
    @classmethod
    def connect_receiver(cls):
        """A receiver whose clock the test turns: it counts in locations."""
        directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        library = directory / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, pathlib.Path(__file__).with_name("clock.c")], check=True)
        cls.clock, cls.offset = directory / "offset", 0
        cls.clock.write_bytes(struct.pack("q", 0))
        cls.write("/etc/default/gpsd", 'DEVICES="udp://127.0.0.1:20175"\nGPSD_OPTIONS="-n"\n')
        receiver = subprocess.Popen(
            ["nsenter", f"--target={cls.box.leader}", "--net", sys.executable, str(pathlib.Path(__file__).with_name("nmea.py"))],
            env=os.environ | {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(cls.clock)})
        cls.addClassCleanup(lambda: (receiver.kill(), receiver.wait()))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # An approximate location would come every 15 minutes of a clock that cannot be turned.
        declaration = plistlib.loads((REPOSITORY / f"Config/clients.d/{CLIENT}.plist").read_bytes())
        del declaration["Policy"]["MaximumAccuracy"]
        cls.write(f"/etc/locationd/clients.d/{CLIENT}.plist", plistlib.dumps(declaration).decode())
        cls.install_dunst()
        cls.box.enter("systemctl", "--global", "enable", AGENT, stderr=subprocess.DEVNULL)
        cls.control("daemon-reload")
        cls.control("start", "desktop.target")

    def pass_time(self, seconds):
        type(self).offset += seconds
        # Written in place, because the receiver has mapped the file.
        with open(self.clock, "r+b") as file:
            file.write(struct.pack("q", self.offset))

    def set_rules(self, path, text):
        self.write(path, text)
        # It looks for changes itself, but not at the moment.
        self.box.enter("systemctl", "restart", "polkit.service")

    @property
    def zone(self):
        return os.readlink(self.box.path("/etc/localtime")).partition("/zoneinfo/")[2]

    @property
    def memory(self):
        path = self.box.path(f"/var/lib/{USER}/memory.json")
        return json.loads(path.read_text()) if path.exists() else {}

    def log(self):
        return self.box.output("journalctl", "--quiet", "--output=cat", f"--unit={UNIT}")

    def count(self):
        """The locations that it was given."""
        history = json.loads(self.ask("locationctl", "history", "--user", USER, "--format", "json", user="root"))
        self.assertEqual({session["client"] for session in history} - {CLIENT}, set())
        return sum(session["count"] for session in history)

    def test_it_follows_and_can_be_undone(self):
        self.eventually(lambda: self.json("status")["hasAgent"])
        self.forget_notes()
        self.box.enter("timedatectl", "set-timezone", ELSEWHERE)

        # The receiver would sleep for five minutes after each location, as no clock in the box measures them.
        self.ask("locationctl", "allow", "--always", "org.locationd.locationctl")
        self.start("watch.service", "locationctl", "watch", user="alice")

        # Off until it is enabled; then it gets locations at once, without a prompt.
        self.assertEqual(self.box.enter("systemctl", "is-enabled", UNIT, check=False, stdout=subprocess.PIPE, text=True).stdout,
                         "disabled\n")
        self.box.enter("systemctl", "enable", "--now", UNIT, stderr=subprocess.DEVNULL)
        self.eventually(lambda: self.memory.get("place") == HERE, what=self.log)
        self.assertEqual(self.zone, ELSEWHERE)

        # Polkit does not permit it yet: it says what to do, and goes on.
        self.pass_time(STAY)
        self.eventually(lambda: "To permit it by the rule that is installed, run: sudo apt install polkitd" in self.log(),
                        what=self.log)
        self.assertEqual(self.zone, ELSEWHERE)
        self.set_rules(RULE, (REPOSITORY / "Config/polkit/timezone.rules").read_text())
        before = self.count()
        self.pass_time(STAY)
        self.eventually(lambda: self.count() > before)
        self.pass_time(STAY)
        self.eventually(lambda: self.zone == HERE, what=self.log)

        # The user is told, and undoes it. That lasts while the machine is there.
        [summary, body] = self.eventually(self.noted)[0]
        self.assertEqual((summary, body), (f"Time zone changed to {HERE}",
                                           f"It was {ELSEWHERE} before, and follows the location of this machine."))
        self.set_rules("/etc/polkit-1/rules.d/50-password.rules", PASSWORD)
        self.choose("Undo")
        self.eventually(lambda: self.zone == ELSEWHERE)
        for _ in range(3):
            before = self.count()
            self.pass_time(STAY)
            self.eventually(lambda: self.count() > before)
        self.eventually(lambda: self.memory.get("quietZone") == HERE)
        self.assertEqual(self.zone, ELSEWHERE)

        # A denial ends it, as that of any program.
        self.ask("locationctl", "deny", CLIENT, "--user", USER, user="root")
        before = self.count()
        self.pass_time(STAY)
        self.eventually(lambda: "Location access is denied, so the time zone stays." in self.log(), what=self.log)
        self.assertEqual(self.count(), before)

    def test_it_may_set_the_time_zone_and_nothing_else(self):
        self.set_rules(RULE, (REPOSITORY / "Config/polkit/timezone.rules").read_text())
        self.addCleanup(self.box.path(RULE).unlink)

        def call(*words, user):
            return self.box.enter(
                "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "busctl", "call", "org.freedesktop.timedate1",
                "/org/freedesktop/timedate1", "org.freedesktop.timedate1", *words, check=False,
                stderr=subprocess.DEVNULL).returncode

        self.assertEqual(call("SetTimezone", "sb", "Asia/Tokyo", "false", user=USER), 0)
        self.assertEqual(self.zone, "Asia/Tokyo")
        self.assertNotEqual(call("SetTimezone", "sb", "UTC", "false", user="bob"), 0)
        self.assertNotEqual(call("SetTime", "xbb", "1000000000000000", "false", "false", user=USER), 0)
        self.assertNotEqual(call("SetNTP", "bb", "false", "false", user=USER), 0)
        self.assertNotEqual(call("SetLocalRTC", "bbb", "true", "false", "false", user=USER), 0)
