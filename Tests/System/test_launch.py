"""Programs that are started when they have an event to receive: what polkit permits, and the way of an event to a program that
is not running."""
import json
import plistlib
import subprocess

from boxtest import REPOSITORY, Terminal
from package import declaration
from sources import PROGRAM, SourcesTestCase
from tracks import LATITUDE, LONGITUDE, passage, recording

SYSTEMD = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"]
RULE = "/usr/share/polkit-1/rules.d/60-locationd-launch.rules"
TRACK = "/etc/locationd/track.json"
# Crosses a border at 100 m from the place every 20 seconds or so.
REPLAY = f"[Service]\nExecStart=\nExecStart=/usr/sbin/locationd --replay {TRACK} --speed 4\n"
SLEEP = "[Service]\nExecStart=/bin/sleep infinity\n"


class LaunchedPrograms:
    """What a test of programs that are started needs beside a box."""

    @classmethod
    def declare_program(cls, unit, kind, manager, program=PROGRAM, place=(LATITUDE, LONGITUDE)):
        """Declares a program that watches the place, is allowed always and ends with each event, with its unit."""
        told = f"/var/lib/told-{unit}"
        cls.box.enter("install", "--owner=alice", "/dev/null", told)
        user = "User=alice\n" if manager == "system" else ""
        cls.write(f"/usr/lib/systemd/{manager}/{unit}.service",
                  f"[Service]\n{user}ExecStart={program} border {place[0]} {place[1]} 100\nStandardOutput=append:{told}\n")
        keys = plistlib.loads(declaration(f"org.example.{unit}", **{kind: f"{unit}.service"}).encode())
        cls.write(f"/etc/locationd/clients.d/{unit}.plist",
                  plistlib.dumps(keys | {"Launch": {kind: f"{unit}.service"}}).decode())

    def told(self, unit):
        """What a program was told, in all its runs."""
        return self.box.path(f"/var/lib/told-{unit}").read_text().splitlines()

    def is_told(self, unit, *events, timeout=60):
        self.eventually(lambda: self.told(unit)[:len(events)] == list(events), timeout,
                        lambda: f"{events}, but {unit} was told {self.told(unit)}, and the journal says {self.journal()}")

    def journal(self):
        return self.box.output("journalctl", "--quiet", "--output=cat", "--unit=locationd.service")


class LaunchTestCase(SourcesTestCase, LaunchedPrograms):
    """Tests with the packaged rule of polkit."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box.copy(REPOSITORY / "Config/polkit/launch.rules", RULE, mode=0o644)
        # It looks for changes itself, but not at the moment.
        cls.box.enter("systemctl", "restart", "polkit.service")


    @classmethod
    def replay(cls, distances):
        """Has the service replay a track with these distances from the place, from its start."""
        cls.write(TRACK, recording(distances))
        cls.write("/etc/systemd/system/locationd.service.d/replay.conf", REPLAY)
        cls.box.enter("systemctl", "daemon-reload")
        cls.box.enter("systemctl", "restart", "locationd.service")


class BorderTests(LaunchTestCase):
    """Programs that are not running, started by the crossing of a border on a replayed track."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.install_program("ExampleClient", PROGRAM)
        cls.declare_program("warner", "SystemdUnit", "system")
        cls.declare_program("diary", "UserUnit", "user")
        cls.replay(passage(250))

    def tearDown(self):
        self.box.enter("systemctl", "stop", "locationd.service", stderr=subprocess.DEVNULL)

    def test_system_unit_is_started_by_the_crossing_of_a_border(self):
        self.box.enter("systemctl", "start", "warner.service")
        self.is_told("warner", "added")
        # It is not running, and started for the crossing.
        self.is_told("warner", "added", "border satisfied")
        self.assertIn("Started warner.service for org.example.warner of user", self.journal())

    def test_user_unit_is_started_by_the_users_agent(self):
        session = self.start("login.service", "sleep", "infinity", user="alice", session="tty")
        self.assertTrue(session)
        self.box.enter("systemctl", "--user", "--machine=alice@", "start", "diary.service")
        self.is_told("diary", "added")
        # Nobody else starts it: not the service, and no agent of another user.
        other = Terminal(self.box.terminal("agent-bob.service", "locationctl", "agent", user="bob", session="tty"))
        self.end_with_test(other, "agent-bob.service")
        other.expect("^Waiting for programs")
        self.eventually(lambda: "diary.service of user" in self.journal(), 60, self.journal)
        self.assertEqual(self.told("diary"), ["added"])
        agent = Terminal(self.box.terminal("agent.service", "locationctl", "agent", user="alice", session="tty"))
        self.end_with_test(agent, "agent.service")
        agent.expect("^Waiting for programs")
        self.eventually(lambda: len(self.told("diary")) > 1, 60, self.journal)
        self.assertRegex(self.told("diary")[1], "^border (un)?satisfied$")

    def test_geofence_starts_a_unit_of_its_owner(self):
        """With nobody's permission: no declaration, no agent, no root."""
        def of_user(*command, code=0):
            return self.ask("env", "XDG_RUNTIME_DIR=/run/user/1000", *command, code=code)

        def geofences():
            return json.loads(of_user("locationctl", "monitor", "--format", "json"))

        def journal():
            return self.box.output("journalctl", "--quiet", "--output=cat", "_SYSTEMD_USER_UNIT=locationd-geofences.service",
                                   "+", "_UID=1000", "_COMM=systemd")

        def is_active(unit):
            return of_user("sh", "-c", f"systemctl --user is-active {unit} || true") == "active"

        self.box.enter("systemctl", "start", "user@1000.service")
        units = "/home/alice/.config/systemd/user"
        self.box.enter("install", "--directory", "--owner=alice", "--group=alice", "/home/alice/.config",
                       "/home/alice/.config/systemd", units)
        entered = self.box.path("/home/alice/entered")
        self.write(f"{units}/gate.service",
                   "[Unit]\nPartOf=locationd-geofence@at\\x20the\\x20gate.target\n"
                   + SLEEP.replace("ExecStart", "ExecStartPre=/bin/sh -c 'echo entered >> %h/entered'\nExecStart"))
        self.write(f"{units}/other.service", SLEEP)
        of_user("systemctl", "--user", "daemon-reload")
        add = ["locationctl", "monitor", "add", "at the gate", str(LATITUDE), str(LONGITUDE), "--start"]
        self.assertIn("none.service", of_user(*add, "none.service", code=1))
        self.assertEqual(geofences(), [], "an error adds nothing")
        self.assertIn("allow --always", of_user(*add, "other.service"))
        self.assertEqual([fence["units"] for fence in geofences()], [["other.service"]])
        self.ask("locationctl", "allow", "--always", "org.locationd.locationctl")
        self.assertNotIn("allow --always", of_user(*add, "gate.service"))
        self.assertEqual([fence["units"] for fence in geofences()], [["gate.service"]], "instead of the other")
        # Whenever it is entered; and what starts it takes nothing from the terminal.
        self.eventually(entered.exists, 120, journal)
        self.assertTrue(is_active("gate.service"))
        self.eventually(lambda: not is_active("gate.service"), 120, journal)
        self.assertIn("at the gate", of_user("locationctl", "monitor", "watch", "--count", "1"))
        self.eventually(lambda: is_active("gate.service"), 120, journal)
        self.assertEqual(entered.read_text(), "entered\n" * 2)
        self.assertFalse(is_active("other.service"))

        of_user("locationctl", "monitor", "remove", "at the gate")
        self.assertEqual(geofences(), [])
        self.assertEqual([path.name for path in self.box.path(units).glob("locationd-geofence@*")], [])

    def end_with_test(self, terminal, unit):
        self.addCleanup(terminal.end)
        self.addCleanup(self.box.enter, "systemctl", "kill", "--signal=KILL", unit, check=False,
                        stderr=subprocess.DEVNULL)


class RebootTests(LaunchTestCase):
    """An event that cannot be told before the machine is rebooted."""

    lasting = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.install_program("ExampleClient", PROGRAM)
        cls.declare_program("warner", "SystemdUnit", "system")

    def test_reboot_loses_no_event(self):
        self.box.enter("systemctl", "enable", "locationd.socket", stderr=subprocess.DEVNULL)
        self.replay(passage(250))
        self.box.enter("systemctl", "start", "warner.service")
        self.is_told("warner", "added")
        # It cannot be started, so the event waits. That is logged once.
        self.box.enter("mv", RULE, "/root/rule")
        self.eventually(lambda: "warner.service could not be started" in self.journal(), 60, self.journal)
        self.assertEqual(self.told("warner"), ["added"])
        # After the reboot the machine stands at the place: what is told is what happened before.
        self.write(TRACK, recording([0] * 60))
        self.box.enter("mv", "/root/rule", RULE)
        self.box.reboot()
        # Nobody connects to the socket: the service is started with the machine.
        self.is_told("warner", "added", "border satisfied")
        # And the place is still watched: the machine leaves it.
        self.replay([0] * 45 + passage(250)[::-1][:20] + [250] * 60)
        self.is_told("warner", "added", "border satisfied", "border unsatisfied", timeout=120)


class PermissionTests(LaunchTestCase):
    """The packaged rule of polkit, as the service's user meets it."""

    def declare(self, unit, **launch):
        """Declares a client of a unit for one test, whose unit may be started unless `launch` says something else."""
        file = f"/etc/locationd/clients.d/{unit}.plist"
        text = plistlib.loads(declaration(f"org.example.{unit.partition('.')[0]}", SystemdUnit=unit).encode())
        self.write(file, plistlib.dumps(text | {"Launch": launch or {"SystemdUnit": unit}}).decode())
        self.addCleanup(self.box.enter, "rm", "-f", file)
        return file

    def unit(self, name, text=SLEEP):
        self.write(f"/etc/systemd/system/{name}", text)
        self.box.enter("systemctl", "daemon-reload")
        self.addCleanup(self.box.enter, "systemctl", "stop", name, check=False, stderr=subprocess.DEVNULL)

    def may(self, method, *arguments, user="locationd", signature=None):
        """True if the service manager does what a user asks of it."""
        result = self.box.enter(
            "setpriv", f"--reuid={user}", "--clear-groups", "busctl", "--system", "call", *SYSTEMD, method,
            signature or "s" * len(arguments), *arguments, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        if result.returncode != 0:
            self.assertRegex(result.stdout, "(?i)access denied|authentication required|permission denied")
        return result.returncode == 0

    def is_active(self, unit):
        return self.box.enter("systemctl", "is-active", "--quiet", unit, check=False).returncode == 0

    def test_polkit_permits_declared_units_only(self):
        for unit in ["forecast.service", "other.service"]:
            self.unit(unit)
        self.box.enter("ln", "-sf", "forecast.service", "/etc/systemd/system/alias.service")
        self.box.enter("systemctl", "daemon-reload")
        self.assertFalse(self.may("StartUnit", "forecast.service", "fail"), "before its declaration")
        self.declare("forecast.service")
        # The declaration of an alias permits nothing: polkit is told the primary name.
        self.declare("alias.service")
        self.assertEqual(self.box.output("locationctl", "clients", "units"), "alias.service\nforecast.service")
        for user in ["alice", "nobody"]:
            self.assertFalse(self.may("StartUnit", "forecast.service", "fail", user=user), user)
        for unit in ["other.service", "poweroff.target", "ssh.service"]:
            self.assertFalse(self.may("StartUnit", unit, "fail"), unit)
        self.assertFalse(self.is_active("forecast.service"))

        self.assertTrue(self.may("StartUnit", "forecast.service", "fail"))
        self.assertTrue(self.is_active("forecast.service"))
        for method in ["StopUnit", "RestartUnit", "ReloadOrRestartUnit", "TryRestartUnit"]:
            self.assertFalse(self.may(method, "forecast.service", "replace"), method)
        self.assertFalse(self.may("KillUnit", "forecast.service", "all", "9", signature="ssi"))
        self.assertFalse(self.may("MaskUnitFiles", "1", "forecast.service", "true", "false", signature="asbb"))
        self.assertFalse(self.may("StartTransientUnit", "forecast2.service", "fail", "0", "0", signature="ssa(sv)a(sa(sv))"))
        self.assertFalse(self.may("Reload"))
        self.assertTrue(self.is_active("forecast.service"))

    def test_polkit_permits_nothing_of_a_doubtful_declaration(self):
        self.unit("forecast.service")
        file = self.declare("forecast.service")
        self.assertTrue(self.may("StartUnit", "forecast.service", "fail"))
        self.box.enter("systemctl", "stop", "forecast.service")
        # Everybody may write it.
        self.box.enter("chmod", "o+w", file)
        self.assertFalse(self.may("StartUnit", "forecast.service", "fail"))
        self.box.enter("chmod", "o-w", file)
        self.assertTrue(self.may("StartUnit", "forecast.service", "fail"))
        self.box.enter("systemctl", "stop", "forecast.service")
        # It names a unit that its programs do not run in, or two.
        for launch in [{"SystemdUnit": "other.service"}, {"SystemdUnit": "forecast.service", "UserUnit": "a.service"}]:
            self.declare("forecast.service", **launch)
            self.assertFalse(self.may("StartUnit", "forecast.service", "fail"), launch)
            self.assertFalse(self.may("StartUnit", "other.service", "fail"), launch)
        self.box.enter("rm", file)
        self.assertFalse(self.may("StartUnit", "forecast.service", "fail"))

    def test_doctor_checks_what_can_be_started(self):
        def finding():
            findings = self.box.enter("locationctl", "doctor", "--format", "json", check=False, stdout=subprocess.PIPE,
                                      text=True).stdout
            return [line for line in json.loads(findings) if line["identifier"] == "client.launch"]

        self.declare("forecast.service")
        [found] = finding()
        self.assertEqual(found["severity"], "problem")
        self.assertIn("there is no such unit", found["found"])
        self.unit("forecast.service")
        [found] = finding()
        self.assertEqual(found["severity"], "ok", found)
        self.box.enter("mv", RULE, "/root/rule")
        self.addCleanup(self.box.enter, "mv", "/root/rule", RULE)
        [found] = finding()
        self.assertIn("polkit does not let the service start programs", found["found"])


class Debian13PermissionTests(PermissionTests):
    """The same with the polkit and the service manager of Debian 13."""

    suite = "trixie"
