"""A location service and map programs of one test, each in a directory of its own, ended by their process ids."""

import math
import os
import pathlib
import plistlib
import queue
import re
import signal
import subprocess
import tempfile
import threading

ROOT = str(pathlib.Path(__file__).resolve().parents[3])
PROGRAMS = os.environ.get("LOCATIOND_TEST_PROGRAMS", os.path.join(ROOT, ".build", "debug"))
DATA = os.environ.get("LOCATIOND_MAP_DATA", os.path.join(ROOT, ".build", "map"))
# Seconds, for what takes a fraction of one on an idle machine.
PATIENCE = 60

ALWAYS = {"PresetAuthorization": "always"}


class Program:
    """A child whose lines can be waited for."""

    def __init__(self, arguments, environment=None):
        self.arguments = arguments
        self.lines = []
        self._new = queue.Queue()
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
            env={**os.environ, "LOCATIOND_MAP_DATA": DATA, **(environment or {})})
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._new.put(line.rstrip("\n"))
        self._new.put(None)

    def line(self, pattern):
        """The first line, of those not waited for yet, in which `pattern` is found."""
        passed = []
        while True:
            try:
                line = self._new.get(timeout=PATIENCE)
            except queue.Empty:
                raise AssertionError(f"{self.arguments[0]} never said {pattern!r}, but: {passed}") from None
            if line is None:
                raise AssertionError(f"{self.arguments[0]} ended without saying {pattern!r}, but: {passed}")
            self.lines.append(line)
            passed.append(line)
            found = re.search(pattern, line)
            if found:
                return found

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"{self.arguments[0]} does not end") from None


class Regions:
    """A directory of real regions: Liechtenstein and the middle of Helsinki, as `locationctl map add` makes them."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="locationd-regions-")
        self.path = self._directory.name
        for name in ["liechtenstein", "helsinki"]:
            extract = os.path.join(ROOT, ".build", "map-fixtures", f"{name}.osm.pbf")
            assert os.path.exists(extract), f"{extract} is missing: run `make map-fixtures` first."
            made = subprocess.run(
                [os.path.join(PROGRAMS, "locationctl-map"), "add", extract], capture_output=True, text=True, timeout=4 * PATIENCE,
                env={**os.environ, "LOCATIOND_MAP_DATA": DATA, "XDG_DATA_HOME": self.path})
            assert made.returncode == 0, made.stderr

    def end(self):
        self._directory.cleanup()


class Site:
    """A directory with a service that replays a track, and the declarations of those who ask it."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="locationd-map-")
        self.path = self._directory.name
        self.programs = []
        # Where regions are installed that the map programs show.
        self.regions = None
        os.makedirs(self.file("clients.d"))
        os.makedirs(self.file("state"))

    def file(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.file(name), "w") as file:
            file.write(text)
        return self.file(name)

    def executable(self, name):
        path = os.path.join(PROGRAMS, name)
        if not os.path.exists(path):
            raise AssertionError(f"{path} is missing: run `make program-{name}` first.")
        return os.path.realpath(path)

    def declare(self, name, policy=ALWAYS, more=None):
        purpose = "Shows your place on the map."
        self.write(f"clients.d/org.example.{name}.plist", plistlib.dumps({
            "CFBundleIdentifier": f"org.example.{name}", "CFBundleDisplayName": name,
            "NSLocationWhenInUseUsageDescription": purpose, "NSLocationAlwaysAndWhenInUseUsageDescription": purpose,
            "Match": {"Executable": self.executable(name)}, "Policy": policy, **(more or {})}).decode())

    def serve(self, *programs, policy=ALWAYS, more=None, compass=None, compass_from=0):
        """Starts the service with the programs declared; `compass` is where the nose points on the track, if that is known,
        and `compass_from` the second from which it is."""
        for name in programs:
            self.declare(name, policy, more)
        self.write("locationd.plist", plistlib.dumps({
            "ClientDirectories": [self.file("clients.d")], "Agents": [self.executable(name) for name in programs]}).decode())
        self.track(compass=compass, compass_from=compass_from)
        self.start()

    # More options of the service.
    options = ()

    def start(self):
        """Starts the service, or starts it again."""
        daemon = Program([self.executable("locationd"), "--config", self.file("locationd.plist"), "--socket", self.file("socket"),
                          "--state-directory", self.file("state"), "--replay", self.file("track.json"), *self.options])
        self.programs.append(daemon)
        daemon.line(" listens at ")

    def track(self, count=2000, speed=8.0, heading=60.0, accuracy=8.0, start=(47.141, 9.5215), compass=None, compass_from=0):
        """A gpsd recording of somebody who goes straight on, one report a second, with a compass or without."""
        lines = []
        latitude, longitude = start
        for index in range(count):
            metres = speed * index
            lat = latitude + metres * math.cos(math.radians(heading)) / 111_320
            lon = longitude + metres * math.sin(math.radians(heading)) / (111_320 * math.cos(math.radians(latitude)))
            time = f"2026-01-01T{index // 3600:02d}:{index // 60 % 60:02d}:{index % 60:02d}.000Z"
            lines.append('{"class":"TPV","device":"/dev/test","mode":3,"time":"%s","lat":%.7f,"lon":%.7f,"alt":450,'
                         '"eph":%.1f,"speed":%.2f,"track":%.1f}' % (time, lat, lon, accuracy / 0.5, speed, heading))
            if compass is not None and index >= compass_from:
                lines.append('{"class":"ATT","device":"/dev/test","time":"%s","heading":%.1f}' % (time, compass))
        return self.write("track.json", "\n".join(lines) + "\n")

    def run(self, name, *arguments, data=DATA):
        """Starts a map program, and gives it with the address it prints; `data` is its directory of map data."""
        program = Program([self.executable(name), *arguments], {
            "LOCATIOND_SOCKET": self.file("socket"), "LOCATIOND_MAP_DATA": data, "XDG_DATA_HOME": self.regions or self.file("data")})
        self.programs.append(program)
        return program, program.line(r"http://\S+").group(0)

    def end(self):
        problems = []
        for program in reversed(self.programs):
            try:
                program.end()
            except AssertionError as problem:
                problems.append(problem)
        self._directory.cleanup()
        assert not problems, problems
