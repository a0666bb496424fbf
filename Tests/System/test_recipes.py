"""The recipes, as their page has them: the commands are read from it and run, those with sudo as root."""
import os
import re
import socket
import subprocess
import sys

from boxtest import REPOSITORY, Terminal
from sources import SourcesTestCase

sys.path.insert(0, str(REPOSITORY / "Tests/Documentation"))
from pages import README, RECIPES, commands, files  # noqa: E402

# From nmea.py, in the output of `locationctl get`.
PLACE = r"50\.97"


class RecipeTests(SourcesTestCase):
    @classmethod
    def connect_receiver(cls):
        """No receiver: each recipe connects its own. One of them sends to this port."""
        super().connect_receiver()
        cls.write("/etc/default/gpsd", 'GPSD_OPTIONS=""\n')

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("/usr/local/bin/sudo", '#!/bin/sh\nexec "$@"\n')
        cls.box.path("/usr/local/bin/sudo").chmod(0o755)
        for file in (REPOSITORY / "Config/packaging/python/locationd").iterdir():
            if file.is_file():
                cls.box.copy(file, f"/usr/lib/python3/dist-packages/locationd/{file.name}", mode=0o644)
        cls.box.enter("systemctl", "start", "user@1000.service")

    def setUp(self):
        # Nor does the service remember the receiver of the recipe before.
        self.box.enter("systemctl", "stop", "gpsd.service", "locationd.service", stderr=subprocess.DEVNULL)
        # The recipes of a whole page within seconds start them more often than systemd lets a unit start.
        self.box.enter("systemctl", "reset-failed", "gpsd.service", "gpsd.socket", "locationd.service", "locationd.socket")
        before = self.box.path("/etc/default/gpsd").read_text()
        self.addCleanup(self.box.path("/etc/default/gpsd").write_text, before)
        # A unit is never in use, and the user has no terminal here.
        self.ask("locationctl", "allow", "--always", "org.locationd.locationctl")

    def run_recipe(self, heading, replacing=None):
        """Runs the commands of a recipe and returns what each has said."""
        output = {}
        for path, text in files(RECIPES, heading).items():
            self.write(path.replace("~", "/home/alice"), self.replaced(text, replacing))
        for line in commands(RECIPES, heading):
            output[line] = self.type(self.replaced(line, replacing))
        return output

    def replaced(self, text, replacing):
        for old, new in (replacing or {}).items():
            text = text.replace(old, new)
        return text

    def type(self, line, code=0):
        """Runs a line in a shell: alice's, or root's if there is a sudo in it."""
        if "sudo " in line:
            result = self.box.enter("sh", "-c", line, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    text=True, timeout=60)
        else:
            result = self.box.enter(
                "systemd-run", "--quiet", "--collect", "--wait", "--pipe", "--uid=alice",
                "--setenv=XDG_RUNTIME_DIR=/run/user/1000", "--setenv=HOME=/home/alice", "--", "sh", "-c",
                line.replace("$", "$$"), check=False, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=60)
        if code is not None:
            self.assertEqual(result.returncode, code, f"{line}: {result.stdout}")
        return result.stdout

    def receiver(self, port):
        """Another simulated receiver, for this test."""
        process = subprocess.Popen(["nsenter", f"--target={self.box.leader}", "--net", sys.executable,
                                    REPOSITORY / "Tests/System/nmea.py", str(port)])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def test_phone(self):
        said = self.run_recipe("No receiver? Use your phone")
        self.assertRegex(said["locationctl get"], PLACE)
        self.assertIn("udp://0.0.0.0:20175", self.ask("locationctl", "status"))

    def test_machine_that_does_not_move(self):
        said = self.run_recipe("A machine that does not move")
        self.assertRegex(said["locationctl get"], r"52\.520")
        self.assertIn("FixedLocation.plist", said["sudo locationctl sources fixed"])
        self.assertIn("No position is set any more.", said["sudo locationctl sources fixed clear"])

    def test_receiver_in_a_modem(self):
        rule = "/etc/polkit-1/rules.d/60-locationd-modem.rules"
        self.box.copy(REPOSITORY / "Config/polkit/modem.rules", "/usr/share/locationd/polkit/modem.rules", mode=0o644)
        said = self.run_recipe("The receiver in a modem")
        self.assertIn(f"wrote     {rule}", said["sudo locationctl sources enable modem"])
        self.assertRegex(said["locationctl sources"], "(?m)^modem")
        self.assertIn(f"removed   {rule}", said["sudo locationctl sources disable modem"])
        self.assertFalse(self.box.path(rule).exists())

    def test_several_receivers(self):
        self.receiver(20176)
        second = "udp://127.0.0.1:20176"
        self.addCleanup(self.box.enter, "rm", "-f", "/etc/locationd/locationd.plist.d/receiver.plist")
        said = self.run_recipe("Several receivers", {"/dev/ttyACM0": second})
        self.assertIn("No problems found.", said["sudo locationctl config check"])
        self.ask("locationctl", "get")
        watching = self.box.spawn("locationctl", "watch", options=["--uid=alice", "--unit=several.service"])
        self.addCleanup(watching.communicate)
        self.addCleanup(self.box.enter, "systemctl", "stop", "several.service")
        self.eventually(lambda: all(name in self.ask("locationctl", "status") for name in [second, "udp://0.0.0.0:20175"]))

    def test_gpsd_on_another_machine(self):
        """The other machine is a network namespace at the end of a cable."""
        self.box.copy(REPOSITORY / "Tests/System/nmea.py", "/root/nmea.py")
        other = self.box.spawn(
            "sh", "-c", "python3 /root/nmea.py & echo ready; exec gpsd -N -n -G -S 2947 udp://127.0.0.1:20175",
            options=["--unit=other.service", "--property=PrivateNetwork=yes"])
        self.addCleanup(other.communicate)
        self.addCleanup(self.box.enter, "systemctl", "stop", "other.service")
        self.assertEqual(other.stdout.readline(), "ready\n")
        process = self.box.output("systemctl", "show", "--value", "--property=MainPID", "other.service")
        namespace = self.box.path(f"/proc/{process}/ns/net")
        here = ["nsenter", f"--target={self.box.leader}", "--net"]
        there = ["nsenter", f"--net={namespace}"]
        for command in [
            [*here, "ip", "link", "add", "cable", "type", "veth", "peer", "name", "end"],
            [*here, "ip", "link", "set", "end", "netns", str(namespace)],
            [*here, "ip", "address", "add", "192.0.2.1/24", "dev", "cable"],
            [*here, "ip", "link", "set", "cable", "up"],
            [*there, "ip", "address", "add", "192.0.2.7/24", "dev", "end"],
            [*there, "ip", "link", "set", "end", "up"],
        ]:
            subprocess.run(command, check=True)
        said = self.run_recipe("gpsd on another machine")
        self.assertRegex(said["locationctl get"], PLACE)

    def connect_phone(self):
        self.type("""echo 'DEVICES="udp://0.0.0.0:20175"' | sudo tee -a /etc/default/gpsd""")
        # The service has started gpsd already: programs on the bus may ask whether there is a receiver.
        self.type("sudo systemctl try-restart gpsd.service")

    def test_van(self):
        self.connect_phone()
        self.addCleanup(self.box.enter, "systemctl", "disable", "--now", "van-log.service", stderr=subprocess.DEVNULL)
        heading = "A van without a screen"
        *lines, track, history = commands(RECIPES, heading)
        for path, text in files(RECIPES, heading).items():
            self.write(path, text)
        for line in lines:
            self.type(line)
        log = self.box.path("/var/log/van/track.geojson")
        self.eventually(lambda: log.exists() and "50.97" in log.read_text())
        self.assertRegex(self.type(track), r"points +\d")
        self.assertIn("locationctl", self.type(history))

    def test_opencpn(self):
        self.connect_phone()
        doctor, fix, undo = commands(RECIPES, "OpenCPN beside it")
        # OpenCPN connects to gpsd's port.
        self.assertTrue(self.gpsd_answers())
        self.assertRegex(self.type("locationctl get"), PLACE)
        self.assertIn("PROBLEM", self.type(doctor, code=78))
        self.type(fix + " || true")
        self.assertFalse(self.gpsd_answers())
        self.assertRegex(self.type("locationctl get"), PLACE)
        self.type(undo + " || true")
        self.assertTrue(self.gpsd_answers())
        self.assertRegex(self.type("locationctl get"), PLACE)

    def test_time_zone_where_you_are(self):
        self.connect_phone()
        said = self.run_recipe("The time zone where you are")
        self.assertEqual(said["locationctl get --time-zone"], "Europe/Berlin\n")

    def test_time_zone_that_follows(self):
        self.connect_phone()
        heading = "A time zone that follows"
        enable, history, disable = commands(RECIPES, heading)
        self.type(enable)
        # It gets a location without a prompt, and an approximate one.
        self.eventually(lambda: "org.locationd.timezone" in self.type(history))
        self.assertIn("approximate", self.type(history))
        self.type(disable)
        self.assertEqual(self.box.enter("systemctl", "is-active", "locationd-timezone", check=False,
                                        stdout=subprocess.PIPE, text=True).stdout, "inactive\n")

    def test_script(self):
        self.connect_phone()
        heading = "A script of your own"
        self.assertIn(files(RECIPES, heading)["~/where.py"], (REPOSITORY / README).read_text())
        located = r"50\.97833 11\.02500 ± [\d.]+ m"
        (script, program), (unit, settings) = files(RECIPES, heading).items()
        declare, allow, run, *lines, journal = commands(RECIPES, heading)
        self.write(script.replace("~", "/home/alice"), program)
        for line in [declare, allow]:
            self.type(line)
        terminal = Terminal(self.box.terminal("terminal.service", "sh", "-c", run, user="alice", session="tty"))
        self.addCleanup(terminal.end)
        terminal.expect(located)
        terminal.press("\x03")
        self.eventually(lambda: self.type("systemctl --user is-active where.service", code=None) != "active\n")
        self.write(unit.replace("~", "/home/alice"), settings)
        self.box.enter("chown", "--recursive", "alice:alice", "/home/alice")
        for line in lines:
            self.type(line)
        self.eventually(lambda: re.search(located, self.type(journal)), what=lambda: self.type(journal))
