"""`locationctl share` into a network: what another host there receives, in its own words and in those of gpsd and pynmea2."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

import network

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "Tests/OtherLanguages"))
import support  # noqa: E402
sys.path.insert(0, str(REPOSITORY / "Tests/Documentation"))
from pages import RECIPES, commands  # noqa: E402

SHARE = "org.locationd.share"
EXACT = ["RMC", "GGA", "GLL", "VTG", "GSA", "GST", "ZDA"]
REDUCED = ["ZDA", "GGA", "RMC", "GSA"]


def setUpModule():
    try:
        network.enter()
    except network.Unavailable as reason:
        raise unittest.SkipTest(f"not tested in a network: {reason}") from None


class BridgeTestCase(unittest.TestCase):
    """A machine and another host, with a service and a user who may share."""
    # The options of the service's source; those of the tests' track if there are none.
    source = ()

    def setUp(self):
        self.network = self.enterContext(network.Network())
        self.daemon = support.Daemon(*self.source)
        self.enterContext(self.daemon)
        self.daemon.write(f"clients.d/{SHARE}.plist", {
            "CFBundleIdentifier": SHARE, "NSLocationWhenInUseUsageDescription": "For a test.",
            "NSLocationAlwaysAndWhenInUseUsageDescription": "For a test.",
            "Match": {"Executable": str((support.PROGRAMS / "locationd-share").resolve())}})
        self.restart()
        self.state = self.enterContext(tempfile.TemporaryDirectory(prefix="locationd-share-"))
        self.daemon.locationctl("allow", "--always", SHARE)

    def restart(self):
        self.daemon.stop()
        self.daemon.start()

    def share(self, *arguments, code=0):
        """What a command of `locationctl share` says."""
        environment = os.environ | {"LOCATIOND_SOCKET": self.daemon.socket, "XDG_STATE_HOME": self.state}
        result = subprocess.run([support.PROGRAMS / "locationd-share", *arguments], env=environment, capture_output=True, text=True,
                                timeout=60)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stdout}{result.stderr}")
        return result.stdout + result.stderr

    def run_share(self):
        """The program that sends, until the end of the test."""
        environment = os.environ | {"LOCATIOND_SOCKET": self.daemon.socket, "XDG_STATE_HOME": self.state}
        program = subprocess.Popen([support.PROGRAMS / "locationd-share", "run"], env=environment, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end, program)
        return program

    def end(self, program):
        program.kill()
        program.communicate()

    def reader(self, *arguments):
        reader = self.network.reader(*arguments)
        self.addCleanup(self.end, reader)
        return reader

    def start(self, *options, end=("--listen", f"{network.INTERFACE}:10110"), kind="nmea"):
        """Adds a bridge and starts a share with it. Returns what was said, and the program that sends."""
        said = self.share("add", "bridge", kind, *end)
        said += self.share("start", "bridge", "--no-service", *options)
        return said, self.run_share()


class BridgeTests(BridgeTestCase):
    def test_another_host_reads_what_independent_parsers_understand(self):
        import pynmea2

        said, program = self.start()
        self.assertIn(f"everybody in the network of {network.INTERFACE}", said)
        self.assertIn(f"Readers connect to {network.ADDRESS}:10110.", said)
        reader = self.reader()
        lines = [reader.stdout.readline() for _ in range(3 * len(EXACT))]
        sentences = [pynmea2.parse(line, check=True) for line in lines]
        self.assertEqual([sentence.sentence_type for sentence in sentences], 3 * EXACT)
        for sentence in sentences:
            if sentence.sentence_type in ["RMC", "GGA", "GLL"]:
                self.assertAlmostEqual(sentence.latitude, support.LATITUDE, 6)
                self.assertAlmostEqual(sentence.longitude, support.LONGITUDE, 6)
        self.assertEqual(sentences[1].altitude, 100.5)
        self.assertTrue(all(len(line) <= 82 for line in lines), lines)
        self.assertIn("shared until", self.share("status"))
        # Programs of this machine are not in that network.
        with socket.create_connection((network.ADDRESS, 10110), timeout=20) as connection:
            self.assertEqual(connection.recv(100), b"")
        self.share("stop", "bridge")
        rest = reader.stdout.read()
        self.assertTrue(rest.endswith("reset\n"), rest[-100:])
        self.assertEqual(program.wait(timeout=30), 0)
        self.assertIn("not shared", self.share("status"))

    def test_the_recipe(self):
        """Its commands, as a user's instead of the vehicle's."""
        for line in commands(RECIPES, "On a boat"):
            for words, others in [("sudo ", ""), (" --system", ""), (" --user locationd-share", ""), ("eth0", network.INTERFACE)]:
                line = line.replace(words, others)
            program, *arguments = line.split()
            if program == "ip":
                self.network.ip(*arguments, stdout=subprocess.DEVNULL)
            elif arguments[0] == "share":
                self.share(*arguments[1:], *(["--no-service"] if arguments[1] == "start" else []))
            else:
                self.daemon.locationctl(*arguments)
        self.run_share()
        self.assertIn("RMC", self.reader().stdout.readline())

    def test_gpsd_reads_it(self):
        self.start()
        # Once the port is open.
        self.reader().stdout.readline()
        gpsd = self.network.start("gpsd", "-N", "-n", "-S", "2999", f"tcp://{network.ADDRESS}:10110")
        self.addCleanup(self.end, gpsd)
        fix = self.network.there("sh", "-c", FIX)
        self.assertIn('"lat":12.345678', fix)
        self.assertIn('"lon":98.765432', fix)
        self.assertIn(f'"device":"tcp://{network.ADDRESS}:10110"', fix)

    def test_datagrams_to_all_to_a_group_and_to_one(self):
        for target, group in [("192.168.77.255:10110", None), ("239.192.0.1%boat:10110", "239.192.0.1"),
                              (f"{network.OTHER}:10110", None)]:
            with self.subTest(target):
                reader = self.network.start(sys.executable, "-c", DATAGRAMS, 3, group or "")
                self.addCleanup(self.end, reader)
                self.assertEqual(reader.stdout.readline(), "ready\n")
                said, program = self.start(end=("--to", target))
                self.assertIn("in the network of boat", said)
                datagrams = reader.stdout.read().split("\n\n")[:-1]
                self.assertEqual([[line[3:6] for line in datagram.splitlines()] for datagram in datagrams], 3 * [EXACT])
                self.share("stop", "bridge")
                self.assertEqual(program.wait(timeout=30), 0)
                self.share("remove", "bridge")

    def test_gpsd_reads_datagrams(self):
        gpsd = self.network.start("gpsd", "-N", "-n", "-S", "2999", "udp://0.0.0.0:10110")
        self.addCleanup(self.end, gpsd)
        self.start(end=("--to", "192.168.77.255:10110"))
        self.assertIn('"lat":12.345678', self.network.there("sh", "-c", FIX))

    def test_deltas_of_signal_k(self):
        self.start(kind="signalk")
        line = self.reader().stdout.readline()
        delta = json.loads(line)
        self.assertEqual(delta["context"], "vessels.self")
        values = {value["path"]: value["value"] for value in delta["updates"][0]["values"]}
        self.assertEqual(values["navigation.position"],
                         {"latitude": support.LATITUDE, "longitude": support.LONGITUDE, "altitude": 100.5})
        self.assertEqual(values["navigation.datetime"], delta["updates"][0]["timestamp"])

    def test_an_approximate_share_gives_the_cell_only(self):
        said, _ = self.start("--accuracy", "reduced")
        self.assertIn("approximate", said)
        reader = self.reader()
        # The same again, until the next cell.
        lines = [reader.stdout.readline() for _ in range(2 * len(REDUCED))]
        self.assertEqual([line[3:6] for line in lines], 2 * REDUCED)
        self.assertEqual(lines[:len(REDUCED)], lines[len(REDUCED):])
        place = lines[1].split(",")
        self.assertEqual([len(place[2]), len(place[4]), place[8]], [9, 10, "99.99"])
        self.assertNotIn("1220.7", place[2])

    def test_a_denial_disconnects_everybody_and_a_permission_opens_the_port_again(self):
        self.start("--indefinitely")
        reader = self.reader()
        self.assertIn("RMC", reader.stdout.readline())
        self.daemon.locationctl("deny", SHARE)
        self.assertTrue(reader.stdout.read().endswith("reset\n"))
        self.assertEqual(self.network.there(sys.executable, "-c", REFUSED), "refused\n")
        self.daemon.locationctl("allow", "--always", SHARE)
        self.assertIn("RMC", self.reader().stdout.readline())

    def test_an_interface_that_loses_its_address(self):
        self.start()
        reader = self.reader()
        self.assertIn("RMC", reader.stdout.readline())
        self.network.ip("address", "delete", f"{network.ADDRESS}/24", "dev", network.INTERFACE)
        self.network.ip("address", "add", "192.168.77.3/24", "dev", network.INTERFACE)
        self.assertIn("RMC", self.reader("192.168.77.3").stdout.readline())

    def test_a_reader_from_the_internet_is_disconnected(self):
        self.network.there("ip", "address", "add", "203.0.113.9/32", "dev", "end")
        self.network.ip("route", "add", "203.0.113.9/32", "dev", network.INTERFACE)
        self.start()
        self.assertIn("RMC", self.reader().stdout.readline())
        self.assertEqual(self.network.there(sys.executable, "-c", STRANGER), "b''\n")

    def test_refusals(self):
        self.network.ip("link", "add", "wan", "type", "veth", "peer", "name", "internet")
        self.addCleanup(self.network.ip, "link", "delete", "wan")
        self.network.ip("address", "add", "203.0.113.7/24", "dev", "wan")
        self.network.ip("link", "set", "wan", "up")
        for arguments, words in [
            (["--listen", "boat;10110"], "takes the name of an interface and a port"),
            (["--listen", "boat"], "takes the name of an interface and a port"),
            (["--listen", "[::]:10110"], "takes the name of an interface and a port"),
            (["--listen", "*:10110"], "takes the name of an interface and a port"),
            (["--listen", "0.0.0.0:10110"], "There is no interface 0.0.0.0. There are: boat, wan."),
            (["--listen", "baot:10110"], "There is no interface baot. There are: boat, wan."),
            (["--listen", "boat:80"], "1024 to 65535"), (["--listen", "boat:65536"], "1024 to 65535"),
            (["--listen", "boat:-1"], "1024 to 65535"), (["--listen", "boat:"], "1024 to 65535"),
            (["--listen", "lo:10110"], "leads to this machine only"),
            (["--listen", "wan:10110"], "everybody on the Internet"),
            (["--listen", "boat:10110", "--plain-http"], "A bridge has no URL"),
            ([], "needs an interface and a port"),
            (["--listen", "boat:10110", "--to", "192.168.77.255:10110"], "Give one of"),
            (["--to", "192.168.77.255"], "--to takes an address"), (["--to", "boat:10110"], "--to takes an address"),
            (["--to", "192.168.77.255;10110"], "--to takes an address"), (["--to", "fd00::1:10110"], "--to takes an address"),
            (["--to", "192.168.77.255:0"], "1 to 65535"), (["--to", "192.168.78.255:10110"], "in a network of this machine"),
            (["--to", "255.255.255.255:10110"], "in a network of this machine"),
            (["--to", "0.0.0.0:10110"], "in a network of this machine"), (["--to", "127.0.0.1:10110"], "gpsd's port"),
            (["--to", f"{network.ADDRESS}:10110"], "this machine itself"), (["--to", "239.192.0.1:10110"], "Name the interface"),
            (["--to", "203.0.113.255:10110"], "everybody on the Internet"),
        ]:
            with self.subTest(arguments):
                self.assertIn(words, self.share("add", "bridge", "nmea", *arguments, code=1))
        self.assertIn("for a bridge", self.share("add", "home", "traccar", "--listen", "boat:10110", code=1))
        self.assertIn("Internet", self.share("add", "open", "nmea", "--listen", "wan:10110", "--public"))
        self.share("add", "bridge", "nmea", "--listen", "boat:10110")
        self.assertIn("Readers connect to", self.share("check", "bridge"))
        self.assertIn("--keep-unsent", self.share("start", "bridge", "--keep-unsent", code=1))
        self.assertIn("A bridge sends each", self.share("start", "bridge", "--maximum-error", "20", code=1))


# A fix of the gpsd on that host, once it has one.
FIX = ("for i in $(seq 100); do gpspipe -w -n 30 localhost:2999 2>/dev/null | grep -m 1 '\"mode\":3' && exit; sleep 0.1; done; "
       "exit 1")
DATAGRAMS = """
import socket, sys
reader = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
reader.bind(("", 10110))
reader.settimeout(30)
if sys.argv[2]:
    reader.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(sys.argv[2]) + socket.inet_aton("192.168.77.2"))
print("ready", flush=True)
for number in range(int(sys.argv[1])):
    print(reader.recv(65536).decode().replace("\\r\\n", "\\n"))
"""
REFUSED = f"""
import socket
try:
    socket.create_connection(("{network.ADDRESS}", 10110), timeout=20)
except ConnectionRefusedError:
    print("refused")
"""

STRANGER = f"""
import socket
print(socket.create_connection(("{network.ADDRESS}", 10110), timeout=20, source_address=("203.0.113.9", 0)).recv(100))
"""

if __name__ == "__main__":
    unittest.main()
