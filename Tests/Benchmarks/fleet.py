"""The map of a fleet: CPU of the map and of the program that reads the broker with many vehicles, each of which reports once a second,
memory over that of the map alone, the time to the first whole picture, the time from a fix to a browser, and the bytes to each.

    fleet.py LOCATIONCTL-MAP MAP-DATA [VEHICLES] [SECONDS] [ZOOM]

The broker is Mosquitto, and the browser a socket that reads events, with all vehicles in view at a zoom level: from 14 on each report is a
move of a pixel.
"""
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt

LIMIT = 60

STEP = 1e-4


def processor_time(process):
    """The CPU time of a process with the threads that have ended, in seconds (clock_getcpuclockid(3))."""
    return time.clock_gettime(~process << 3 | 2)


def memory(process):
    """The proportional memory of a process in MB."""
    text = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(text.split("\nPss:")[1].split()[0]) / 1000


def child(process):
    """The only child of a process; 0 while it has none."""
    files = pathlib.Path(f"/proc/{process}/task").glob("*/children")
    return int(("".join(file.read_text() for file in files).split() or ["0"])[0])


def wait_for(condition):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("The program did not do it in time")
        time.sleep(0.05)


class Browser(threading.Thread):
    """Reads the events of a page whose map shows an area."""

    def __init__(self, address, bounds, zoom):
        super().__init__(daemon=True)
        self.address, self.query = urlsplit(address), {"type": "fleet", "bounds": bounds, "zoom": zoom, "kept": [], "search": ""}
        self.bytes, self.vehicles, self.first, self.delays = 0, {}, None, []
        self.sent, self.expected = {}, 1

    def request(self, method, path, **more):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port)
        connection.request(method, path, **more)
        return connection.getresponse()

    def run(self):
        cookie = self.request("GET", self.address.path).getheader("Set-Cookie").split(";")[0]
        root = "/" + self.address.path.split("/")[1]
        events = self.request("GET", f"{root}/events", headers={"Cookie": cookie})
        start, name = None, None
        for line in events:
            self.bytes += len(line)
            if line.startswith(b"event: "):
                name = line[7:].strip()
            if not line.startswith(b"data: "):
                continue
            if name == b"state":
                start = time.monotonic()
                self.request("POST", f"{root}/messages", headers={
                    "Cookie": cookie, "Content-Type": "application/json", "Origin": f"http://{self.address.netloc}"},
                    body=json.dumps({"page": json.loads(line[6:])["page"], "messages": [self.query]})).read()
            elif name == b"fleet":
                self.take(json.loads(line[6:]), start)

    def take(self, event, start):
        now = time.monotonic()
        for number in event["removed"]:
            del self.vehicles[number]
        digits, names, number = decoded(event["vehicles"]), iter(event["names"]), 0
        for difference in digits:
            number += difference
            label, before = self.vehicles.get(number) or (f"{next(names)}{next(names)}", (0,) * 7)
            values = tuple(value + next(digits) for value in before)
            self.vehicles[number] = label, values
            at = self.sent.get((label, values[0]))
            if at:
                self.delays.append(now - at)
        if self.first is None and len(self.vehicles) >= self.expected:
            self.first = now - start


def decoded(digits):
    """Yields the numbers of an event: see FleetRecords."""
    value, scale = 0, 1
    for code in digits.encode():
        value += (code - (93 if code >= 93 else 35)) * scale
        scale *= 32
        if code < 93:
            yield -(value + 1) // 2 if value % 2 else value // 2
            value, scale = 0, 1


class Vehicles:
    """Publishes a position of each vehicle once a second, evenly."""

    def __init__(self, socket, count):
        self.count, self.step, self.sent = count, 0, {}
        self.client = mqtt.Client(protocol=mqtt.MQTTv5, transport="tcp")
        self.client.max_queued_messages_set(0)
        self.client.connect("127.0.0.1", socket)
        self.client.loop_start()

    def publish(self, index):
        longitude = 5 + index % 100 / 10 + self.step * STEP
        self.sent[f"fleet/v{index}", round(longitude * 1e6)] = time.monotonic()
        self.client.publish(f"owntracks/fleet/v{index}", json.dumps({
            "_type": "location", "lat": 46 + index // 100 / 20, "lon": round(longitude, 6), "tst": int(time.time()), "vel": 36, "cog": 90}),
            retain=True)

    def all(self):
        for index in range(self.count):
            self.publish(index)
        self.step += 1

    def drive(self, seconds):
        """Returns after some seconds, in which each vehicle has reported each second."""
        start = time.monotonic()
        for second in range(seconds):
            for part in range(20):
                for index in range(part, self.count, 20):
                    self.publish(index)
                time.sleep(max(0, start + second + (part + 1) / 20 - time.monotonic()))
            self.step += 1
        return time.monotonic() - start


def measure(program, data, count, seconds, zoom):
    with tempfile.TemporaryDirectory() as directory:
        socket, port = f"{directory}/broker", 18_883
        pathlib.Path(directory, "broker.conf").write_text(
            f"user root\nlog_dest none\nallow_anonymous true\nmax_queued_messages 0\nlistener 0 {socket}\nlistener {port} 127.0.0.1\n")
        processes = [subprocess.Popen([shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), "-c", f"{directory}/broker.conf"])]
        wait_for(lambda: os.path.exists(socket))
        environment = os.environ | {"LOCATIOND_MAP_DATA": data, "LOCATIOND_SOCKET": f"{directory}/none", "XDG_DATA_HOME": directory}

        def start(*options):
            process = subprocess.Popen([program, "--mode", "none", *options], env=environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
            processes.append(process)
            return process, process.stdout.readline().strip()

        try:
            vehicles = Vehicles(port, count)
            vehicles.all()
            alone, address = start()
            page = Browser(address, [-180, -90, 180, 90], 5)
            page.start()
            fleet, address = start("--fleet", socket)
            wait_for(lambda: child(fleet.pid))
            feed = child(fleet.pid)
            time.sleep(3)
            country = Browser(address, [4, 40, 40, 60], zoom)
            country.expected, country.sent = count, vehicles.sent
            country.start()
            wait_for(lambda: country.first is not None)
            vehicles.drive(3)
            country.bytes, country.delays = 0, []
            used = [processor_time(each) for each in (fleet.pid, feed)]
            time_taken = vehicles.drive(seconds)
            used = [processor_time(each) - before for each, before in zip((fleet.pid, feed), used)]
            delays = sorted(country.delays)
            print(f"{count} vehicles, one report a second each, {seconds} s:")
            print(f"  CPU            map {used[0] / time_taken * 100:.1f} %, reader of the broker {used[1] / time_taken * 100:.1f} % of a core")
            print(f"  memory         {memory(fleet.pid) - memory(alone.pid):.1f} MB over the map alone, reader {memory(feed):.1f} MB")
            print(f"  first picture  {country.first * 1000:.0f} ms after the page has asked")
            print(f"  to a browser   {country.bytes / time_taken / 1000:.0f} kB/s with all vehicles in view")
            if delays:
                print(f"  fix to event   median {delays[len(delays) // 2] * 1000:.0f} ms, p99 {delays[len(delays) * 99 // 100] * 1000:.0f} ms "
                      f"({len(delays)} positions)")
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait()


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[3:]]
    measure(*sys.argv[1:3], *(numbers + [10_000, 20, 6][len(numbers):]))
