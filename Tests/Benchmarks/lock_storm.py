"""The lock storm of `make bench`: 2,000 processes of one user, whose session is locked and unlocked and who then all end.

    lock_storm.py LOCATIOND [COUNT]

Everything is real but logind: the daemon, the processes, their connections and the control group of their session. In
logind's place there are the file in which it keeps the state of a session and a connection that speaks just enough of the
bus's protocol to tell the daemon of a lock. Needs root, and a machine without a logind of its own; says so elsewhere.

Prints for each step what it costs the daemon, for each process (CPU), and for how long another user who asks for the
status waits meanwhile (99th percentile).
"""
import json
import os
import pathlib
import plistlib
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

USER, SESSION = 4711, "94711"
AIM_CPU, AIM_DELAY = 50, 20  # µs for each process, ms
SESSIONS = pathlib.Path("/run/systemd/sessions")
LOCKED, IN_USE = b"L", b"U"


class Bus:
    """The system bus with logind on it, for one connection at a time: see the D-Bus Specification."""

    def __init__(self, path):
        self.is_locked = False
        self.serial = 0
        self.peer = None
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    @staticmethod
    def text(value):
        data = value.encode()
        return struct.pack("<I", len(data)) + data + b"\0"

    @staticmethod
    def pad(data, to):
        return data + bytes(-len(data) % to)

    def send(self, kind, fields, body=b"", signature=None):
        self.serial += 1
        array = b""
        for code, sort, value in fields + ([(8, "g", signature)] if signature else []):
            array = self.pad(array, 8) + bytes([code, 1]) + sort.encode() + b"\0"
            if sort == "u":
                array = self.pad(array, 4) + struct.pack("<I", value)
            elif sort == "g":
                array += bytes([len(value)]) + value.encode() + b"\0"
            else:
                array = self.pad(array, 4) + self.text(value)
        header = struct.pack("<cBBBIII", b"l", kind, 1, 1, len(body), self.serial, len(array)) + array
        self.peer.sendall(self.pad(header, 8) + body)

    def serve(self):
        while True:
            self.peer, _ = self.listener.accept()
            data = b""
            while b"BEGIN\r\n" not in data:
                data += self.peer.recv(4096)
            words, data = data.split(b"BEGIN\r\n", 1)
            self.peer.sendall((b"DATA\r\n" if b"DATA" in words else b"") + b"OK " + b"0" * 32 + b"\r\n"
                              + (b"AGREE_UNIX_FD\r\n" if b"NEGOTIATE" in words else b""))
            while True:
                while len(data) < 16 or len(data) < self.length(data):
                    more = self.peer.recv(65536)
                    if not more:
                        break
                    data += more
                else:
                    self.answer(data[:self.length(data)])
                    data = data[self.length(data):]
                    continue
                break

    @staticmethod
    def length(data):
        body, _, fields = struct.unpack_from("<III", data, 4)
        return 16 + (fields + 7) // 8 * 8 + body

    def answer(self, message):
        serial = struct.unpack_from("<I", message, 8)[0]
        reply = [(5, "u", serial), (6, "s", ":1.1"), (7, "s", "org.freedesktop.login1")]
        if b"\0Hello\0" in message:
            self.send(2, reply, self.text(":1.1"), "s")
        elif b"LockedHint" in message:
            self.send(2, reply, b"\1b\0" + b"\0" + struct.pack("<I", self.is_locked), "v")
        else:
            self.send(2, reply)

    def set_locked(self, is_locked):
        self.is_locked = is_locked
        change = self.pad(self.text("LockedHint") + b"\1b\0", 4) + struct.pack("<I", is_locked)
        body = self.pad(self.text("org.freedesktop.login1.Session"), 4)
        # The entry begins at a multiple of eight.
        start = self.pad(body + bytes(4), 8)
        body = start[:len(body)] + struct.pack("<I", len(change)) + start[len(body) + 4:] + change
        body = self.pad(body, 4) + struct.pack("<I", 0)
        path = "/org/freedesktop/login1/session/_3" + SESSION[0] + SESSION[1:]
        self.send(4, [(1, "o", path), (2, "s", "org.freedesktop.DBus.Properties"), (3, "s", "PropertiesChanged"),
                      (7, "s", "org.freedesktop.login1")], body, "sa{sv}as")


def subscriber(path, report):
    """Subscribes, and reports each change of what it may have."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connection.sendall(b'{"method":"org.locationd.Location.Subscribe","more":true}\0')
    last, data = None, b""
    while True:
        more = connection.recv(65536)
        if not more:
            os._exit(1)
        *messages, data = (data + more).split(b"\0")
        for message in messages:
            state = LOCKED if b"insufficientlyInUse" in message else IN_USE if b"latitude" in message else last
            if state not in (last, None):
                os.write(report, state)
            last = state


def call(connection, method):
    connection.sendall(b'{"method":"org.locationd.%s"}\0' % method.encode())
    data = b""
    while not data.endswith(b"\0"):
        data += connection.recv(65536)
    return json.loads(data[:-1])["parameters"]


class Prober:
    """Another user who asks for the status every other millisecond."""

    def __init__(self, path):
        self.path = path
        self.start()

    def start(self):
        self.end, start = os.pipe()
        self.process = os.fork()
        if self.process:
            os.close(start)
            return
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.path)
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        while True:
            before = time.monotonic()
            call(connection, "Manager.GetServiceStatus")
            os.write(start, struct.pack("d", time.monotonic() - before))
            time.sleep(0.002)

    def take(self):
        """The 99th percentile since the last time, in ms; the one who waits now included."""
        delays = [struct.unpack("d", os.read(self.end, 8))[0]]
        while select.select([self.end], [], [], 0)[0]:
            data = os.read(self.end, 8 << 10)
            delays += [delay for delay, in struct.iter_unpack("d", data)]
        return 1000 * sorted(delays)[int(len(delays) * 0.99)]


def cpu(process):
    """What a process has used, in µs."""
    tasks = pathlib.Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1000


def row(name, value, unit, aim):
    print(f"{name:<86}{value:8.1f} {unit:<4}  ≤ {aim} {unit:<4} {'yes' if value <= aim else 'NO'}", flush=True)


def measure(daemon_path, count, directory):
    group = pathlib.Path("/sys/fs/cgroup")
    # A machine with both hierarchies has systemd's groups in the new one.
    group = (group / "unified" if (group / "unified").is_dir() else group)
    group = group / f"user.slice/user-{USER}.slice/session-{SESSION}.scope"
    group.mkdir(parents=True, exist_ok=True)
    state = SESSIONS / SESSION
    state.write_text(f"UID={USER}\nUSER=storm\nACTIVE=1\nSTATE=active\nREMOTE=0\nTYPE=wayland\nCLASS=user\n")
    python, site = os.path.realpath(sys.executable), pathlib.Path(directory)
    site.chmod(0o755)
    bus = Bus(f"{directory}/bus")
    (site / "clients.d").mkdir()
    (site / "locationd.plist").write_bytes(plistlib.dumps({
        "ClientDirectories": [f"{directory}/clients.d"],
        "Limits": {"ConnectionsPerUser": 65536, "SubscriptionsPerUser": 65536}}))
    (site / "clients.d/org.example.Storm.plist").write_bytes(plistlib.dumps({
        "CFBundleIdentifier": "org.example.Storm", "NSLocationWhenInUseUsageDescription": "Measures.",
        "Match": {"Executable": python}, "Policy": {"PresetAuthorization": "whenInUse"}}))
    track = pathlib.Path(__file__).resolve().parents[2] / "Config/demo/track.json"
    path = f"{directory}/socket"
    first, *others = sorted(os.sched_getaffinity(0))
    daemon = subprocess.Popen(
        [daemon_path, "--config", f"{directory}/locationd.plist", "--socket", path, "--state-directory", directory,
         # One fix a second, as receivers give it: the track has twenty.
         "--replay", track, "--speed", "0.05"], env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={directory}/bus"},
        stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, {first}))
    processes, prober = [], None
    try:
        for line in daemon.stderr:
            if " listens at " in line:
                break
        threading.Thread(target=daemon.stderr.read, daemon=True).start()
        os.sched_setaffinity(0, set(others) or {first})
        end, start = os.pipe()
        for _ in range(count):
            ready, go = os.pipe()
            process = os.fork()
            if process == 0:
                os.close(go)
                os.read(ready, 1)  # until it is in its session
                os.setgid(USER)
                os.setuid(USER)
                subscriber(path, start)
            (group / "cgroup.procs").write_text(str(process))
            os.close(go)
            os.close(ready)
            processes.append(process)

        def wait(state):
            """Until all have told that."""
            left = count
            while left:
                left -= os.read(end, left).count(state)

        wait(IN_USE)
        prober = Prober(path)
        status = socket.socket(socket.AF_UNIX)
        status.connect(path)

        def measure_cpu(name, act, until, number=count):
            """Without the prober, which costs the daemon something, too."""
            os.kill(prober.process, signal.SIGSTOP)
            time.sleep(0.2)
            before = cpu(daemon.pid)
            act()
            until()
            time.sleep(0.1)  # so that what it has put off counts
            row(f"{name}: CPU of the daemon for each of {number:,} processes", (cpu(daemon.pid) - before) / number,
                "µs", AIM_CPU)
            os.kill(prober.process, signal.SIGCONT)

        def measure_delay(name, act, until):
            time.sleep(0.2)
            prober.take()
            started = time.monotonic()
            act()
            until()
            elapsed = time.monotonic() - started
            row(f"{name}: how long another user waits, 99th percentile", prober.take(), "ms", AIM_DELAY)
            print(f"    all told after {1000 * elapsed:.0f} ms", flush=True)

        for measured in (measure_cpu, measure_delay):
            measured("lock", lambda: bus.set_locked(True), lambda: wait(LOCKED))
            measured("unlock", lambda: bus.set_locked(False), lambda: wait(IN_USE))

        def kill(number):
            ending = [processes.pop() for _ in range(number)]
            for process in ending:
                os.kill(process, signal.SIGKILL)
            for process in ending:
                os.waitpid(process, 0)

        def all_gone():
            # The prober's connection and this one stay.
            while call(status, "Manager.GetServiceStatus")["connections"] > len(processes) + 2:
                time.sleep(0.002)

        half = count // 2
        measure_cpu("exit", lambda: kill(half), all_gone, half)
        measure_delay("exit", lambda: kill(count - half), all_gone)
    finally:
        for process in processes + ([prober.process] if prober else []):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        daemon.kill()
        daemon.wait()
        state.unlink()
        group.rmdir()


def main():
    daemon, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    if os.getuid() != 0 or os.path.exists("/run/dbus/system_bus_socket") or not SESSIONS.is_dir():
        print("The lock storm was not measured: it needs root, and a machine without a logind of its own.")
        return
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    with tempfile.TemporaryDirectory(prefix="locationd-storm-") as directory:
        measure(daemon, count, directory)


main()
