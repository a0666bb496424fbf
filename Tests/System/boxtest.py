"""What all system tests share: one box a class, programs of ours built to run in it, and waiting for what a program
says."""
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time
import unittest

from box import SUITES, Box, BoxError
from box import build as build_root

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# The seconds within which an event has to come, on a busy machine too.
PATIENCE = 60


def build(product):
    """Builds a program, unless LOCATIOND_TEST_PROGRAMS names the directory of those that are built; returns its path."""
    if built := os.environ.get("LOCATIOND_TEST_PROGRAMS"):
        return pathlib.Path(built) / product
    result = subprocess.run(["make", "-s", f"program-{product}"], cwd=REPOSITORY, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stdout + result.stderr)
    return REPOSITORY / ".build/debug" / product


class BoxTestCase(unittest.TestCase):
    """Tests that share one box, booted before the first and powered off after the last."""

    suite = SUITES[0]
    # True for tests that reboot.
    lasting = False

    @classmethod
    def skip_unless_available(cls):
        """Skips the tests of the class if the packages of its suite cannot be fetched."""
        try:
            build_root(cls.suite)
        except BoxError as error:
            raise unittest.SkipTest(f"the packages of Debian {cls.suite} are not available: {error}") from None

    @classmethod
    def setUpClass(cls):
        cls.box = cls.enterClassContext(Box(cls.suite, cls.lasting))

    @classmethod
    def install_program(cls, product, inside):
        """Copies a program of ours into the box, and the libraries that the box lacks: those of Swift, and of another Debian."""
        program = build(product)
        cls.box.copy(program, inside)
        for library in re.findall(r"=> (/\S+) \(", subprocess.check_output(["ldd", program], text=True)):
            if not cls.box.path(library).exists():
                cls.box.copy(library, library)

    @classmethod
    def write(cls, inside, text):
        """Writes a file of the box."""
        path = cls.box.path(inside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    @classmethod
    def connect_receiver(cls):
        """Gives the box's gpsd a receiver with a fix."""
        cls.write("/etc/default/gpsd", 'DEVICES="udp://127.0.0.1:20175"\nGPSD_OPTIONS="-n"\n')
        receiver = subprocess.Popen(
            ["nsenter", f"--target={cls.box.leader}", "--net", sys.executable,
             str(pathlib.Path(__file__).with_name("nmea.py"))])
        cls.addClassCleanup(lambda: (receiver.kill(), receiver.wait()))

    def start(self, unit, *command, **options):
        """Starts a unit (see Box.start) that is stopped after the test."""
        self.addCleanup(self.box.enter, "systemctl", "stop", unit, check=False, stderr=subprocess.DEVNULL)
        return self.box.start(unit, *command, **options)

    def eventually(self, condition, timeout=PATIENCE, what=lambda: "it"):
        """Polls a condition inside the box that cannot be waited for, and returns its result."""
        deadline = time.monotonic() + timeout
        while not (value := condition()):
            if time.monotonic() > deadline:
                self.fail(f"waited {timeout} s in vain for {what()}")
            time.sleep(0.05)
        return value

    def gpsd_answers(self):
        """True if gpsd itself answers everybody at its port."""
        greeting = self.box.enter(
            "setpriv", "--reuid=bob", "--regid=bob", "--clear-groups", "timeout", "10", "bash", "-c",
            "exec 3<>/dev/tcp/127.0.0.1/2947 && head -n 1 <&3", check=False, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True).stdout
        return "VERSION" in greeting and '"rev":"locationd"' not in greeting

    def ask(self, *command, user="alice", code=0, unit=None):
        """Runs a user's command in a unit of its own, checks its exit code, and returns its output."""
        named = [f"--unit={unit}"] if unit else []
        result = self.box.enter(
            "systemd-run", "--quiet", "--collect", "--wait", "--pipe", f"--uid={user}", *named, "--", *command,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        self.assertEqual(result.returncode, code, f"{' '.join(command)}: {result.stdout}")
        return result.stdout.strip()


class Terminal:
    """The screen and keyboard of a terminal of the box."""

    def __init__(self, process):
        self.process = process
        self.seen = ""
        self.position = 0
        self.news = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while piece := self.process.stdout.read1(4096):
            with self.news:
                self.seen += piece.decode(errors="replace").replace("\r", "")
                self.news.notify_all()

    def type(self, line):
        self.press(line + "\n")

    def press(self, keys):
        self.process.stdin.write(keys.encode())
        self.process.stdin.flush()

    def expect(self, pattern, timeout=PATIENCE):
        """Waits until this regular expression matches the output after the last match, and returns the match."""
        def found():
            return re.compile(pattern, re.M).search(self.seen, self.position)

        with self.news:
            if not self.news.wait_for(found, timeout):
                raise AssertionError(f"waited {timeout} s in vain for “{pattern}” on this screen:\n{self.seen}")
            match = found()
            self.position = match.end()
            return match

    def end(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.reader.join()
        self.process.stdout.close()


class Conversation:
    """A program of the box with line-based commands and reports."""

    def __init__(self, process):
        self.process = process
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line.rstrip("\n")))

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def expect(self, line, timeout=PATIENCE):
        """Waits for a line, fails at any other, and returns the time of its arrival."""
        when, heard = self._next(timeout, line)
        if heard != line:
            raise AssertionError(f"expected “{line}”, heard “{heard}”")
        return when

    def answer(self, beginning, timeout=PATIENCE):
        """Waits for a line with this prefix, fails at any other, and returns the rest."""
        _, heard = self._next(timeout, beginning)
        if not heard.startswith(beginning):
            raise AssertionError(f"expected “{beginning}…”, heard “{heard}”")
        return heard.removeprefix(beginning).strip()

    def _next(self, timeout, expected):
        try:
            return self.lines.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"waited {timeout} s in vain for “{expected}”") from None

    def end(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.reader.join()
        self.process.stdout.close()
