#!/usr/bin/env python3
"""Measures `locationctl map add` beside tilemaker alone, and the tiles that the map then serves: `map_add.py PROGRAMS EXTRACT
CONFIGURATION DATA COPIES`. The extract is copied side by side to a size that counts. Fails when an aim is missed."""

import concurrent.futures
import http.client
import os
import re
import resource
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

programs, extract, configuration, data, copies = sys.argv[1:]
missed = []


def line(what, value, unit, aim):
    is_reached = value <= aim
    print(f"{what}: {value:.2f} {unit} (at most {aim:g}){'' if is_reached else '  MISSED'}", flush=True)
    if not is_reached:
        missed.append(what)


def multiplied(source, count, target):
    """So many copies of an extract, 0.3 degrees apart, with numbers of their own."""
    text = subprocess.run(["osmium", "cat", source, "-f", "opl", "-o", "-"], check=True, capture_output=True, text=True)
    lines = text.stdout.splitlines()
    top = max(int(re.match(r".(\d+)", entry)[1]) for entry in lines) + 1
    writer = subprocess.Popen(["osmium", "cat", "-F", "opl", "-", "-o", target], stdin=subprocess.PIPE, text=True)
    for kind in "nwr":
        for copy in range(count):
            for entry in lines:
                if entry[0] == kind:
                    writer.stdin.write(shifted(entry, copy, copy * top) + "\n")
    writer.stdin.close()
    assert writer.wait() == 0


def shifted(entry, copy, offset):
    entry = re.sub(r"^(.)(\d+)", lambda found: found[1] + str(int(found[2]) + offset), entry)
    if entry[0] == "n":
        return re.sub(r" x(-?[\d.]+) y(-?[\d.]+)", lambda found: " x%.7f y%.7f" % (
            float(found[1]) + copy % 10 * 0.3, float(found[2]) + copy // 10 * 0.3), entry)
    head, mark, members = entry.rpartition(" N" if entry[0] == "w" else " M")
    return head + mark + re.sub(r"(^|,)([nwr])(\d+)",
                                lambda found: found[1] + found[2] + str(int(found[3]) + offset), members)


def measured(command, **environment):
    """How long a command takes in seconds, and the most memory that it or a child of it has, in bytes."""
    start = time.monotonic()
    with open(os.devnull, "w") as nowhere:
        subprocess.run(command, check=True, stdout=nowhere, stderr=nowhere, env={**os.environ, **environment})
    return time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


class Connection:
    """A kept connection that does no more than it must: the time of the client counts as the server's here."""

    def __init__(self, host, cookie):
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = f" HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n".encode()

    def get(self, address):
        self.socket.sendall(b"GET " + address + self.rest)
        answer = self.socket.recv(1 << 18)
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self.socket.recv(1 << 18)
        size = end + 4 + int(re.search(rb"(?i)content-length: (\d+)", answer[:end])[1])
        parts, length = [answer], len(answer)
        while length < size:
            parts.append(self.socket.recv(1 << 18))
            length += len(parts[-1])
        return b"".join(parts), end + 4

    def times(self, addresses):
        """Milliseconds from the question to the last byte of the answer."""
        times = []
        for address in addresses:
            start = time.perf_counter()
            answer, body = self.get(address)
            times.append((time.perf_counter() - start) * 1000)
            assert answer.startswith(b"HTTP/1.1 200") and answer[body:body + 2] == b"\x1f\x8b", answer[:200]
        return sorted(times)


def serve(archive, home):
    """Every tile of the last zoom level once, then 50 at a time over six connections, as a browser asks for them."""
    program = subprocess.Popen([os.path.join(programs, "locationctl-map"), "--mode", "none"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True,
                               env={**os.environ, "XDG_DATA_HOME": home, "LOCATIOND_MAP_DATA": data})
    try:
        _, _, host, path, _, code = program.stdout.readline().strip().split("/")
        entry = http.client.HTTPConnection(host)
        entry.request("GET", f"/{path}/enter/{code}")
        cookie = entry.getresponse().headers["Set-Cookie"].split(";")[0]
        rows = sqlite3.connect(archive).execute(
            "SELECT zoom_level, tile_column, tile_row FROM tiles WHERE zoom_level = 14 ORDER BY random() LIMIT 2000")
        paths = [f"/{path}/tiles/streets/{z}/{x}/{(1 << z) - 1 - row}".encode() for z, x, row in rows]
        one, *others = [Connection(host, cookie) for _ in range(6)]
        one.times(paths[:100])
        alone = one.times(paths)
        print(f"a tile over a kept connection, median: {alone[len(alone) // 2]:.2f} ms", flush=True)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            start = time.perf_counter()
            for _ in pool.map(Connection.times, [one, *others], [paths[:50][index::6] for index in range(6)]):
                pass
            fifty = (time.perf_counter() - start) * 1000
        return alone[len(alone) * 95 // 100], fifty
    finally:
        program.terminate()
        program.wait()


with tempfile.TemporaryDirectory() as directory:
    big = os.path.join(directory, "copies.osm.pbf")
    multiplied(extract, int(copies), big)
    size = os.path.getsize(big) / 1e6
    alone, _ = measured([
        "tilemaker", "--input", big, "--output", os.path.join(directory, "t.mbtiles"), "--bbox", "-180,-85,180,85",
        "--config", f"{configuration}/config.json", "--process", f"{configuration}/process.lua"])
    whole, memory = measured([os.path.join(programs, "locationctl-map"), "add", big], XDG_DATA_HOME=directory,
                             LOCATIOND_MAP_DATA=data)
    print(f"extract: {size:.1f} MB; tilemaker alone: {alone:.2f} s, {alone / size:.2f} s a MB")
    line("map add beside tilemaker alone", whole / alone, "times", 2)
    line("map add", whole / size, "s a MB of the extract", 2)
    line("memory, the largest process", memory / 1e6, "MB", 400 + 6 * size)
    region = os.path.join(directory, "locationd", "maps", "copies")
    line("the region", sum(entry.stat().st_size for entry in os.scandir(region)) / 1e6 / size,
         "MB a MB of the extract", 3)
    p95, fifty = serve(os.path.join(region, "tiles.mbtiles"), directory)
    line("a tile from file to socket and back, p95", p95, "ms", 1)
    line("50 tiles over six connections", fifty, "ms", 50)
sys.exit(f"\n{len(missed)} aims missed." if missed else 0)
