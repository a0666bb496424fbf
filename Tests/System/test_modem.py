"""The receiver of a modem, through the real ModemManager and the real polkit."""
import datetime
import json
import pathlib
import re
import subprocess
import tempfile
import time

from boxtest import REPOSITORY, BoxTestCase, Conversation
from package import declaration, package

MODEM_MANAGER = "org.freedesktop.ModemManager1"
RULE = "/etc/polkit-1/rules.d/60-locationd-modem.rules"
GPS_RAW, GPS_NMEA = 2, 4
LONGEST_FIRST_FIX = 1.5
# Of one core, in the service of the package and all processes that it asks. The aim was 0.5 %, of which ModemManager, the bus
# and polkit, which decides about each question anew, take nearly all.
GREATEST_COST = 1 / 100


class ModemTests(BoxTestCase):
    """Programs of this build under the packaged unit: what is tested is between them and ModemManager."""

    suite = "bookworm+sources"

    @classmethod
    def setUpClass(cls):
        cls.skip_unless_available()
        super().setUpClass()
        cls.install_program("locationd", "/usr/sbin/locationd")
        cls.install_program("locationctl", "/usr/bin/locationctl")
        for source, inside in {
            "systemd/locationd.service": "/etc/systemd/system/locationd.service",
            "systemd/locationd.socket": "/etc/systemd/system/locationd.socket",
            "systemd/locationd.sysusers": "/usr/lib/sysusers.d/locationd.conf",
            "Config/dbus/org.locationd.conf": "/usr/share/dbus-1/system.d/org.locationd.conf",
            "Config/polkit/modem.rules": RULE,
        }.items():
            cls.box.copy(REPOSITORY / source, inside, mode=0o644)
        cls.write("/etc/locationd/locationd.plist", """<?xml version="1.0"?><plist version="1.0"><dict>
            <key>Modem</key><dict><key>Enabled</key><true/></dict></dict></plist>""")
        cls.write("/etc/locationd/clients.d/locationctl.plist",
                  declaration("org.locationd.locationctl", Executable="/usr/bin/locationctl"))
        cls.box.enter("systemd-sysusers")
        # Without gpsd the modem is the only receiver. ModemManager's own unit would not start in a container.
        cls.box.enter("systemctl", "mask", "--now", "gpsd.socket", "gpsd.service", "ModemManager.service")
        cls.box.enter("systemctl", "daemon-reload")
        cls.box.enter("systemctl", "reload", "dbus.service")
        cls.box.enter("systemctl", "restart", "polkit.service")
        cls.box.enter("systemctl", "start", "locationd.socket")
        cls.box.copy(pathlib.Path(__file__).with_name("modem.py"), "/root/modem.py")

    def setUp(self):
        self.box.enter("rm", "-f", "/run/modem-silent")
        self.begin_modem()

    # The modem

    def begin_modem(self):
        self.addCleanup(self.box.enter, "systemctl", "stop", "modem.service", check=False, stderr=subprocess.DEVNULL)
        self.box.enter("systemd-run", "--quiet", "--collect", "--unit=modem", "umockdev-wrapper", "python3", "-u",
                       "/root/modem.py")
        self.path = self.eventually(self.find_modem, what=lambda: "the modem")
        # What NetworkManager does on a machine with a SIM card.
        self.eventually(lambda: "successfully enabled" in self.mmcli("-m", "any", "--enable"), what=lambda: "the modem")

    def find_modem(self):
        found = re.search(r"/org/freedesktop/ModemManager1/Modem/\d+", self.mmcli("-L"))
        return found and found[0]

    def mmcli(self, *options):
        return self.box.enter("mmcli", *options, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True).stdout

    def property(self, name, user="root"):
        result = self.box.enter(
            "setpriv", f"--reuid={user}", "--clear-groups", "busctl", "--system", "get-property", MODEM_MANAGER, self.path,
            f"{MODEM_MANAGER}.Modem.Location", name, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        return result.stdout.strip() if result.returncode == 0 else None

    def enabled(self):
        return int(self.property("Enabled").split()[1])

    # The program

    def watch(self):
        """A program of alice's that wants every location."""
        program = Conversation(self.box.spawn(
            "locationctl", "watch", "--format", "json", options=["--uid=alice", "--unit=watch"]))
        self.addCleanup(program.end)
        self.addCleanup(self.stop_watching)
        return program

    def stop_watching(self):
        self.box.enter("systemctl", "stop", "watch.service", check=False, stderr=subprocess.DEVNULL)

    def next_of(self, program, key, timeout=20):
        """The next update with this key, `latitude` or `diagnostic`, and when it came."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            when, line = program._next(timeout, key)
            update = json.loads(line)
            if key in update:
                return time.time() - (time.monotonic() - when), update
        raise AssertionError(f"waited {timeout} s in vain for “{key}”")

    def location(self, program, timeout=20):
        """The next location, and how old it was when it came."""
        when, location = self.next_of(program, "latitude", timeout)
        return location, when - datetime.datetime.fromisoformat(location["timestamp"]).timestamp()

    def said(self):
        """What status says of the modem."""
        return self.box.output("locationctl", "status")

    # The tests

    def test_fixes(self):
        self.assertEqual(self.enabled() & GPS_NMEA, 0)
        program = self.watch()
        location, delay = self.location(program)
        self.assertEqual(location["sourceInformation"]["kind"], "modem")
        self.assertEqual(location["sourceInformation"]["device"], "modem:1-1")
        self.assertAlmostEqual(location["latitude"], 52.52, places=6)
        self.assertAlmostEqual(location["horizontalAccuracy"], 10.5, delta=0.1)
        self.assertLess(delay, LONGEST_FIRST_FIX)
        delays = sorted(self.location(program)[1] for _ in range(20))
        print(f"first fix {delay * 1000:.0f} ms after the receiver sent it; the next 20: median "
              f"{delays[10] * 1000:.0f} ms, worst {delays[-1] * 1000:.0f} ms")
        self.assertLess(delays[-1], LONGEST_FIRST_FIX)
        self.assertEqual(self.enabled() & GPS_NMEA, GPS_NMEA)
        self.assertEqual(self.property("SignalsLocation"), "b false")

    def test_others_bits_stay(self):
        self.mmcli("-m", "any", "--location-enable-gps-raw")
        before = self.enabled()
        self.assertEqual(before & (GPS_RAW | GPS_NMEA), GPS_RAW)
        self.location(self.watch())
        self.assertEqual(self.enabled(), before | GPS_NMEA)
        self.stop_watching()
        ended = time.monotonic()
        self.eventually(lambda: self.enabled() == before, what=lambda: "the receiver to be left")
        print(f"left {(time.monotonic() - ended) * 1000:.0f} ms after the last program")
        self.assertLess(time.monotonic() - ended, 1)

    def test_receiver_of_another_program_stays_on(self):
        self.mmcli("-m", "any", "--location-enable-gps-nmea")
        before = self.enabled()
        self.location(self.watch())
        self.stop_watching()
        self.eventually(lambda: "idle" in self.said() or "not needed" in self.said(), what=self.said)
        self.assertEqual(self.enabled(), before)
        self.mmcli("-m", "any", "--location-disable-gps-nmea")

    def test_end_of_the_service(self):
        before = self.enabled()
        self.location(self.watch())
        self.box.enter("systemctl", "stop", "locationd.service")
        self.addCleanup(self.box.enter, "systemctl", "start", "locationd.socket")
        self.assertEqual(self.enabled(), before)

    def test_silence(self):
        program = self.watch()
        self.location(program)
        self.write("/run/modem-silent", "")
        last = time.time()
        while True:
            when, line = program._next(10, "the loss")
            update = json.loads(line)
            if "diagnostic" in update:
                break
            last = datetime.datetime.fromisoformat(update["timestamp"]).timestamp()
        lost = time.time() - (time.monotonic() - when) - last
        print(f"unavailable {lost:.2f} s after the last fix")
        self.assertTrue(3.4 < lost < 5, lost)
        self.eventually(lambda: "is silent" in self.said(), what=self.said)
        self.box.enter("rm", "/run/modem-silent")
        self.location(program)

    def test_switched_off_by_another_program(self):
        program = self.watch()
        self.location(program)
        self.mmcli("-m", "any", "--location-disable-gps-nmea")
        self.eventually(lambda: "Another program has switched the receiver" in self.said(), what=self.said)
        self.next_of(program, "diagnostic")
        self.location(program)

    def test_nobody_else_sees_the_location(self):
        monitor = Conversation(self.box.spawn(
            "gdbus", "monitor", "--system", "--dest", MODEM_MANAGER, options=["--uid=bob", "--unit=monitor"]))
        self.addCleanup(monitor.end)
        self.addCleanup(self.box.enter, "systemctl", "stop", "monitor.service")
        monitor.answer("Monitoring signals from all objects")
        program = self.watch()
        for _ in range(3):
            self.location(program)
        # The monitor works: it has seen that the receiver was switched on.
        self.eventually(lambda: any("Enabled" in line for _, line in monitor.lines.queue), what=lambda: "the switch")
        seen = "\n".join(line for _, line in monitor.lines.queue)
        self.assertNotIn("5231.2", seen)
        self.assertNotIn("52.52", seen)
        self.assertEqual(self.property("Location", user="bob"), "a{uv} 0")

    def test_shown_to_all_by_another_program(self):
        self.mmcli("-m", "any", "--location-set-enable-signal")
        self.addCleanup(self.mmcli, "-m", "any", "--location-set-disable-signal")
        program = self.watch()
        self.next_of(program, "diagnostic")
        self.eventually(lambda: "to every user of this machine" in self.said(), what=self.said)
        self.assertEqual(self.enabled() & GPS_NMEA, 0)
        self.mmcli("-m", "any", "--location-set-disable-signal")
        self.location(program)

    def test_unplugged(self):
        program = self.watch()
        self.location(program)
        self.box.enter("systemctl", "kill", "--kill-whom=main", "--signal=SIGUSR1", "modem.service")
        self.next_of(program, "diagnostic")
        self.eventually(lambda: "no modem" in self.said(), what=self.said)
        self.box.enter("systemctl", "stop", "modem.service")
        self.eventually(lambda: "ModemManager is not running" in self.said(), what=self.said)
        self.begin_modem()
        self.location(program)

    def test_without_the_rule(self):
        self.box.enter("mv", RULE, "/root/rule")
        self.addCleanup(self.box.enter, "systemctl", "restart", "polkit.service")
        self.addCleanup(self.box.enter, "mv", "/root/rule", RULE)
        self.box.enter("systemctl", "restart", "polkit.service")
        program = self.watch()
        self.next_of(program, "diagnostic")
        self.eventually(lambda: "sudo locationctl sources enable modem" in self.said(), what=self.said)

    def test_cost(self):
        self.box.enter("cp", "/usr/sbin/locationd", "/root/locationd.debug")
        self.addCleanup(self.box.enter, "systemctl", "stop", "locationd.service")
        self.addCleanup(self.box.enter, "mv", "/root/locationd.debug", "/usr/sbin/locationd")
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run(["dpkg-deb", "--extract", package(), directory], check=True)
            self.box.enter("systemctl", "stop", "locationd.service")
            self.box.copy(pathlib.Path(directory) / "usr/sbin/locationd", "/usr/sbin/locationd")
        self.location(self.watch())
        processes = {
            "locationd": self.box.output("systemctl", "show", "--value", "--property=MainPID", "locationd.service"),
            "polkitd": self.box.output("pidof", "polkitd"), "dbus-daemon": self.box.output("pidof", "dbus-daemon").split()[-1],
            "ModemManager": self.box.output("pidof", "ModemManager"),
        }

        def used():
            return {name: sum(int(file.read_text().split()[0]) for file in
                              self.box.path(f"/proc/{process}/task").glob("*/schedstat")) / 1e9
                    for name, process in processes.items()}

        # For a minute gpsd, which is masked here, is tried several times a second.
        time.sleep(65)
        before, seconds = used(), 30
        time.sleep(seconds)
        shares = {name: (after - before[name]) / seconds for name, after in used().items()}
        print("cost at 1 Hz, of a core: " + ", ".join(f"{name} {share * 100:.2f} %" for name, share in shares.items()))
        self.assertLess(sum(shares.values()), GREATEST_COST)
