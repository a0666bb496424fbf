"""Programs that ask GeoClue, served by locationd and by GeoClue itself: `make bench-geoclue`.

    geoclue.py LOCATIOND GEOCLUE BENCHMARKS [SECONDS]

50 programs on a bus of their own, one fix a second. Prints for both what a delivery costs the service and the bus (CPU), and
how long it takes from the fix to the first and to the last program that has read it (median over the fixes). Then runs
what `make bench` measures of deliveries, start, memory and wake-ups, without and with a bus: BENCHMARKS is the program.
Needs a compiler, dbus-daemon and libsystemd-dev.
"""
import os
import pathlib
import plistlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

CLIENTS = 50
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={directory}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow send_type="signal"/>
<allow send_requested_reply="true"/><allow receive_type="method_call"/><allow receive_type="method_return"/>
<allow receive_type="error"/><allow receive_type="signal"/></policy></busconfig>
"""


def cpu(process):
    """The CPU time of a process, all threads, in seconds."""
    total = 0
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def memory(process):
    """The proportional memory of a process, in kB."""
    for line in pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])


class Receiver:
    """gpsd, or a receiver's own sentences: one fix a second to whoever connects."""

    def __init__(self, path, is_gpsd):
        self.is_gpsd = is_gpsd
        self.sent = []
        self.peers = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            peer, _ = self.listener.accept()
            if self.is_gpsd:
                threading.Thread(target=self.greet, args=[peer], daemon=True).start()
            else:
                self.peers.append(peer)

    def greet(self, peer):
        peer.send(b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n')
        while data := peer.recv(4096):
            if b'"enable":true' in data:
                peer.send(b'{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS0","driver":"NMEA0183",'
                          b'"activated":"2026-01-01T00:00:00.000Z","flags":1,"native":0,"bps":9600,"cycle":1.00}]}\r\n'
                          b'{"class":"WATCH","enable":true,"json":true,"nmea":false}\r\n')
                self.peers.append(peer)

    def fix(self, number):
        now = time.gmtime()
        if self.is_gpsd:
            text = ('{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"%s","ept":0.005,"lat":%.7f,"lon":13.3777,'
                    '"alt":36.9,"eph":7.48,"speed":1.1,"track":87.4}' % (
                        time.strftime("%Y-%m-%dT%H:%M:%S.000Z", now), 52.5 + number * 1e-5))
        else:
            body = "GPGGA,%s.00,52%06.3f,N,01322.662,E,1,08,0.9,35.0,M,45.0,M,," % (
                time.strftime("%H%M%S", now), 30 + number * 1e-2)
            check = 0
            for character in body:
                check ^= ord(character)
            text = "$%s*%02X" % (body, check)
        self.sent.append(time.monotonic_ns())
        for peer in self.peers:
            peer.send(text.encode() + b"\r\n")


def start_bus(directory):
    """A bus of its own, ready for connections. Gives its process and its address."""
    (directory / "bus.conf").write_text(BUS.format(directory=directory))
    bus = subprocess.Popen(["dbus-daemon", f"--config-file={directory}/bus.conf", "--nofork", "--print-address"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    bus.stdout.readline()
    return bus, f"unix:path={directory}/bus"


def measure(directory, clients, seconds, is_gpsd, start):
    """Runs one service. Gives CPU of the service and of the bus for each delivery in µs, the median delays to the first and
    to the last program in ms, and how much of what was due was delivered."""
    directory.mkdir()
    bus, address = start_bus(directory)
    receiver = Receiver(f"{directory}/receiver", is_gpsd)
    service = start(directory, address)
    load = None
    try:
        for _ in range(100):
            owned = subprocess.run(["dbus-send", f"--bus={address}", "--dest=org.freedesktop.DBus", "--print-reply",
                                    "/", "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.GeoClue2"],
                                   capture_output=True, text=True).stdout
            if "true" in owned:
                break
            time.sleep(0.05)
        else:
            sys.exit("The service does not have its name on the bus.")
        load = subprocess.Popen([clients, address, str(CLIENTS), str(seconds + 15)], stdout=subprocess.PIPE, text=True)
        lines = []
        threading.Thread(target=lambda: lines.extend(load.stdout), daemon=True).start()
        number = 0
        began = None
        while began is None or number - began < seconds:
            time.sleep(1)
            receiver.fix(number)
            number += 1
            # The first fixes bring everybody to read.
            if began is None and number > 5 and sum(line != "ready\n" for line in lines) >= 2 * CLIENTS:
                time.sleep(0.5)
                began, before = number, (cpu(service), cpu(bus))
                del lines[:]
            if began is None and number > 12:
                sys.exit("The programs get no fixes.")
        time.sleep(0.5)
        used = cpu(service) - before[0], cpu(bus) - before[1]
        size = memory(service)
        read = [int(line.split()[1]) for line in list(lines) if line != "ready\n"]
        delays = []
        for index in range(began, number):
            sent = receiver.sent[index]
            until = sent + 900_000_000
            own = sorted(time for time in read if sent <= time < until)
            if own:
                delays.append(((own[0] - sent) / 1e6, (own[-1] - sent) / 1e6))
        due = (number - began) * CLIENTS
        return (used[0] / len(read) * 1e6, used[1] / len(read) * 1e6, statistics.median(d[0] for d in delays),
                statistics.median(d[1] for d in delays), len(read) / due, size)
    finally:
        for process in filter(None, [load, service, bus]):
            process.kill()
            process.wait()


def main():
    locationd, geoclue, benchmarks = sys.argv[1:4]
    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 30
    source = pathlib.Path(__file__).with_name("geoclue_clients.c")
    with tempfile.TemporaryDirectory(prefix="locationd-geoclue-") as name:
        # A client is recognised where everybody can see it.
        os.chmod(name, 0o755)
        directory = pathlib.Path(name)
        clients = str(directory / "geoclue_clients")
        subprocess.run(["cc", "-O2", "-o", clients, str(source), "-lsystemd"], check=True)

        def start_locationd(directory, address):
            (directory / "clients.d").mkdir()
            (directory / "clients.d/benchmark.plist").write_bytes(plistlib.dumps({
                "CFBundleIdentifier": "org.example.Benchmark", "NSLocationWhenInUseUsageDescription": "Measures.",
                "Match": {"Executable": clients}, "Policy": {"PresetAuthorization": "always"}}))
            (directory / "locationd.plist").write_bytes(plistlib.dumps({
                "ClientDirectories": [f"{directory}/clients.d"], "GeoClue": {"Enabled": True, "BusAddress": address}}))
            return subprocess.Popen(
                [locationd, "--config", f"{directory}/locationd.plist", "--socket", f"{directory}/socket",
                 "--state-directory", f"{directory}/state", "--gpsd", f"{directory}/receiver"],
                stderr=subprocess.DEVNULL)

        def start_geoclue(directory, address):
            return subprocess.Popen([geoclue, "-t", "0", "-u", f"{directory}/receiver"], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": address})

        print(f"{CLIENTS} programs, a fix a second for {seconds} s")
        print(f"{'':10} {'service':>12} {'bus':>12} {'first has it':>13} {'last has it':>12} {'delivered':>10} {'memory':>10}")
        rows = {}
        for title, is_gpsd, start in [("GeoClue", False, start_geoclue), ("locationd", True, start_locationd)]:
            row = rows[title] = measure(directory / title, clients, seconds, is_gpsd, start)
            print(f"{title:10} {row[0]:9.0f} µs {row[1]:9.0f} µs {row[2]:10.2f} ms {row[3]:9.2f} ms {row[4]:9.0%} {row[5]:7} kB")
        cpu_ratio = rows["locationd"][0] / rows["GeoClue"][0]
        delay_ratio = rows["locationd"][3] / rows["GeoClue"][3]
        print(f"CPU for a delivery: {cpu_ratio:.0%} of GeoClue's; until the last has it: {delay_ratio:.0%} (aims: 50 %)")

        bus, address = start_bus(directory)
        try:
            for title, environment in [("without", {}), ("with", {"GEOCLUE_BUS": address})]:
                print(f"\nOwn clients, {title} programs that may ask GeoClue on a bus", flush=True)
                subprocess.run([benchmarks, "fanout", "idle", "start"], check=True, env={**os.environ, **environment})
        finally:
            bus.kill()
            bus.wait()


main()
