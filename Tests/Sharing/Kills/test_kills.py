"""A fleet whose programs are killed in turn while its vehicles send: what of their positions is then in the database.

A Mosquitto with the configuration that is shipped, PostgreSQL with PostGIS, the recorder, and VEHICLES vehicles with a position a second each: four are
`locationd-share` with kept positions, the others are played. One of the sharers, the recorder, the database and the broker are killed by
SIGKILL in turn, KILLS times each, and each when a position that all vehicles have sent since the kill before is recorded.

A broker acknowledges a position before it has saved it. What it has in its memory only when it is killed may be lost, if the recorder does not
have it either, because it is behind: that is counted, and nothing else may be lost.
"""
import contextlib
import json
import os
import pathlib
import plistlib
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "Tests/Sharing"))
from postgresql import Cluster  # noqa: E402

PROGRAMS = pathlib.Path(os.environ.get("LOCATIOND_TEST_PROGRAMS", REPOSITORY / ".build/debug")).resolve()
AUTHORITY = REPOSITORY / "Tests/Programs/NetworkPositioningTests/Server/authority.pem"
SHIPPED = REPOSITORY / "Config/mosquitto"
KILLS, VEHICLES, SHARERS = int(os.environ.get("KILLS") or 20), int(os.environ.get("VEHICLES") or 1000), 4
# The files that a process may have open: a connection of each vehicle, and others.
DESCRIPTORS = VEHICLES + 1000
# The seconds within which each event has to come.
PATIENCE = 120
# The seconds before a kill of the broker within which it may not have saved what it has acknowledged: two by its configuration, and the time for
# which it writes.
UNSAVED = 3


def until(condition, description):
    end = time.monotonic() + PATIENCE
    while not (result := condition()):
        if time.monotonic() > end:
            raise TimeoutError(description)
        time.sleep(0.05)
    return result


class Program:
    """A process, with the lines of its standard error."""

    def __init__(self, command, **options):
        self.lines = []
        self.process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True, **options)
        self.reading = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stderr.readline, "")), daemon=True)
        self.reading.start()

    def says(self, words):
        """Waits for a line with some words."""
        until(lambda: any(words in line for line in self.lines) or self.process.poll() is not None, words)
        if not any(words in line for line in self.lines):
            raise RuntimeError(f"{self.process.args} has ended: {''.join(self.lines)}")
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reading.join()
        self.process.stderr.close()


class Broker:
    def __init__(self, directory, users):
        self.directory = directory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        accounts = directory / "locationd.accounts"
        accounts.write_text("".join(f"{user}:secret\n" for user in users))
        subprocess.run(["mosquitto_passwd", "-U", accounts], check=True)
        shutil.copy(SHIPPED / "locationd.rights", directory)
        settings = (SHIPPED / "locationd.conf").read_text()
        server = AUTHORITY.with_name("server.pem")
        for old, new in [("listener 8883", f"listener {self.port} 127.0.0.1"), ("/etc/mosquitto/certs/server.crt", server),
                         ("/etc/mosquitto/certs/server.key", server), ("/etc/mosquitto/locationd.", f"{directory}/locationd.")]:
            settings = settings.replace(old, str(new))
        (directory / "mosquitto.conf").write_text(
            f"user root\nlog_dest stderr\nlog_type information\npersistence_location {directory}/\n{settings}\n")

    def start(self):
        self.program = Program([shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), "-c", self.directory / "mosquitto.conf"])
        self.program.says(" running")

    def kill(self):
        self.program.kill()


class Database(Cluster):
    def __init__(self, directory):
        super().__init__(directory)
        self.start()
        self.create()

    def start(self):
        self.program = Program(self.server("lc_messages=C")).says("ready to accept connections")

    def kill(self):
        """Kills all its processes."""
        process = self.program.process.pid
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
        for number in [process, *map(int, children)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        self.program.kill()
        until(lambda: not any(pathlib.Path(f"/proc/{child}").exists() for child in children), "the end of the database")

    def rows(self, statement):
        return [line.split("|") for line in self.ask(statement).splitlines()]


class Recorder:
    def __init__(self, broker, database, directory):
        password = directory / "viewer"
        password.write_text("viewer:secret\n")
        password.chmod(0o600)
        self.command = [PROGRAMS / "locationd-fleet-recorder", "record", "--broker", f"mqtts://localhost:{broker.port}", "--ca", AUTHORITY,
                        "--password-file", password, "--database", database.address]

    def start(self):
        self.program = Program(self.command).says("Recording")

    def kill(self):
        self.program.kill()


class Sharer:
    """`locationd-share` of a user, which keeps what the broker does not have yet."""

    def __init__(self, name, broker, directory, service):
        self.name, state = name, directory / name
        self.environment = os.environ | {"LOCATIOND_SOCKET": service, "XDG_STATE_HOME": str(state)}
        self.file = state / "locationd/share/depot.queue"
        address = f"mqtts://localhost:{broker.port}\n{name}:secret\n"
        for arguments, text in [
                (["add", "depot", "mqtt", "--ca", AUTHORITY, "--user-name", "fleet", "--device", name], address),
                (["start", "depot", "--no-service", "--keep-unsent", "--indefinitely"], None)]:
            subprocess.run([PROGRAMS / "locationd-share", *arguments], env=self.environment, input=text, text=True, check=True,
                           stdout=subprocess.DEVNULL)

    def start(self):
        self.program = Program([PROGRAMS / "locationd-share", "run"], env=self.environment)

    def kill(self):
        self.program.kill()

    @contextlib.contextmanager
    def queue(self):
        with contextlib.closing(sqlite3.connect(self.file, timeout=PATIENCE)) as queue, queue:
            yield queue

    def note(self):
        """Has each position that is kept from now on noted, by the transaction that keeps it."""
        def has_table():
            # The file is there before its table.
            with self.queue() as queue:
                return queue.execute("SELECT 1 FROM sqlite_master WHERE name = 'position'").fetchone()
        until(lambda: self.file.exists() and has_table(), "the queue")
        with self.queue() as queue:
            queue.executescript("""
                BEGIN IMMEDIATE;
                CREATE TABLE noted AS SELECT time FROM position;
                CREATE TRIGGER note AFTER INSERT ON position BEGIN INSERT INTO noted VALUES (new.time); END;
                COMMIT""")

    def waiting(self):
        """The number of positions that the broker does not have yet."""
        with self.queue() as queue:
            return queue.execute("SELECT count(*) FROM position").fetchone()[0]

    def noted(self):
        """The seconds of all positions that were kept."""
        with self.queue() as queue:
            return [time // 1000 for [time] in queue.execute("SELECT time FROM noted")]


class Service:
    """A service that replays a receiver with a fix a second, for all sharers."""

    def __init__(self, directory):
        (directory / "clients.d").mkdir()
        (directory / "clients.d/org.locationd.share.plist").write_bytes(plistlib.dumps({
            "CFBundleIdentifier": "org.locationd.share", "NSLocationWhenInUseUsageDescription": "For a test.",
            "NSLocationAlwaysAndWhenInUseUsageDescription": "For a test.", "Match": {"Executable": str(PROGRAMS / "locationd-share")},
            "Policy": {"PresetAuthorization": "always"}}))
        (directory / "locationd.plist").write_bytes(plistlib.dumps({"ClientDirectories": [str(directory / "clients.d")]}))
        with open(directory / "track.json", "w") as track:
            for number in range(KILLS * 400 + 600):
                moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_800_000_000 + number))
                track.write(json.dumps({"class": "TPV", "device": "/dev/recorded", "mode": 3, "time": moment, "lat": 47 + number * 2e-4,
                                        "lon": 9.5, "altMSL": 450.0, "eph": 4.0}) + "\n")
        self.socket = f"{directory}/socket"
        self.program = Program([PROGRAMS / "locationd", "--config", directory / "locationd.plist", "--socket", self.socket,
                                "--state-directory", directory, "--replay", directory / "track.json"]).says(" listens at ")


class KillTests(unittest.TestCase):
    def setUp(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < DESCRIPTORS:
            self.skipTest(f"no process may have {DESCRIPTORS} open files here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, hard))
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="locationd-kills-")))
        self.directory.chmod(0o755)

    def end(self, process):
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

    def subdirectory(self, name):
        directory = self.directory / name
        directory.mkdir()
        return directory

    def start(self, part):
        """Starts a part, which ends with the test."""
        part.start()
        # Each part has another process by then.
        self.addCleanup(lambda: part.kill())
        return part

    def test_nothing_that_is_saved_is_lost_and_nothing_is_there_twice(self):
        names = [f"share{number}" for number in range(SHARERS)]
        played = VEHICLES - SHARERS
        broker = self.start(Broker(self.subdirectory("broker"), ["viewer", *names, *(f"v{number}" for number in range(played))]))
        database = Database(self.subdirectory("database"))
        self.addCleanup(database.kill)
        recorder = self.start(Recorder(broker, database, self.directory))
        service = Service(self.subdirectory("service"))
        self.addCleanup(service.program.kill)
        sharers = [self.start(Sharer(name, broker, self.directory, service.socket)) for name in names]
        for sharer in sharers:
            sharer.note()
        start = int(time.time())
        vehicles = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("vehicles"), str(broker.port), str(AUTHORITY), str(played),
                                     str(start)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, vehicles)

        def beat():
            """Waits until all have sent once more, and their positions are recorded."""
            now = int(time.time())
            vehicles.stdin.write("beat\n")
            vehicles.stdin.flush()
            self.assertEqual(vehicles.stdout.readline(), "beat\n", "the vehicles have ended")
            until(lambda: database.rows(f"SELECT count(*) FROM fleet.last WHERE time > to_timestamp({now})") == [[str(VEHICLES)]],
                  "a new position of each vehicle in the database")

        begin, broker_kills = time.monotonic(), []
        for number in range(KILLS):
            for part in [sharers[number % SHARERS], recorder, database, broker]:
                beat()
                part.kill()
                if part is broker:
                    broker_kills.append(time.time())
                part.start()
        beat()
        # The sharers have nothing more to send, and then the vehicles.
        service.program.kill()
        until(lambda: not any(sharer.waiting() for sharer in sharers), "what the sharers have kept")
        vehicles.stdin.close()
        times = json.loads(vehicles.stdout.readline())
        elapsed = time.monotonic() - begin
        until(lambda: database.rows("SELECT 1 FROM fleet.position JOIN fleet.vehicle ON id = vehicle WHERE topic = 'owntracks/fleet/v0' "
                                   f"AND time = to_timestamp({start + len(times[0]) - 1})"), "the last position")

        # Each position with the time when the broker had it, for a sharer that of the position.
        expected = {f"owntracks/fleet/v{number}": dict(enumerate(known, start)) for number, known in enumerate(times)}
        expected |= {f"owntracks/fleet/{sharer.name}": {moment: moment for moment in sharer.noted()} for sharer in sharers}
        found = {topic: set() for topic in expected}
        rows = database.rows("SELECT topic, extract(epoch FROM time)::bigint FROM fleet.position JOIN fleet.vehicle ON id = vehicle")
        for topic, moment in rows:
            found[topic].add(int(moment))
        lost = [known for topic in expected for moment, known in expected[topic].items() if moment not in found[topic]]
        unsaved = [known for known in lost if any(kill - UNSAVED <= known <= kill + 1 for kill in broker_kills)]
        twice = len(rows) - sum(map(len, found.values()))
        # The sharers may have published one each before theirs were noted.
        unknown = sum(len(found[topic] - expected[topic].keys()) for topic in expected if "/v" in topic)
        print(f"{VEHICLES} vehicles, {KILLS} kills each: {sum(map(len, expected.values()))} positions in {elapsed:.0f} s, "
              f"{sum(len(sharer.noted()) for sharer in sharers)} of them of {SHARERS} sharers: {len(unsaved)} lost that a "
              f"killed broker had not saved, {len(lost) - len(unsaved)} others, {twice} twice")
        self.assertEqual((len(lost) - len(unsaved), twice, unknown), (0, 0, 0))


if __name__ == "__main__":
    unittest.main()
