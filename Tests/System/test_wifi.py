"""Wi-Fi positioning: real NetworkManager and polkit, access points of a mock, and a positioning server over TLS in all its
modes. Nothing leaves before root has named a server."""
import json
import re
import subprocess
import time

from boxtest import REPOSITORY
from package import DECLARATION, PackageTestCase, package

SERVER = REPOSITORY / "Tests/Programs/NetworkPositioningTests/Server"
PORT = 8443
URL = f"https://positioning.test:{PORT}"
SOCKET = "/run/locationd-network/org.locationd.Network"
RULE = "/etc/polkit-1/rules.d/60-locationd-wifi.rules"


class WiFiTests(PackageTestCase):
    suite = "bookworm+wifi"

    @classmethod
    def setUpClass(cls):
        super(PackageTestCase, cls).setUpClass()
        # Counts what goes to the server's port, and any question about a name.
        cls.box.enter("nft", "add", "table", "inet", "count")
        cls.box.enter("nft", "add", "chain", "inet", "count", "out", "{ type filter hook output priority 0; }")
        cls.box.enter("nft", "add", "rule", "inet", "count", "out", "tcp", "dport", str(PORT), "counter")
        cls.box.enter("nft", "add", "rule", "inet", "count", "out", "udp", "dport", "53", "counter")
        cls.install(package())
        cls.write("/etc/locationd/clients.d/org.locationd.locationctl.plist", DECLARATION)
        cls.box.enter("sh", "-c", "echo 127.0.0.1 positioning.test >> /etc/hosts")
        cls.box.copy(SERVER / "authority.pem", "/usr/local/share/ca-certificates/locationd-test.crt", mode=0o644)
        cls.box.enter("update-ca-certificates", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in ["positioning-server", "server.pem"]:
            cls.box.copy(SERVER / name, f"/root/{name}")
        cls.box.copy(REPOSITORY / "Tests/System/access_points.py", "/root/access_points.py")

    @classmethod
    def packets(cls):
        """The number of packets to the server or to a name server so far."""
        text = cls.box.output("nft", "list", "table", "inet", "count")
        return sum(int(number) for number in re.findall(r"counter packets (\d+)", text))

    def command(self, *words, code=0):
        """The output and errors of root's locationctl, whose exit status is checked."""
        result = self.box.enter("locationctl", *words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, timeout=60)
        self.assertEqual(result.returncode, code, result.stdout)
        return result.stdout

    def source(self):
        """The service's status of the source."""
        sources = json.loads(self.command("status", "--format", "json"))["sources"]
        return next((source for source in sources if source["kind"] == "wifi"), None)

    def serve(self):
        """Starts the positioning server, and returns what it was asked so far."""
        with open(self.box.path("/root/asked"), "w"):
            pass
        self.start("positioning", "sh", "-c", f"exec python3 /root/positioning-server --port {PORT} > /root/asked")
        self.eventually(lambda: str(PORT) in self.asked())

    def asked(self):
        return self.box.path("/root/asked").read_text()

    def hear(self):
        """Puts the mock in NetworkManager's place."""
        self.box.enter("systemctl", "mask", "--runtime", "--now", "NetworkManager.service", stderr=subprocess.DEVNULL)
        self.addCleanup(self.box.enter, "systemctl", "unmask", "--runtime", "NetworkManager.service",
                        stderr=subprocess.DEVNULL)
        self.box.path("/root/heard").write_text("")
        self.start("access-points", "sh", "-c", "exec python3 /root/access_points.py > /root/heard")
        self.eventually(lambda: "READY" in self.box.path("/root/heard").read_text())

    def use(self, mode):
        """Names the server in this mode, and has it asked once. Returns the service's status of the source."""
        self.command("sources", "enable", "wifi", "--server", f"{URL}/{mode}")
        self.box.enter("systemctl", "restart", "locationd.service")
        # A program that waits for a location, for longer than the server may take.
        self.box.enter("timeout", "18", "locationctl", "get", "--timeout", "15", check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return self.source()

    def test_1_nothing_is_sent_before_a_server_is_named(self):
        self.serve()
        self.hear()
        shown = self.command("sources", "wifi", "--dry-run", "--server", f"{URL}/ok")
        self.assertIn("a4:2b:b0:11:22:33", shown)
        self.command("get", "--timeout", "3", code=75)
        self.assertIsNone(self.source())
        refusal = self.command("sources", "enable", "wifi", "--server", f"{URL}/ok", code=1)
        self.assertIn("apt install ./locationd-network_*.deb", refusal)
        self.assertEqual(self.packets(), 0)
        self.install(package("locationd-network", "deb-network"))
        self.assertIn("No server is named", self.command("sources", "enable", "wifi", code=1))
        self.command("sources", "enable", "wifi", "--server", "http://positioning.test/", code=64)
        self.command("get", "--timeout", "3", code=75)
        self.assertEqual(self.packets(), 0)
        self.assertEqual(self.box.enter("test", "-e", RULE, check=False).returncode, 1)

    def test_2_located_with_what_the_dry_run_shows(self):
        self.serve()
        self.hear()
        source = self.use("ok")
        location = json.loads(self.command("get", "--format", "json"))
        self.assertAlmostEqual(location["latitude"], 52.52)
        self.assertGreaterEqual(location["horizontalAccuracy"], 61.7)
        self.assertEqual(location["sourceInformation"]["kind"], "wifi")
        self.assertEqual(source["name"], f"positioning.test:{PORT}")
        [request] = [json.loads(line) for line in self.asked().splitlines()[1:]]
        shown = self.command("sources", "wifi", "--dry-run")
        ages = re.compile(r'"age":\d+')
        self.assertIn(ages.sub("", request["content"]), ages.sub("", shown))
        self.assertIn("User-Agent: " + request["headers"]["User-Agent"], shown)
        for name in ["Cafe", "Home", "nomap", "cc:40:d0:00", "da:a1", "00:01:02"]:
            self.assertNotIn(name, request["content"])
        self.assertEqual(source["requestsToday"], 1)
        # Nothing of it is in the journal or on disk.
        self.assertNotRegex(self.journal(), r"52\.52|a4:2b:b0")
        self.command("sources", "disable", "wifi")
        self.assertIsNone(self.source())
        self.assertEqual(self.box.enter("test", "-e", RULE, check=False).returncode, 1)

    def test_3_hostile_servers(self):
        self.serve()
        self.hear()
        for mode, sentence in [
            ("page", "captive portal"), ("huge", "more than 65536 bytes"), ("endless", "more than 65536 bytes"),
            ("redirect", "redirection"), ("lie", "cannot be one by Wi-Fi"), ("fallback", "not by Wi-Fi"),
            ("busy", "accepts no more requests"), ("notfound", "knows none"), ("slow", "did not answer within 10"),
        ]:
            with self.subTest(mode):
                source = self.use(mode)
                self.eventually(lambda: sentence in (self.source().get("problem") or ""),
                                what=lambda: f"{sentence} in {self.source()}")
                self.assertIn(sentence, self.journal("--unit=locationd-network.service"))
                self.assertNotIn("radius", source)
        self.command("sources", "disable", "wifi")

    def test_4_unknown_authority(self):
        self.serve()
        self.hear()
        self.box.enter("rm", "/usr/local/share/ca-certificates/locationd-test.crt")
        self.box.enter("update-ca-certificates", "--fresh", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.use("ok")
        self.eventually(lambda: "is not valid here" in (self.source().get("problem") or ""))
        self.assertEqual(self.asked().count("wifiAccessPoints"), 0)
        self.box.copy(SERVER / "authority.pem", "/usr/local/share/ca-certificates/locationd-test.crt", mode=0o644)
        self.box.enter("update-ca-certificates", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.command("sources", "disable", "wifi")

    def test_5_other_users_cannot_ask(self):
        call = ["python3", "-c", f"import socket; socket.socket(socket.AF_UNIX).connect('{SOCKET}')"]
        result = self.box.enter("setpriv", "--reuid=alice", "--regid=alice", "--clear-groups", *call, check=False,
                                stderr=subprocess.PIPE, text=True)
        self.assertIn("PermissionError", result.stderr)
        self.assertEqual(self.box.output("stat", "--format=%U %a", SOCKET), "locationd 600")

    def test_6_it_exits_after_its_last_request(self):
        self.serve()
        self.hear()
        self.use("ok")
        unit = "locationd-network.service"
        process = self.show(unit, "MainPID")
        self.assertNotEqual(process, "0")
        memory = self.box.path(f"/proc/{process}/smaps_rollup").read_text()
        print(unit, *re.findall(r"(?:Rss|Pss):.*", memory))
        # No bus, no service, no gpsd.
        self.command("sources", "disable", "wifi")
        self.eventually(lambda: self.show(unit, "ActiveState") == "inactive", timeout=40)
        self.assertEqual(self.show(unit, "Result"), "success")

    def test_7_exposure(self):
        for unit, most in [("locationd.service", 1.8), ("locationd-network.service", 1.3)]:
            text = self.box.output("systemd-analyze", "security", "--no-pager", unit)
            self.assertLessEqual(float(re.search(r"Overall exposure level[^:]*: ([\d.]+)", text)[1]), most, unit)
        self.assertEqual(set(self.show("locationd.service", "IPAddressDeny").split()), {"::/0", "0.0.0.0/0"})

    def test_8_real_network_manager_without_hardware(self):
        self.serve()
        self.box.enter("systemctl", "start", "NetworkManager.service")
        self.use("ok")
        self.eventually(lambda: "no Wi-Fi device" in (self.source().get("problem") or ""))
        # polkit lets the service scan, and nobody else.
        check = ["pkcheck", "--action-id", "org.freedesktop.NetworkManager.wifi.scan", "--process"]
        for user, allowed in [("locationd", True), ("daemon", False)]:
            pid = self.start(f"asker-{user}", "sleep", "60", user=user)
            result = self.box.enter(*check, str(pid), check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertEqual(result.returncode == 0, allowed, user)
        self.command("sources", "disable", "wifi")
