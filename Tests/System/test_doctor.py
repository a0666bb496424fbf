"""locationctl doctor and its --fix, with the installed package and a real gpsd."""
import json
import re
import subprocess

from package import PackageTestCase, declaration

DROP_IN = "/etc/systemd/system/gpsd.socket.d/locationd.conf"
PLIST = "/etc/locationd/locationd.plist"
WRITTEN = PLIST + ".d/gpsd-socket.plist"
SETTINGS = 'DEVICES="udp://127.0.0.1:20175"\nGPSD_OPTIONS="-n"\n'


class DoctorTestCase(PackageTestCase):
    def setUp(self):
        # The test before has restarted gpsd, and the service tries again until it answers.
        self.eventually(lambda: "gpsd.reachable" not in self.problems(self.doctor()), what=self.doctor)

    def doctor(self, *arguments, user="root"):
        """The findings, by identifier: the first of each. Whether the clock of this machine is kept in time is not for a
        test to say."""
        result = self.run_as(user, "locationctl", "doctor", "--format", "json", *arguments)
        findings = json.loads(result.stdout)
        self.assertEqual(result.returncode, 78 if "problem" in [f["severity"] for f in findings] else 0, result.stdout)
        return {finding["identifier"]: finding for finding in reversed(findings)}

    def run_as(self, user, *command):
        """Runs a command of a user in a unit of its own, without a terminal."""
        return self.box.enter(
            "systemd-run", "--quiet", "--collect", "--wait", "--pipe", f"--uid={user}", "--", *command,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)

    def at_a_terminal(self, answer, option="--fix"):
        """Runs doctor with an option at a terminal and types an answer."""
        return self.box.enter(
            "script", "--quiet", "--return", "--command", f"locationctl doctor {option}", "/dev/null", check=False,
            stdin=None, input=answer + "\n", stdout=subprocess.PIPE, text=True, timeout=60)

    def restart_gpsd(self):
        self.box.enter("systemctl", "daemon-reload")
        self.box.enter("systemctl", "stop", "gpsd.socket", "gpsd.service", stderr=subprocess.DEVNULL)
        self.box.enter("systemctl", "start", "gpsd.socket")

    def expect(self, findings, identifier, severity, words=""):
        finding = findings.get(identifier)
        self.assertIsNotNone(finding, f"{identifier} in {findings}")
        self.assertEqual(finding["severity"], severity, finding)
        self.assertIn(words, finding["found"] + "\n" + finding.get("remedy", ""))

    def problems(self, findings):
        return sorted(f["identifier"] for f in findings.values() if f["severity"] == "problem")

    def connects(self, user):
        """True if a user can connect to gpsd itself at its port."""
        greeting = self.run_as(
            user, "timeout", "10", "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/2947 && head -n 1 <&3").stdout
        return "VERSION" in greeting and '"rev":"locationd"' not in greeting


class ClosedGPSDTests(DoctorTestCase):
    """What another user gets from gpsd by each of its three ways, with gpsd's own programs."""
    suite = "bookworm+gpsd"

    @classmethod
    def setUpClass(cls):
        cls.skip_unless_available()
        super().setUpClass()

    def doctors(self, option):
        done = self.run_as("root", "locationctl", "doctor", option, "--yes")
        self.assertIn("Done.", done.stderr, done.stdout)

    def ways(self):
        """The ways in which bob gets a position while alice's program gets three of the service."""
        file = self.box.path("/home/bob/signals")
        file.unlink(missing_ok=True)
        self.start("signals.service", "sh", "-c",
                   "exec dbus-monitor --system type=signal,interface=org.gpsd > /home/bob/signals", user="bob")
        self.eventually(lambda: file.exists() and "NameAcquired" in file.read_text())
        three = self.ask("sh", "-c", "locationctl watch --format json | head --lines=3")
        self.assertEqual(three.count('"latitude"'), 3, three)
        # A program of gpsd's that has nothing to open ends at once.
        logged = self.run_as("bob", "sh", "-c", "timeout 20 gpxlogger -e shm | grep --max-count=1 trkpt")
        self.box.enter("systemctl", "stop", "signals.service")
        return {way for way, is_open in {
            "port": self.gpsd_answers(), "shared memory": "trkpt" in logged.stdout,
            "bus": "member=fix" in file.read_text()}.items() if is_open}

    def segment(self):
        """Owner and permissions of gpsd's segment."""
        for line in self.box.output("cat", "/proc/sysvipc/shm").splitlines():
            columns = line.split()
            if columns[0] == str(0x47505344):
                return columns[7], columns[2]
        return None

    def test_three_ways(self):
        everything = {"port", "shared memory", "bus"}
        self.addCleanup(self.run_as, "root", "locationctl", "doctor", "--undo", "--yes")
        self.assertEqual(self.ways(), everything)
        self.doctors("--fix")
        self.assertEqual(self.ways(), set())
        # Neither does gpsd open any of them when it starts again, nor leave one when it stops.
        self.box.enter("systemctl", "restart", "gpsd.service")
        self.assertEqual(self.ways(), set())
        self.assertEqual(self.segment(), ("0", "0"))
        self.box.enter("systemctl", "stop", "gpsd.socket", "gpsd.service", stderr=subprocess.DEVNULL)
        self.assertIsNone(self.segment())
        self.box.enter("systemctl", "start", "gpsd.socket")
        self.doctors("--undo")
        self.assertEqual(self.ways(), everything)
        self.assertEqual(self.segment(), ("0", "666"))
        # The last position stays in the segment, and goes when that is closed.
        self.box.enter("systemctl", "stop", "gpsd.socket", "gpsd.service", stderr=subprocess.DEVNULL)
        self.assertEqual(self.segment(), ("0", "666"))
        findings = self.doctor(user="alice")
        self.expect(findings, "gpsd.sharedMemory", "problem", "mode 666")
        self.expect(findings, "gpsd.bus", "notChecked", "gpsd does not run now")
        self.doctors("--fix")
        self.assertEqual(self.segment(), ("0", "0"))
        self.box.enter("systemctl", "start", "gpsd.socket")
        self.assertEqual(self.ways(), set())
        # Where an earlier release has closed the port only.
        self.box.enter("systemctl", "stop", "gpsd.socket", "gpsd.service", stderr=subprocess.DEVNULL)
        self.box.enter("rm", "-r", "/etc/systemd/system/gpsd.service.d")
        self.restart_gpsd()
        self.assertEqual(self.ways(), everything - {"port"})
        for user in ["root", "alice"]:
            self.assertEqual(self.problems(self.doctor(user=user)), ["gpsd.bus", "gpsd.sharedMemory"])
        self.doctors("--fix")
        self.assertEqual(self.ways(), set())
        self.assertEqual(self.problems(self.doctor()), [])

    def test_segment_of_another_user(self):
        """A user who is first to create gpsd's segment would read there what gpsd publishes."""
        self.addCleanup(self.run_as, "root", "locationctl", "doctor", "--undo", "--yes")
        self.doctors("--fix")
        self.box.enter("systemctl", "stop", "gpsd.socket", "gpsd.service", stderr=subprocess.DEVNULL)
        created = self.run_as("bob", "perl", "-e", "defined shmget(0x47505344, 1 << 20, 01666) or die $!")
        self.assertEqual((created.returncode, self.segment()[1]), (0, "666"), created.stderr)
        self.expect(self.doctor(), "gpsd.sharedMemory", "problem")
        self.box.enter("systemctl", "start", "gpsd.socket", "gpsd.service")
        self.assertEqual(self.segment(), ("0", "0"))
        # The service is connected again.
        self.ask("locationctl", "get", "--format", "json")
        findings = self.doctor()
        self.assertEqual(self.problems(findings), [], findings)


class ClosedGPSDDebian13Tests(ClosedGPSDTests):
    suite = "trixie+gpsd"


class DoctorTests(DoctorTestCase):
    def setUp(self):
        self.addCleanup(self.restart_gpsd)
        self.addCleanup(self.write, "/etc/default/gpsd", SETTINGS)
        super().setUp()

    # The port

    def test_fix(self):
        plist, drop_in = self.box.path(PLIST), self.box.path(DROP_IN)
        before = plist.read_text()
        self.assertTrue(self.connects("bob"))
        for user in ["root", "alice"]:
            findings = self.doctor(user=user)
            self.assertEqual(self.problems(findings), ["gpsd.bus", "gpsd.port", "gpsd.sharedMemory"], findings)
            self.expect(findings, "gpsd.port", "problem", "every local user")
            self.expect(findings, "gpsd.port", "problem", "127.0.0.1:2947")
            self.expect(findings, "gpsd.port", "problem", "[::1]:2947")
            for identifier in ["gpsd.reachable", "receiver.fix", "clock.receiver", "service.socketUnit", "service.unit",
                               "service.socketFile", "service.answer", "configuration.refused", "configuration.writable",
                               "client.program", "agent.program", "user.enabled", "user.agent", "user.authorization"]:
                self.expect(findings, identifier, "ok")
        # The class's own declaration replaces the package's.
        self.expect(findings, "client.hidden", "advice", "/etc/locationd/clients.d/org.locationd.locationctl.plist")

        # Only root can fix something, and only after agreeing.
        refused = self.run_as("alice", "locationctl", "doctor", "--fix", "--yes")
        self.assertEqual((refused.returncode, refused.stdout), (77, ""))
        self.assertIn("only root may", refused.stderr)
        unasked = self.run_as("root", "locationctl", "doctor", "--fix")
        self.assertEqual(unasked.returncode, 78)
        self.assertIn("no terminal to ask at", unasked.stderr)
        self.assertIn("PROBLEM", unasked.stdout)
        self.assertIn("write " + DROP_IN, unasked.stderr)
        declined = self.at_a_terminal("n")
        self.assertEqual(declined.returncode, 78)
        self.assertIn("Nothing was changed.", declined.stdout)
        self.assertEqual((plist.read_text(), drop_in.exists()), (before, False))

        agreed = self.at_a_terminal("y")
        self.assertEqual(agreed.returncode, 0, agreed.stdout)
        self.assertIn("locationd answers at gpsd's port 2947", agreed.stdout)
        self.assertEqual(plist.read_text(), before)
        self.assertIn("<key>Socket</key><string>/run/gpsd-client.sock</string>", self.box.path(WRITTEN).read_text())
        self.behind_the_socket()

        # Repeating it is harmless.
        again = self.run_as("root", "locationctl", "doctor", "--fix", "--yes")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertIn("nothing that --fix could change", again.stderr)

        # Undo it.
        self.assertEqual(self.run_as("alice", "locationctl", "doctor", "--undo").returncode, 77)
        self.assertIn("Nothing was changed.", self.at_a_terminal("n", "--undo").stdout)
        self.assertFalse(self.connects("bob"))
        undone = self.at_a_terminal("y", "--undo")
        self.assertEqual(undone.returncode, 0, undone.stdout)
        self.assertIn(f"remove {DROP_IN}", undone.stdout.replace("\r", ""))
        # The directory of the settings is the package's.
        self.assertEqual((drop_in.parent.exists(), self.box.path(WRITTEN).exists()), (False, False))
        self.assertTrue(self.box.path(WRITTEN).parent.exists())
        self.assertTrue(self.connects("bob"))
        self.assertEqual(self.problems(self.doctor()), ["gpsd.bus", "gpsd.port", "gpsd.sharedMemory"])
        self.ask("locationctl", "get", "--format", "json")
        again = self.run_as("root", "locationctl", "doctor", "--undo", "--yes")
        self.assertEqual((again.returncode, again.stderr), (0, "There is nothing that --undo could undo.\n"))

        # In a script, and after an incomplete first attempt.
        drop_in.parent.mkdir()
        drop_in.write_text("[Socket]\nListenStream=/run/half.sock\n")
        scripted = self.run_as("root", "locationctl", "doctor", "--fix", "--yes", "--format", "json")
        self.assertEqual(scripted.returncode, 0, scripted.stdout + scripted.stderr)
        self.assertNotIn("problem", [finding["severity"] for finding in json.loads(scripted.stdout)])
        self.behind_the_socket()

        # A file that was changed since is not removed, and neither is what belongs to it.
        written = drop_in.read_text()
        drop_in.write_text(written + "SocketGroup=adm\n")
        kept = self.run_as("root", "locationctl", "doctor", "--undo", "--yes")
        self.assertEqual(kept.returncode, 1)
        self.assertIn(f"{DROP_IN} stays, because it was changed", kept.stderr)
        self.assertEqual((drop_in.exists(), self.box.path(WRITTEN).exists()), (True, True))
        drop_in.write_text(written)
        self.assertEqual(self.run_as("root", "locationctl", "doctor", "--undo", "--yes").returncode, 0)
        self.assertTrue(self.connects("bob"))

    def test_fix_keeps_usb_receivers(self):
        """Debian's unit that passes a receiver to gpsd requires its socket, and nothing else starts it again. The box has no
        udev, so the unit's ties to the device are left out, and /dev/null stands for one."""
        unit = self.box.path("/etc/systemd/system/gpsdctl@.service")
        packaged = self.box.path("/lib/systemd/system/gpsdctl@.service").read_text()
        self.assertIn("Requires=gpsd.socket", packaged)
        unit.write_text("".join(line for line in packaged.splitlines(keepends=True) if "dev-%i" not in line))
        self.addCleanup(unit.unlink)
        self.write("/etc/default/gpsd", SETTINGS + 'USBAUTO="true"\n')
        self.restart_gpsd()
        self.box.enter("systemctl", "start", "gpsdctl@null.service")
        self.addCleanup(self.box.enter, "systemctl", "stop", "gpsdctl@null.service")
        for option in ["--fix", "--undo"]:
            done = self.run_as("root", "locationctl", "doctor", option, "--yes")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(self.box.output("systemctl", "is-active", "gpsdctl@null.service"), "active", option)
        # As remedies of doctor say.
        self.box.enter("systemctl", "restart", "gpsd.socket", "gpsd.service")
        self.assertEqual(self.box.output("systemctl", "is-active", "gpsdctl@null.service"), "active")

    def behind_the_socket(self):
        """Only the service can connect to gpsd, and it still has fixes."""
        for user in ["root", "alice", "bob"]:
            self.assertFalse(self.connects(user))
        self.assertEqual(self.box.output("stat", "--format=%U %a", "/run/gpsd-client.sock"), "locationd 600")
        # The control socket.
        self.assertEqual(self.box.output("stat", "--format=%U %a", "/run/gpsd.sock"), "root 600")
        self.assertIn("latitude", self.ask("locationctl", "get", "--format", "json"))
        for user in ["root", "alice"]:
            findings = self.doctor(user=user)
            self.assertEqual(self.problems(findings), [], findings)
            self.expect(findings, "gpsd.reachable", "ok", "" if user == "root" else "is closed to you")
            for identifier in ["gpsd.socket", "gpsd.port", "gpsd.sharedMemory", "gpsd.bus"]:
                self.expect(findings, identifier, "ok")
            self.expect(findings, "receiver.fix", "ok", "udp://127.0.0.1:20175")
            self.expect(findings, "clock.receiver", "ok")

    def test_port_open_to_the_network(self):
        self.write("/etc/systemd/system/gpsd.socket.d/test.conf", "[Socket]\nListenStream=\n"
                   "ListenStream=/run/gpsd.sock\nListenStream=0.0.0.0:2947\n")
        self.addCleanup(self.box.enter, "rm", "-r", "/etc/systemd/system/gpsd.socket.d")
        self.restart_gpsd()
        self.expect(self.doctor(), "gpsd.port", "problem", "everybody whose network reaches this machine")

    # gpsd

    def test_gpsd_is_not_started(self):
        self.box.enter("systemctl", "stop", "gpsd.socket", "gpsd.service", stderr=subprocess.DEVNULL)
        findings = self.doctor()
        self.expect(findings, "gpsd.reachable", "problem", "systemctl enable --now gpsd.socket")
        self.expect(findings, "gpsd.port", "ok")
        self.expect(findings, "receiver.present", "notChecked")

    def test_gpsd_has_no_receiver(self):
        self.write("/etc/default/gpsd", 'DEVICES=""\nUSBAUTO="true"\n')
        self.restart_gpsd()
        self.expect(self.doctor(), "receiver.present", "problem", "DEVICES is empty, USBAUTO is on")

    def test_gpsd_may_not_open_its_receiver(self):
        # A terminal as the serial line.
        self.start("line", "script", "--quiet", "--command", "tty > /run/line; exec sleep infinity", "/dev/null")
        self.box.enter("sh", "-c", "until [ -s /run/line ]; do :; done", timeout=10)
        line = self.box.path("/run/line").read_text().strip()
        self.write("/etc/default/gpsd", f'DEVICES="{line}"\n')
        self.restart_gpsd()
        self.box.enter("systemctl", "start", "gpsd.service")
        self.box.enter("chmod", "0600", line)
        self.box.enter("chown", "root:root", line)
        self.expect(self.doctor(), "receiver.permission", "problem", f"gpsd may not open {line}, which is")

    # The service

    def test_units(self):
        self.box.enter("systemctl", "stop", "locationd.socket", "locationd.service", stderr=subprocess.DEVNULL)
        self.addCleanup(self.box.enter, "systemctl", "enable", "--now", "locationd.socket", stderr=subprocess.DEVNULL)
        findings = self.doctor()
        self.expect(findings, "service.socketUnit", "problem", "systemctl enable --now locationd.socket")
        self.expect(findings, "service.socketFile", "problem")
        self.expect(findings, "service.answer", "problem")
        self.box.enter("systemctl", "mask", "--runtime", "locationd.service", stderr=subprocess.DEVNULL)
        self.addCleanup(self.box.enter, "systemctl", "unmask", "--runtime", "locationd.service", stderr=subprocess.DEVNULL)
        self.expect(self.doctor(), "service.unit", "problem", "systemctl unmask locationd.service")
        self.box.enter("systemctl", "unmask", "--runtime", "locationd.service", stderr=subprocess.DEVNULL)
        self.box.enter("systemctl", "disable", "locationd.socket", stderr=subprocess.DEVNULL)
        self.box.enter("systemctl", "start", "locationd.socket")
        self.expect(self.doctor(), "service.socketUnit", "advice", "not enabled")

    def test_configuration_that_keeps_the_service_from_running(self):
        plist = self.box.path(PLIST)
        before = plist.read_text()
        self.box.enter("systemctl", "stop", "locationd.service", stderr=subprocess.DEVNULL)
        self.addCleanup(self.box.enter, "systemctl", "restart", "locationd.socket")
        self.addCleanup(self.box.enter, "systemctl", "reset-failed", "locationd.service", "locationd.socket")
        self.addCleanup(plist.write_text, before)
        plist.write_text(before.replace("</plist>", ""))
        # As often as it takes until systemd gives up.
        for _ in range(6):
            self.run_as("alice", "locationctl", "status")
            self.box.enter("systemctl", "restart", "locationd.service", check=False, stderr=subprocess.DEVNULL)
        findings = self.doctor()
        self.expect(findings, "service.unit", "problem", "the configuration has a problem (78)")
        self.expect(findings, "service.unit", "problem", "not well-formed")
        self.expect(findings, "configuration.refused", "problem", "not well-formed")
        # An unreadable file is not edited.
        refused = self.run_as("root", "locationctl", "doctor", "--fix", "--yes")
        self.assertEqual(refused.returncode, 78)
        self.assertIn("correct it first", refused.stderr)
        # Each remedy that doctor prints works, as it is printed.
        plist.write_text(before)
        commands = {line.removeprefix("sudo ").replace("&& sudo", "&&").split("run: ")[-1].removeprefix("sudo ")
                    for finding in findings.values() if finding["severity"] == "problem"
                    for line in finding["remedy"].splitlines() if "systemctl reset-failed" in line}
        self.assertEqual(len(commands), 1, findings)
        self.box.enter("sh", "-e", "-c", commands.pop())
        self.assertIn("locationd 0.", self.ask("locationctl", "status"))
        self.assertNotIn("service.unit", self.problems(self.doctor()))

    def test_unknown_and_mistyped_keys_do_not_keep_the_service_from_running(self):
        plist = self.box.path(PLIST)
        before = plist.read_text()
        self.addCleanup(self.box.enter, "systemctl", "restart", "locationd.service")
        self.addCleanup(plist.write_text, before)
        plist.write_text(before.replace("<key>Agents</key>", "<key>PipelinedCalls</key><integer>8</integer><key>Agnts</key>"))
        self.box.enter("systemctl", "restart", "locationd.service")
        findings = self.doctor()
        self.expect(findings, "service.unit", "ok")
        self.expect(findings, "configuration.refused", "problem", "run: sudo locationctl config reload")
        status = self.run_as("root", "locationctl", "status").stdout
        self.assertIn("PipelinedCalls: This key is not known here.", status)
        self.assertIn("Agnts: This key is not known; did you mean Agents?", status)
        self.assertIn("Agents: Until this is corrected, only root can answer prompts and decide.", status)
        self.assertEqual(self.run_as("root", "locationctl", "config", "check").returncode, 78)
        # Nobody decides but root, and what was decided counts.
        self.assertEqual(self.run_as("alice", "locationctl", "allow", "org.example.Other").returncode, 77)
        self.ask("locationctl", "get", "--format", "json")
        plist.write_text(before)
        self.ask("locationctl", "config", "reload", user="root")
        self.expect(self.doctor(), "configuration.refused", "ok")

    def test_socket_that_not_everybody_reaches(self):
        self.box.enter("chmod", "0700", "/run/locationd")
        self.addCleanup(self.box.enter, "chmod", "0755", "/run/locationd")
        self.expect(self.doctor(), "service.socketFile", "problem", "not every user may enter")

    def test_configuration_that_others_can_change(self):
        self.box.enter("chown", "bob", "/etc/locationd")
        self.addCleanup(self.box.enter, "chown", "root", "/etc/locationd")
        self.expect(self.doctor(), "configuration.writable", "problem", "/etc/locationd belongs to bob")

    # Programs

    def test_declarations_that_match_nothing(self):
        self.box.enter("install", "-d", "-o", "bob", "-m", "0700", "/home/bob/private")
        self.box.enter("install", "/usr/bin/locationctl", "/home/bob/private/tracker")
        self.addCleanup(self.box.enter, "rm", "-r", "/home/bob/private")
        matches = {
            "Away": {"Executable": "/usr/bin/no-such-program"},
            "Closed": {"Executable": "/home/bob/private/tracker"},
            "Temporary": {"Executable": "/tmp/tracker"},
            "Unit": {"SystemdUnit": "no-such-unit.service"},
            "Users": {"Executable": "/usr/bin/env", "Users": [4242]},
        }
        for name, match in matches.items():
            path = f"/etc/locationd/clients.d/org.example.{name}.plist"
            self.write(path, declaration(f"org.example.{name}", **match))
            self.addCleanup(self.box.enter, "rm", path)
        result = self.run_as("root", "locationctl", "doctor", "--format", "json")
        found = {finding["subject"].split(".")[-2]: finding for finding in json.loads(result.stdout)
                 if finding["identifier"].startswith("client.") and "org.example." in finding.get("subject", "")}
        self.assertEqual(set(found), set(matches))
        for name, words in {"Away": "does not exist", "Closed": "may not enter /home/bob/private", "Temporary": "does not see",
                            "Unit": "there is no no-such-unit.service", "Users": "user 4242"}.items():
            self.assertIn(words, found[name]["found"])
            self.assertEqual(found[name]["severity"], "advice" if name in ["Unit", "Users"] else "problem")
