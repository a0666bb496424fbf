"""A script that is declared by its unit, under a real service manager of a user."""
from sources import SourcesTestCase

SCRIPT = r"""#!/usr/bin/perl
use IO::Socket::UNIX;
my $service = IO::Socket::UNIX->new(Peer => "/run/locationd/org.locationd") or die "no service: $!";
print $service "{\"method\":\"org.locationd.Location.GetLocation\"}\0";
$service->flush;
local $/ = "\0";
print scalar(<$service>), "\n";
"""
WHERE = "/usr/local/bin/where"


class ScriptTests(SourcesTestCase):
    def run_script(self, unit):
        """What the service answers the script in a unit of alice's service manager."""
        return self.box.output(
            "systemd-run", "--user", "--machine=alice@", "--quiet", "--collect", "--wait", "--pipe", f"--unit={unit}",
            WHERE)

    def test_a_unit_declares_one_script_and_not_its_interpreter(self):
        self.write(WHERE, SCRIPT)
        self.box.enter("chmod", "+x", WHERE)
        self.box.enter("loginctl", "enable-linger", "alice")
        self.addCleanup(self.box.enter, "loginctl", "disable-linger", "alice")

        # The answer to an undeclared script is the command that declares its unit, which is run here as it stands.
        answer = self.run_script("where")
        self.assertIn("ClientNotDeclared", answer)
        self.assertIn("sudo locationctl clients add --user-unit where.service --when-in-use", answer)
        self.assertNotIn("--executable", answer)
        added = self.box.output("locationctl", "clients", "add", "--user-unit", "where", "--when-in-use", "For a test.")
        self.assertIn("Declared where.service as local.where in /etc/locationd/clients.d/local.where.plist.", added)

        self.ask("locationctl", "allow", "--always", "local.where")
        self.assertIn('"latitude":50.97', self.run_script("where"))
        # The same file in another unit is nobody.
        self.assertIn("ClientNotDeclared", self.run_script("elsewhere"))
