"""Programs that are started when they have an event to receive: what polkit permits, and the way of an event to a program that
is not running."""
import json
import plistlib
import subprocess

from boxtest import REPOSITORY
from package import declaration
from sources import SourcesTestCase

SYSTEMD = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"]
RULE = "/usr/share/polkit-1/rules.d/60-locationd-launch.rules"
SLEEP = "[Service]\nExecStart=/bin/sleep infinity\n"


class LaunchTestCase(SourcesTestCase):
    """Tests with the packaged rule of polkit."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box.copy(REPOSITORY / "Config/polkit/launch.rules", RULE, mode=0o644)
        # It looks for changes itself, but not at the moment.
        cls.box.enter("systemctl", "restart", "polkit.service")


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
