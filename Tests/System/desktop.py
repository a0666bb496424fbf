"""A desktop of alice's in a box: a session at the seat with her service manager and its bus, and a screen of X."""
import json
import subprocess

from boxtest import REPOSITORY, Conversation, Terminal
from sessions import SLEEP, SessionTestCase
from sources import SourcesTestCase

RUNTIME = "/run/user/1000"
PICTURES = REPOSITORY / ".build/pictures"


DUNST = """[global]
dmenu = /usr/local/bin/choose
[everything]
script = /usr/local/bin/noted
"""
# What dunst shows goes to a file; what stands in another is chosen from its menu.
NOTED = '#!/bin/sh\nprintf "%s\\n%s\\n---\\n" "$DUNST_SUMMARY" "$DUNST_BODY" >> /home/alice/noted\n'
CHOOSE = '#!/bin/sh\nexec grep --max-count=1 --file=/home/alice/choice\n'


class Desktop(SessionTestCase):
    """The desktop, for tests with the service from a package or from the source tree."""

    SCREEN = "800x600x24"

    @classmethod
    def open_desktop(cls):
        """Opens the session, before its target is reached."""
        cls.leader = cls.box.start("desktop", *SLEEP, user="alice", seat="seat0")
        cls.user_unit(cls, "alice", "xvfb.service", "Xvfb", ":1", "-screen", "0", cls.SCREEN, "-nolisten", "tcp")
        cls.eventually(cls(), lambda: cls.box.path("/tmp/.X11-unix/X1").exists())
        cls.control("set-environment", "DISPLAY=:1", "GTK_A11Y=none")
        # What desktops have of this kind.
        cls.write("/etc/systemd/user/desktop.target", "[Unit]\nBindsTo=graphical-session.target\n")
        cls.control("daemon-reload")

    @classmethod
    def install_dunst(cls):
        """Has dunst write down what it shows, and answer as a test chooses."""
        cls.write("/home/alice/.config/dunst/dunstrc", DUNST)
        for name, script in [("noted", NOTED), ("choose", CHOOSE)]:
            cls.write(f"/usr/local/bin/{name}", script)
            cls.box.path(f"/usr/local/bin/{name}").chmod(0o755)

    def forget_notes(self):
        self.write("/home/alice/noted", "")
        self.box.path("/home/alice/noted").chmod(0o666)

    def choose(self, label):
        """Presses a button of what dunst shows."""
        self.write("/home/alice/choice", label)
        self.as_alice("dunstctl", "context")

    def noted(self):
        """The notifications that dunst has shown since `forget_notes`: summary and body."""
        text = self.box.path("/home/alice/noted").read_text()
        return [note.strip().split("\n", 1) for note in text.split("---\n") if note.strip()]

    def picture(self, name, *command):
        """Has a command make seen.png of the screen until it stays as it is, and keeps it."""
        def seen():
            self.as_alice(*command)
            return self.box.path("/home/alice/seen.png").read_bytes()

        self.eventually(lambda: seen() == seen() == seen())
        PICTURES.mkdir(exist_ok=True)
        (PICTURES / f"{name}.png").write_bytes(seen())
        return seen()

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


class DesktopTestCase(SourcesTestCase, Desktop):
    """Tests with such a desktop, the service from the source tree, and the small programs of `box.CLIENTS`."""

    suite = "bookworm+clients"
    numbers = iter(range(1, 1000))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.open_desktop()

    def launch(self, *command, name="org.example.Weather", environment=(), **options):
        """Starts a program as desktops start applications: a Popen with pipes, and its unit, which ends with the test."""
        unit = f"app-{name}@{next(self.numbers)}.service"
        process = subprocess.Popen(
            self.box._nsenter(self.of_alice(
                "systemd-run", "--user", "--quiet", "--collect", "--wait", "--pipe", "--slice=app.slice", f"--unit={unit}",
                *(f"--setenv={each}" for each in environment), "--", *command)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        return process, unit

    def application(self, *command, **options):
        """A program to talk to, line by line."""
        process, unit = self.launch(*command, text=True, bufsize=1, **options)
        return self.ending(Conversation(process), unit)

    def screen(self, *command, **options):
        """A program whose output is looked through."""
        process, unit = self.launch(*command, **options)
        return self.ending(Terminal(process), unit)

    def ending(self, program, unit):
        program.unit = unit
        self.addCleanup(program.end)
        self.addCleanup(self.end, program)
        return program

    def end(self, program):
        """Ends a program at once: some take their time to say goodbye."""
        self.control("kill", "--signal=KILL", program.unit, check=False, stderr=subprocess.DEVNULL)
        self.control("stop", program.unit, check=False, stderr=subprocess.DEVNULL)

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
        return json.loads(self.ask("locationctl", "agent", "prompts", "--format", "json"))
