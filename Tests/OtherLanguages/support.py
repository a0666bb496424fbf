"""A running locationd with files of its own, and a service that is told what to answer."""
import asyncio
import contextlib
import json
import os
import pathlib
import plistlib
import signal
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = REPOSITORY / ".build/debug"
PYTHON = os.readlink("/proc/self/exe")
LATITUDE, LONGITUDE = 12.345678, 98.765432
sys.path.insert(0, str(REPOSITORY / "Config/packaging/python"))


class Daemon:
    """A locationd that replays twenty fixes a second at one place; a context manager that stops it."""

    def __init__(self, *source):
        self.source = source

    def __enter__(self):
        self.directory = pathlib.Path(self.enter(tempfile.TemporaryDirectory(prefix="locationd-")))
        (self.directory / "clients.d").mkdir()
        self.socket = str(self.directory / "socket")
        self.write("locationd.plist", {"ClientDirectories": [str(self.directory / "clients.d")]})
        self.declare("org.locationd.locationctl", Executable=str(PROGRAMS / "locationctl"))
        track = self.directory / "track.json"
        track.write_text("\n".join(json.dumps({
            "class": "TPV", "device": "/dev/recorded", "mode": 3, "time": f"2026-01-01T00:00:{10 + i // 20}.{i % 20 * 5:02d}Z",
            "lat": LATITUDE, "lon": LONGITUDE, "altMSL": 100.5, "eph": 8.0}) for i in range(800)))
        self.source = self.source or ("--replay", str(track))
        self.start()
        return self

    def enter(self, manager):
        self.stack = contextlib.ExitStack()
        return self.stack.enter_context(manager)

    def __exit__(self, *_):
        self.stop()
        self.stack.close()

    def write(self, name, contents):
        (self.directory / name).write_bytes(plistlib.dumps(contents))

    def declare(self, identifier, policy={"PresetAuthorization": "always"}, **match):
        """Declares a program."""
        self.write(f"clients.d/{identifier}.plist", {
            "CFBundleIdentifier": identifier, "NSLocationWhenInUseUsageDescription": "For a test.", "Match": match,
            "Policy": policy})

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAMS / "locationd", "--config", self.directory / "locationd.plist", "--socket", self.socket,
             "--state-directory", self.directory, *self.source], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if " listens at " in line:
                return
        raise RuntimeError("locationd did not start")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=20)

    def locationctl(self, *arguments):
        return subprocess.run([PROGRAMS / "locationctl", *arguments], env=os.environ | {"LOCATIOND_SOCKET": self.socket},
                              check=True, capture_output=True, text=True).stdout


class ScriptedService:
    """A service that answers each connection by a function of its own, in turn."""

    def __init__(self, *answers):
        self.answers = list(answers)

    async def __aenter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="locationd-")
        self.socket = self.directory.name + "/socket"
        self.server = await asyncio.start_unix_server(self._serve, self.socket)
        return self

    async def __aexit__(self, *_):
        self.server.close()
        self.directory.cleanup()

    async def _serve(self, reader, writer):
        answer = self.answers.pop(0)
        with contextlib.suppress(ConnectionError):
            await answer(Peer(reader, writer))
        writer.close()


class Peer:
    """The other end of one connection."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def call(self):
        """The next call: its method and parameters."""
        call = json.loads((await self.reader.readuntil(b"\0"))[:-1])
        return call["method"].rpartition(".")[2], call["parameters"]

    async def reply(self, parameters=None, error=None):
        message = {"parameters": parameters or {}} | ({"error": error} if error else {})
        self.writer.write(json.dumps(message).encode() + b"\0")
        await self.writer.drain()

    async def end(self):
        """Waits until the client has closed the connection."""
        await self.reader.read()
