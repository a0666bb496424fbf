"""What OpenCPN and Navit of Debian 13 on another host read from a bridge."""
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import network
import test_bridge

sys.path.insert(0, str(test_bridge.REPOSITORY / "Tests/System"))
import box  # noqa: E402

SUITE = "trixie+maps"
RECEIVER = test_bridge.REPOSITORY / "Tests/System/nmea.py"
LATITUDE, LONGITUDE = 50.978333, 11.025
PATIENCE = 60
# As OpenCPN writes it, with a connection of the type Network by TCP (0) or UDP (1). A file of another version would have its words of
# welcome shown first.
OPENCPN = """[Settings]
ConfigVersionString=Version 5.10.2 Build 2024-09-11
NavMessageShown=1
[Settings/NMEADataSource]
DataConnections=1;{protocol};{address};10110;0;;4800;1;0;0;;0;;1;0;0;0;1;boat;0;;0;0
"""
# A program of the user alice there, with a screen. The shell stays process 1: X does not tell that one that it is ready.
RUN = """
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mkdir -m 1777 "$1/tmp/.X11-unix" && chroot "$1" chown -R alice: /home/alice &&
chroot "$1" setpriv --reuid alice --regid alice --clear-groups env HOME=/home/alice TMPDIR=/tmp LANG=C.UTF-8 \\
    xvfb-run --auto-servernum --server-args="-screen 0 1400x800x24" sh -c "cd; $2"
exit $?
"""


def setUpModule():
    if missing := box.missing():
        raise unittest.SkipTest(f"not tested with OpenCPN and Navit: {missing[0]}")
    test_bridge.setUpModule()


class ReaderTests(test_bridge.BridgeTestCase):
    """With a receiver: a recorded track is marked as simulated, which OpenCPN does not show."""
    source = ("--gpsd", "127.0.0.1:2947")

    def setUp(self):
        super().setUp()
        for command in [["gpsd", "-N", "-n", "-S", "2947", "udp://127.0.0.1:20175"], [sys.executable, RECEIVER]]:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="locationd-readers-")))
        files = box.Layer(directory / "files", box.build(SUITE))
        self.addCleanup(files.remove)
        self.root, self.home = files.root, files.root / "home/alice"

    def run_there(self, command):
        """A program on the other host, in the file system of Debian 13, until the end of the test."""
        program = subprocess.Popen(
            self.network.command("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", RUN, "sh", self.root, command),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end, program)

    def await_position(self, find):
        end = time.monotonic() + PATIENCE
        while not (found := find()):
            self.assertLess(time.monotonic(), end, "no position")
            time.sleep(0.2)
        # As many digits as they write.
        self.assertAlmostEqual(found[0], LATITUDE, 4)
        self.assertAlmostEqual(found[1], LONGITUDE, 4)

    def opencpn(self, **connection):
        settings = self.home / ".opencpn/opencpn.conf"
        settings.parent.mkdir()
        settings.write_text(OPENCPN.format(**connection))
        # It writes the position of the ship when it ends; if none has come by then, it is started again.
        self.run_there("until grep -q '^OwnShipLatLon=.*50.9' .opencpn/opencpn.conf; do "
                       "opencpn --no_opengl & sleep 8; opencpn --remote --quit; wait; done")

        def find():
            found = re.search(r'OwnShipLatLon=" *(50[\d.]+), *([\d.]+)"', settings.read_text())
            return found and tuple(map(float, found.groups()))
        self.await_position(find)

    def test_opencpn_by_tcp(self):
        self.start()
        self.opencpn(protocol=0, address=network.ADDRESS)

    def test_opencpn_by_udp(self):
        self.start(end=("--to", "192.168.77.255:10110"))
        self.opencpn(protocol=1, address="0.0.0.0")

    def test_navit(self):
        self.start()
        settings = (self.root / "etc/navit/navit.xml").read_text()
        vehicle = re.search(r'<vehicle name="Local GPS"[^>]*>', settings)[0]
        track = self.home / "track.gpx"
        source = re.sub(r'source="[^"]*"', f'source="socket:{network.ADDRESS}:10110"', vehicle)
        (self.home / "navit.xml").write_text(settings.replace(
            vehicle, source + '<log type="gpx" data="/home/alice/track.gpx" flush_size="1" flush_time="1"/>'))
        self.run_there("exec navit -c /home/alice/navit.xml")

        def find():
            found = track.exists() and re.search(r'<trkpt lat="([\d.]+)" lon="([\d.]+)">', track.read_text())
            return found and tuple(map(float, found.groups()))
        self.await_position(find)


if __name__ == "__main__":
    unittest.main()
