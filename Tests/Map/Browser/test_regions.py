"""Regions made of real extracts by `locationctl map add`, and what goes wrong with other files."""

import gzip
import json
import os
import select
import signal
import sqlite3
import stat
import subprocess
import sys

import pytest

from service import DATA, PATIENCE, PROGRAMS, ROOT

EXTRACTS = os.path.join(ROOT, ".build", "map-fixtures")
LIECHTENSTEIN = os.path.join(EXTRACTS, "liechtenstein.osm.pbf")
HELSINKI = os.path.join(EXTRACTS, "helsinki.osm.pbf")
PROGRAM = os.path.join(PROGRAMS, "locationctl-map")


class Regions:
    """A directory of regions, and the commands for it."""

    def __init__(self, directory, **environment):
        self.home = str(directory)
        self.directory = os.path.join(self.home, "locationd", "maps")
        self.environment = {**os.environ, "XDG_DATA_HOME": self.home, "LOCATIOND_MAP_DATA": DATA, **environment}

    def run(self, *arguments, ends=0):
        result = subprocess.run([PROGRAM, *arguments], env=self.environment, capture_output=True, text=True,
                                timeout=4 * PATIENCE)
        assert result.returncode == ends, result.stderr
        return result

    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, *arguments], env=self.environment, stderr=subprocess.PIPE, text=True)

    def entries(self):
        return sorted(os.listdir(self.directory)) if os.path.isdir(self.directory) else []

    def tiles(self, name, zoom=14):
        """The tiles of a zoom level, unpacked."""
        database = sqlite3.connect(os.path.join(self.directory, name, "tiles.mbtiles"))
        return [gzip.decompress(row[0])
                for row in database.execute("SELECT tile_data FROM tiles WHERE zoom_level = ?", (zoom,))]

    def sources(self, name):
        """The numbers of the objects that places were made of; the last two bits tell the kind."""
        database = sqlite3.connect(os.path.join(self.directory, name, "places.sqlite"))
        return sorted(row[0] for row in database.execute("SELECT source FROM place WHERE source IS NOT NULL"))


@pytest.fixture
def regions(tmp_path):
    return Regions(tmp_path)


def tool(directory, name, script):
    """A program that stands in the place of another."""
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + script)
    os.chmod(path, stat.S_IRWXU)


@pytest.mark.smoke
def test_real_extracts_become_regions(regions):
    added = json.loads(regions.run("add", LIECHTENSTEIN, "--format", "json").stdout)
    assert added["name"] == "liechtenstein" and added["places"] > 1000 and added["placesSize"] > 100_000
    assert added["bounds"] == [9.471078, 47.04774, 9.636217, 47.27128]
    assert added["dataDate"].startswith("2013-08-03")
    # This one lacks nodes at its border, and has a coast.
    result = regions.run("add", HELSINKI)
    assert "lacks nodes of 421 ways, which were repaired" in result.stderr
    assert "places to find" in result.stdout
    assert regions.entries() == ["helsinki", "liechtenstein"]
    assert sorted(os.listdir(os.path.join(regions.directory, "helsinki"))) == [
        "places.sqlite", "region.json", "tiles.mbtiles"]
    tiles = regions.tiles("helsinki")
    assert any(b"ocean" in tile for tile in tiles) and any(b"\x04land" in tile for tile in tiles)
    assert any("Mannerheimintie".encode() in tile for tile in tiles)
    assert not any(b"ocean" in tile for tile in regions.tiles("liechtenstein"))
    listed = json.loads(regions.run("list", "--format", "json").stdout)
    assert [region["name"] for region in listed] == ["helsinki", "liechtenstein"]
    assert "Helsinki" in json.loads(regions.run("info", "helsinki", "--format", "json").stdout)["source"].title()

    # Of their tiles another region can be made, the same extract again, and none of another file by mistake.
    archive = os.path.join(regions.home, "copy.mbtiles")
    os.rename(os.path.join(regions.directory, "liechtenstein", "tiles.mbtiles"), archive)
    regions.run("add", archive)
    assert "none: it was made of finished tiles" in regions.run("info", "copy").stdout
    regions.run("add", LIECHTENSTEIN)
    refused = regions.run("add", HELSINKI, "--name", "copy", ends=1).stderr
    assert "There is a region copy already, made of copy.mbtiles" in refused
    regions.run("remove", "copy", "helsinki", "liechtenstein")
    assert regions.entries() == []


def test_other_files_are_refused_with_their_name_and_a_reason(regions):
    def file(name, content):
        path = os.path.join(regions.home, name)
        with open(path, "wb") as target:
            target.write(content)
        return path

    extract = open(LIECHTENSTEIN, "rb").read()
    world = os.path.join(DATA, "world.mbtiles")
    for path, reason in [
        (file("cut.osm.pbf", extract[:300_000]), "EOF"), (file("text.osm.pbf", b"hello"), "PBF error"),
        (file("empty.osm.pbf", b""), "no data"), (file("cut.mbtiles", open(world, "rb").read(200_000)), "malformed"),
        (file("text.pmtiles", b"hello"), "tile-join -o FILE.mbtiles"),
        (os.path.join(DATA, "imagery.mbtiles"), "it has pictures (webp)"), (world, "zoom level"),
        (file("x.osm", b"<osm/>"), "osmium cat"), (os.path.join(regions.home, "gone.osm.pbf"), "No such file"),
        (regions.home + "/nothing", "No such file"),
    ]:
        complaint = regions.run("add", path, ends=1).stderr
        assert path in complaint and reason in complaint, complaint
    assert regions.entries() == []
    # Of a directory, the others are added all the same.
    directory = os.path.join(regions.home, "maps")
    os.mkdir(directory)
    os.symlink(HELSINKI, os.path.join(directory, "helsinki.osm.pbf"))
    os.rename(os.path.join(regions.home, "cut.mbtiles"), os.path.join(directory, "cut\x1b[2J\u202e.mbtiles"))
    complaint = regions.run("add", directory, ends=1).stderr
    assert "1 of 2 files were not added" in complaint and "\x1b" not in complaint and "\u202e" not in complaint
    assert regions.entries() == ["helsinki"]


def test_an_extract_that_is_out_of_order_is_sorted(regions):
    source, target = (os.path.join(regions.home, name) for name in ("lines.opl", "shuffled.osm.pbf"))
    lines = subprocess.run(["osmium", "cat", HELSINKI, "-f", "opl", "-o", "-"], capture_output=True, text=True, check=True).stdout
    with open(source, "w") as file:
        file.writelines(reversed(lines.splitlines(keepends=True)))
    subprocess.run(["osmium", "cat", source, "-o", target], check=True)
    assert "shuffled.osm.pbf was not in the order of its numbers, and was sorted" in regions.run("add", target).stderr
    regions.run("add", HELSINKI)
    assert regions.sources("shuffled") == regions.sources("helsinki")


def test_a_town_takes_little_memory_and_keeps_the_numbers_of_its_places(regions):
    """By the numbers of its nodes, which reach 6 billion, a set of them would take 800 MB."""
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    made = subprocess.run([sys.executable, "-c", script, PROGRAM, "add", HELSINKI], env=regions.environment, capture_output=True, text=True, check=True)
    assert int(made.stdout.split()[-1]) < 150_000, made.stdout
    assert "of memory" in made.stderr
    original = subprocess.run(["osmium", "cat", HELSINKI, "-f", "opl", "-o", "-"], capture_output=True, text=True, check=True).stdout
    numbers = {line.split(" ", 1)[0] for line in original.splitlines()}
    ways = [number >> 2 for number in regions.sources("helsinki") if number & 3 == 1]
    assert len(ways) > 100 and all(f"w{number}" in numbers for number in ways)


def test_missing_tools_are_named_with_the_command_that_installs_them(tmp_path):
    regions = Regions(tmp_path, PATH=str(tmp_path))
    assert "apt install tilemaker osmium-tool" in regions.run("add", LIECHTENSTEIN, ends=1).stderr
    assert regions.entries() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interruption_leaves_nothing_half_made(tmp_path, number):
    tools = tmp_path / "tools"
    tools.mkdir()
    fifo = str(tmp_path / "started")
    os.mkfifo(fifo)
    # It says that it is at work, and does not end by itself. As long as it lives it has the pipe open.
    tool(tools, "tilemaker", f'exec 9> "{fifo}"; echo at work >&9; exec sleep 600')
    regions = Regions(tmp_path, PATH=f"{tools}:{os.environ['PATH']}")
    process = regions.start("add", LIECHTENSTEIN)
    pipe = open(fifo)
    assert pipe.readline() == "at work\n"
    assert regions.entries() == [".liechtenstein.partial"]
    assert json.loads(regions.run("list", "--format", "json").stdout) == []
    process.send_signal(number)
    complaint = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == -number
    assert select.select([pipe], [], [], PATIENCE)[0] and pipe.read() == "", "tilemaker lives on"
    pipe.close()
    if number == signal.SIGKILL:
        assert regions.entries() == [".liechtenstein.partial"]
        Regions(tmp_path).run("add", HELSINKI)
        assert regions.entries() == ["helsinki"]
    else:
        assert "no unfinished files are left" in complaint
        assert regions.entries() == []


def test_a_region_of_the_machine_is_for_everybody(tmp_path):
    """With the machine's directory in a namespace of its own, and by a root whose files are nobody else's."""
    script = f"""mount -t tmpfs -o mode=755 tmpfs /var/lib || exit 9
        umask 077
        "{PROGRAM}" add --system "{LIECHTENSTEIN}" >/dev/null 2>&1 || exit 1
        find /var/lib/locationd-map ! -perm -a=r -o -type d ! -perm -a=x
        echo "$("{PROGRAM}" list --format json)"
        "{PROGRAM}" remove liechtenstein 2>&1
        "{PROGRAM}" remove --system liechtenstein 2>&1
        find /var/lib/locationd-map -mindepth 1"""
    made = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True, text=True,
                          env=Regions(tmp_path).environment, timeout=4 * PATIENCE)
    if made.returncode == 9 or "unshare" in made.stderr:
        pytest.skip("no namespace can be made here")
    *unreadable, listed, refused, removed = made.stdout.strip().split("\n")
    assert unreadable == [], made
    assert [(region["name"], region["isSystem"]) for region in json.loads(listed)] == [("liechtenstein", True)]
    assert "map remove --system" in refused and removed == "Removed liechtenstein."


def test_a_tool_that_fails_is_quoted(tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    tool(tools, "tilemaker", 'echo "Block 1/2"; echo "it went\x1b[2J wrong" >&2; exit 3')
    regions = Regions(tmp_path, PATH=f"{tools}:{os.environ['PATH']}")
    complaint = regions.run("add", LIECHTENSTEIN, ends=1).stderr
    assert "tilemaker has failed with status 3" in complaint and "wrong" in complaint and "\x1b" not in complaint
    assert regions.entries() == []


def test_a_full_disk_is_said_to_be_full(tmp_path):
    """On a file system of its own, in namespaces of its own where those may be made."""
    tools = tmp_path / "tools"
    tools.mkdir()
    # One that fills what it is given to write, as tilemaker does.
    tool(tools, "tilemaker", 'while [ "$1" != --output ]; do shift; done; exec dd if=/dev/zero of="$2" bs=1M')
    data = tmp_path / "data"
    data.mkdir()

    def add(size, path):
        script = f'mount -t tmpfs -o size={size} tmpfs "{data}" && "{PROGRAM}" add "{LIECHTENSTEIN}"; echo "=$?"; ls -A "{data}/locationd/maps"'
        return subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
                              env={**Regions(data).environment, "PATH": path}, capture_output=True, text=True,
                              timeout=4 * PATIENCE)

    small = add("4m", os.environ["PATH"])
    if "=" not in small.stdout or "mount:" in small.stderr:
        pytest.skip("no namespace can be made here")
    assert "liechtenstein.osm.pbf needs about 14 MB" in small.stderr and small.stdout == "=1\n", small.stderr
    full = add("16m", f"{tools}:{os.environ['PATH']}")
    assert "is full" in full.stderr and full.stdout == "=1\n", full.stderr
