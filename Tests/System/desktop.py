"""A desktop of alice's in a box: a session at the seat with her service manager and its bus, and a screen of X."""
import json
import subprocess

from boxtest import Conversation
from sessions import SLEEP, SessionTestCase
from sources import SourcesTestCase

RUNTIME = "/run/user/1000"


class DesktopTestCase(SourcesTestCase, SessionTestCase):
    """Tests with such a desktop, and with the small programs of `box.CLIENTS`."""

    suite = "bookworm+clients"
    SCREEN = "800x600x24"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.leader = cls.box.start("desktop", *SLEEP, user="alice", seat="seat0")
        cls.user_unit(cls, "alice", "xvfb.service", "Xvfb", ":1", "-screen", "0", cls.SCREEN, "-nolisten", "tcp")
        cls.eventually(cls(), lambda: cls.box.path("/tmp/.X11-unix/X1").exists())
        cls.control("set-environment", "DISPLAY=:1", "GTK_A11Y=none")
        # What desktops have of this kind.
        cls.write("/etc/systemd/user/desktop.target", "[Unit]\nBindsTo=graphical-session.target\n")
        cls.control("daemon-reload")

    @classmethod
    def as_alice(cls, *command, **options):
        """Runs a command as a program of her desktop's, though in none of its units."""
        return cls.box.enter(*cls.of_alice(*command), **options)

    @staticmethod
    def of_alice(*command):
        return ["setpriv", "--reuid=alice", "--regid=alice", "--init-groups", "env", "--chdir=/home/alice",
                "HOME=/home/alice", "USER=alice", "DISPLAY=:1", f"XDG_RUNTIME_DIR={RUNTIME}",
                f"DBUS_SESSION_BUS_ADDRESS=unix:path={RUNTIME}/bus", *command]

    @classmethod
    def control(cls, *command, **options):
        """systemctl of her service manager."""
        return cls.as_alice("systemctl", "--user", *command, **options)

    numbers = iter(range(1, 1000))

    def application(self, *command, name="org.example.Weather", setting=()):
        """Starts a program as desktops start applications: a conversation that ends with the test."""
        unit = f"app-{name}@{next(self.numbers)}.service"
        settings = [f"--setenv={each}" for each in setting]
        process = subprocess.Popen(
            self.box._nsenter(self.of_alice(
                "systemd-run", "--user", "--quiet", "--collect", "--wait", "--pipe", "--slice=app.slice", f"--unit={unit}",
                *settings, "--", *command)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        conversation = Conversation(process)
        conversation.unit = unit
        self.addCleanup(conversation.end)
        self.addCleanup(self.control, "stop", unit, check=False, stderr=subprocess.DEVNULL)
        return conversation

    def wait_for(self, conversation, part, timeout=20):
        """Reads what a program says until a line has this in it, and returns that line."""
        seen = []
        while True:
            try:
                line = conversation.answer("", timeout=timeout)
            except AssertionError:
                self.fail(f"waited {timeout} s in vain for “{part}”; heard: {seen}")
            seen.append(line)
            if part in line:
                return line

    def forget(self, client):
        self.ask("locationctl", "reset", client)

    def prompts(self):
        return json.loads(self.ask("locationctl", "prompts", "--format", "json"))
