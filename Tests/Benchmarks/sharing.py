"""The program that shares the position: CPU for a fix that is sent over TLS and for one that is left out, its memory, the time
from a fix to its reader, its wake-ups while nothing is to be sent, and the time for a backlog; CPU for a fix that goes to a broker by
MQTT over TLS, at fifty a second; and CPU for a fix that goes to the 64 readers of a bridge on another host.

    sharing.py LOCATIOND LOCATIOND-SHARE [SECONDS]

The service replays ten fixes a second otherwise; the broker is Mosquitto, and the server is the tests' own one, as Traccar and Dawarich. With fewer than 20 seconds the
wake-ups, which take four minutes, are left out, and the backlog is a tenth.
"""
import contextlib
import datetime
import json
import os
import pathlib
import plistlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Sharing/Bridge"))
import network  # noqa: E402

RATE, BROKER_RATE = 10, 50
SERVER = pathlib.Path(__file__).parents[1] / "Sharing/SharingProgramTests/Server/webhooks"
AUTHORITY = pathlib.Path(__file__).parents[1] / "Programs/NetworkPositioningTests/Server/authority.pem"
BROKER = """user root
log_dest none
listener {port} 127.0.0.1
certfile {certificate}
keyfile {certificate}
allow_anonymous true
listener 0 {directory}/broker
"""
METRE = 1 / 111_200
ROUND_TRIP = 0.1
BACKLOG = 10_000
# The time until a user who stays counts as stationary, and some more.
STATIONARY = 130
# Fixes that have to be sent each, fixes that the speed predicts, and fixes in one place.
LEAPS, STEADY, PARKED = "leaps", "steady", "parked"


def track(fixes, kind, rate):
    """A receiver on its way north, or in one place."""
    for number in range(fixes):
        north = {LEAPS: number * 20, STEADY: number, PARKED: 0}[kind]
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(1_800_000_000 + number // rate))
        yield json.dumps({
            "class": "TPV", "device": "/dev/recorded", "mode": 3, "time": f"{moment}.{number % rate * 1000 // rate:03}Z",
            "lat": 47 + north * METRE, "lon": 9.5, "altMSL": 450.0, "eph": 4.0} | ({} if kind == LEAPS else {
                "speed": float(rate) if kind == STEADY else 0.0, "track": 0.0})) + "\n"


def processor_time(process):
    """The CPU time of a process with the threads that have ended, in seconds (clock_getcpuclockid(3))."""
    return time.clock_gettime(~process << 3 | 2)


def memory(process):
    """The proportional memory of a process in MB."""
    text = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(text.split("\nPss:")[1].split()[0]) / 1000


def wakeups(process):
    """The number of times that the threads of a process have slept so far."""
    return sum(int(file.read_text().split("voluntary_ctxt_switches:")[1].split()[0])
               for file in pathlib.Path(f"/proc/{process}/task").glob("*/status"))


class Site:
    """A service that replays a track, and the program; a context manager that ends both."""

    def __init__(self, locationd, share, fixes, kind, rate=RATE):
        self.locationd, self.share, self.track = locationd, share, track(fixes, kind, rate)
        self.processes = []

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory()
        root = self.root = self.directory.name
        pathlib.Path(root, "clients.d").mkdir()
        declaration = {
            "CFBundleIdentifier": "org.locationd.share", "NSLocationWhenInUseUsageDescription": "For a benchmark.",
            "NSLocationAlwaysAndWhenInUseUsageDescription": "For a benchmark.", "Match": {"Executable": self.share},
            "Policy": {"PresetAuthorization": "always"}}
        pathlib.Path(root, "clients.d/org.locationd.share.plist").write_bytes(plistlib.dumps(declaration))
        pathlib.Path(root, "locationd.plist").write_bytes(plistlib.dumps({"ClientDirectories": [f"{root}/clients.d"]}))
        pathlib.Path(root, "track.json").write_text("".join(self.track))
        self.environment = os.environ | {"LOCATIOND_SOCKET": f"{root}/socket", "XDG_STATE_HOME": f"{root}/state"}
        service = self.start(
            [self.locationd, "--config", f"{root}/locationd.plist", "--socket", f"{root}/socket", "--state-directory", root,
             "--replay", f"{root}/track.json"], stderr=subprocess.PIPE, text=True)
        for line in service.stderr:
            if " listens at " in line:
                break
        threading.Thread(target=service.stderr.read, daemon=True).start()
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            self.end(process)
        self.directory.cleanup()

    def start(self, command, **options):
        process = subprocess.Popen(command, **options)
        self.processes.append(process)
        return process

    def end(self, process):
        process.terminate()
        process.wait()

    def serve(self, *arguments):
        """Starts the server; returns it with its port and its messages, each with the time at which it came."""
        server = self.start([sys.executable, SERVER, *arguments], stdout=subprocess.PIPE, text=True)
        port = int(server.stdout.readline())
        messages = []
        threading.Thread(target=lambda: messages.extend((time.time(), line) for line in iter(server.stdout.readline, "")),
                         daemon=True).start()
        return server, port, messages

    def serve_broker(self):
        """Starts a broker; returns its address and the lines of a reader, one for each message."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        file = pathlib.Path(self.root, "broker.conf")
        file.write_text(BROKER.format(port=port, certificate=AUTHORITY.with_name("server.pem"), directory=self.root))
        self.start([shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), "-c", file], stderr=subprocess.DEVNULL)
        wait_for(lambda: pathlib.Path(self.root, "broker").exists())
        reader = self.start(["/usr/bin/python3", SERVER.with_name("mqtt-reader"), str(port), "owntracks/#", "--ca", AUTHORITY],
                            stdout=subprocess.PIPE, text=True)
        reader.stdout.readline()
        messages = []
        threading.Thread(target=lambda: messages.extend(iter(reader.stdout.readline, "")), daemon=True).start()
        return f"mqtts://localhost:{port}", messages

    def add(self, service, port, *options):
        """Starts a share with a service of the server, or with the broker at an address."""
        if service == "mqtt":
            place, access = ["mqtt", port], "van:secret\n"
        else:
            place, access = [service], f"https://localhost:{port}\n{'van-0a1b' if service == 'traccar' else 'token'}\n"
        for arguments, text in [(["add", "home", *place, "--ca", AUTHORITY], access),
                                (["start", "home", "--no-service", "--maximum-interval", "1h", *options], None)]:
            subprocess.run([self.share, *arguments], env=self.environment, input=text, text=True, check=True,
                           stdout=subprocess.DEVNULL)

    def send(self):
        return self.start([self.share, "run"], env=self.environment, stderr=subprocess.DEVNULL)


# Connects 64 readers, and prints a line for each second in which all have received something.
READERS = """
import selectors, socket, sys, time
selector = selectors.DefaultSelector()
for _ in range(64):
    while True:
        try:
            connection = socket.create_connection((sys.argv[1], 10110), timeout=5)
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    connection.setblocking(False)
    selector.register(connection, selectors.EVENT_READ)
start, active = time.monotonic(), set()
while True:
    for key, _ in selector.select(1):
        active.add(key.fd)
        if not key.fileobj.recv(65536):
            sys.exit("disconnected")
    if time.monotonic() - start >= 1:
        print(len(active), flush=True)
        start, active = time.monotonic(), set()
"""


def bridge(programs, seconds):
    """CPU of the program in seconds and fixes in some seconds, the least number of readers served in one of them, and memory."""
    with network.Network() as hosts, Site(*programs, (seconds + 60) * RATE, LEAPS) as site:
        for arguments in [["add", "bridge", "nmea", "--listen", f"{network.INTERFACE}:10110"], ["start", "bridge", "--no-service"]]:
            subprocess.run([site.share, *arguments], env=site.environment, check=True, stdout=subprocess.DEVNULL)
        program = site.send()
        readers = hosts.start(sys.executable, "-c", READERS, network.ADDRESS)
        site.processes.append(readers)
        for line in readers.stdout:
            if line == "64\n":
                break
        start, used = time.time(), processor_time(program.pid)
        served = [int(readers.stdout.readline()) for _ in range(seconds)]
        used = processor_time(program.pid) - used
        return used, (time.time() - start) * RATE, min(served), memory(program.pid)


def wait_for(condition):
    while not condition():
        time.sleep(0.05)


def delays(messages):
    """The seconds from the time of each fix to its arrival."""
    for arrival, line in messages:
        fix = datetime.datetime.fromisoformat(json.loads(line)["content"]["location"]["timestamp"].replace("Z", "+00:00"))
        yield arrival - fix.timestamp()


def measure(programs, seconds, kind, keeps, service="traccar", rate=RATE):
    """CPU in seconds and fixes in some seconds, the messages in them, and memory."""
    with Site(*programs, (seconds + 60) * rate, kind, rate) as site:
        port, messages = site.serve_broker() if service == "mqtt" else site.serve()[1:]
        site.add(service, port, *(["--keep-unsent"] if keeps else []))
        program = site.send()
        wait_for(lambda: messages)
        time.sleep(2)
        start, used, count = time.time(), processor_time(program.pid), len(messages)
        time.sleep(seconds)
        used = processor_time(program.pid) - used
        return used, (time.time() - start) * rate, messages[count:], memory(program.pid)


def idle_wakeups(programs):
    """The wake-ups a minute while the user stays in one place."""
    with Site(*programs, (STATIONARY + 180) * RATE, PARKED) as site:
        _, port, messages = site.serve()
        site.add("traccar", port)
        program = site.send()
        wait_for(lambda: messages)
        time.sleep(STATIONARY)
        before = wakeups(program.pid)
        time.sleep(120)
        return (wakeups(program.pid) - before) / 2


def backlog(programs, service, count):
    """The seconds in which positions that were kept are sent."""
    with Site(*programs, 600 * RATE, PARKED) as site:
        server, port, _ = site.serve()
        site.end(server)
        site.add(service, port, "--keep-unsent", "--maximum-error", "1000")
        program = site.send()
        file = pathlib.Path(site.root, "state/locationd/share/home.queue")

        def rows():
            # The file is there before its table.
            with contextlib.closing(sqlite3.connect(file)) as queue, contextlib.suppress(sqlite3.OperationalError):
                return queue.execute("SELECT count(*), max(sequence), max(time) FROM position").fetchone()
            return 0, 0, 0

        wait_for(lambda: file.exists() and rows()[0])
        site.end(program)
        _, last, moment = rows()
        with contextlib.closing(sqlite3.connect(file)) as queue:
            queue.executemany("INSERT INTO position VALUES (?, ?, ?, ?, 400, NULL, 45000, 1000, 0)", (
                (last + number, moment + number, round((47 + number * METRE) * 1e7), 95_000_000) for number in range(1, count + 1)))
            queue.commit()
        _, _, messages = site.serve(f"--delay={ROUND_TRIP}", str(port))
        program = site.send()
        wait_for(lambda: messages)
        start = messages[0][0]
        wait_for(lambda: not rows()[0])
        return messages[-1][0] - start


def main():
    programs = [str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3]]
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    missed = 0

    def judge(is_reached, text):
        nonlocal missed
        missed += not is_reached
        print(f"{text}: " + ("yes" if is_reached else "NO"), flush=True)

    for name, kind, keeps, aim in [
            ("sent", LEAPS, False, 500), ("kept and sent", LEAPS, True, 500), ("left out", STEADY, False, 20)]:
        used, fixes, messages, pss = measure(programs, seconds, kind, keeps)
        sent = kind == LEAPS
        # A fix that was not sent is no measure of one that was.
        is_valid = len(messages) > 0.9 * fixes if sent else len(messages) <= 1
        cost = used / (len(messages) if sent else fixes) * 1e6
        judge(is_valid and cost <= aim and pss <= 9,
              f"{name:14} {cost:5.0f} µs a fix, aim ≤ {aim} µs; {len(messages)} messages of {fixes:.0f} fixes; PSS {pss:.1f} MB, "
              "aim ≤ 9 MB")
        if sent:
            late = sorted(delays(messages))
            slowest = late[int(len(late) * 0.99)]
            judge(slowest <= 1, f"{'':14} from the fix to the reader: {late[len(late) // 2]:.3f} s, p99 {slowest:.3f} s, aim ≤ 1 s")
    for name, keeps in [("to a broker", False), ("kept as well", True)]:
        used, fixes, messages, pss = measure(programs, seconds, LEAPS, keeps, "mqtt", BROKER_RATE)
        cost = used / len(messages) * 1e6
        judge(len(messages) > 0.9 * fixes and cost <= 300,
              f"{name:14} {cost:5.0f} µs a fix, aim ≤ 300 µs; {len(messages)} messages of {fixes:.0f} fixes; PSS {pss:.1f} MB")
    is_short = seconds < 20
    if not is_short:
        count = idle_wakeups(programs)
        judge(count <= 2, f"{'parked':14} {count:.1f} wake-ups a minute, aim ≤ 2")
    count = BACKLOG // 10 if is_short else BACKLOG
    for name, service, aim in [("in batches", "dawarich", 30), ("one by one", "traccar", 600)]:
        # One by one, each takes the same time.
        part = count if service == "dawarich" else count // 10
        elapsed = backlog(programs, service, part) * BACKLOG / part
        judge(elapsed <= aim, f"{name:14} {BACKLOG} kept positions at {ROUND_TRIP * 1000:.0f} ms a round trip: {elapsed:.0f} s"
              + ("" if part == BACKLOG else f", measured with {part}") + f", aim ≤ {aim} s")
    try:
        network.enter()
        used, fixes, served, pss = bridge(programs, seconds)
        cost = used / fixes * 1e6
        judge(served == 64 and cost <= 200 and pss <= 9,
              f"{'bridge':14} {cost:5.0f} µs a fix for {served} readers on another host, aim ≤ 200 µs for 64; PSS {pss:.1f} MB, aim ≤ 9 MB")
    except network.Unavailable as reason:
        print(f"{'bridge':14} not measured: {reason}")
    sys.exit(missed > 0)


main()
