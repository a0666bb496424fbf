"""What all system tests share: one box a class, programs of ours built to run in it, and waiting for what a program
says."""
import pathlib
import queue
import subprocess
import threading
import time
import unittest

from box import Box

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def build(product):
    """Builds a program that runs without a Swift toolchain, and says where it is.

    In a directory of its own: another way to link makes everything be compiled again.
    """
    swift = ["swift", "build", "--scratch-path", ".build/system", "--static-swift-stdlib"]
    result = subprocess.run([*swift, "--product", product], cwd=REPOSITORY, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stdout + result.stderr)
    return REPOSITORY / ".build/system/debug" / product


class BoxTestCase(unittest.TestCase):
    """Tests that share one box, booted before the first and powered off after the last."""

    @classmethod
    def setUpClass(cls):
        cls.box = cls.enterClassContext(Box())

    def start(self, unit, *command, **options):
        """Starts a unit (see Box.start) that is stopped after the test."""
        self.addCleanup(self.box.enter, "systemctl", "stop", unit, check=False, stderr=subprocess.DEVNULL)
        return self.box.start(unit, *command, **options)


class Conversation:
    """A program of the box that is told something and says something, line by line."""

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

    def expect(self, line, timeout=10):
        """Waits for a line, fails at any other, and returns when it came."""
        when, heard = self._next(timeout, line)
        if heard != line:
            raise AssertionError(f"expected “{line}”, heard “{heard}”")
        return when

    def answer(self, beginning, timeout=10):
        """Waits for a line with this beginning, fails at any other, and returns the rest."""
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
        self.process.wait(10)
        self.reader.join()
        self.process.stdout.close()
