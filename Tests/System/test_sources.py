"""Sources of locations besides gpsd: the fixed position, and GeoClue's name, which follows the sources."""
import json
import subprocess

from boxtest import BoxTestCase
from package import PackageTestCase
from programs import GAMMASTEP, LATITUDE, LONGITUDE, WHERE_AM_I, ProgramTestCase

GEOLOCATION = "/etc/geolocation"
GEOCLUE = "org.freedesktop.GeoClue2"
MANAGER = [GEOCLUE, "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager"]


class FixedPosition:
    """A machine without a receiver, whose position is set: where the receiver of the other tests is."""

    @classmethod
    def connect_receiver(cls):
        cls.write("/etc/default/gpsd", 'DEVICES=""\nGPSD_OPTIONS=""\n')

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place()

    @classmethod
    def place(cls):
        cls.said = cls.box.output("locationctl", "sources", "fixed", "set", str(LATITUDE), str(LONGITUDE))

    def get_the_position(self, programs):
        for program in programs:
            with self.subTest(program):
                screen = self.begin(program)
                self.answer(program, "allow")
                self.is_located(program, screen)
                self.end(screen)


class FixedPositionTests(FixedPosition, ProgramTestCase):
    def test_programs_get_the_position(self):
        self.get_the_position([WHERE_AM_I, GAMMASTEP])

    def test_said(self):
        self.assertIn("sudo locationctl sources fixed clear", self.said)
        self.assertIn("in use", self.ask("locationctl", "sources"))
        # Other users do not learn it from the file.
        self.ask("locationctl", "sources", "fixed", user="bob", code=77)
        self.ask("cat", "/etc/locationd/locationd.plist.d/FixedLocation.plist", user="bob", code=1)
        self.assertIn("only root may do", self.ask("locationctl", "sources", "fixed", "set", "1", "2", code=77))
        # The service can read it, and nobody complains of a file that is private.
        self.assertIn("needs root", self.ask("locationctl", "config", "check", user="bob"))
        self.assertEqual(self.box.output("locationctl", "config", "check"), "No problems found.")
        self.assertNotIn("source.present problem", " ".join(
            f"{finding['identifier']} {finding['severity']}" for finding in self.findings()))

    def findings(self):
        result = self.box.enter("locationctl", "doctor", "--format", "json", check=False, stdout=subprocess.PIPE, text=True)
        return json.loads(result.stdout)

    def test_geolocation(self):
        """GeoClue's file: read, changed, refused where a user may write it, and gone."""
        self.addCleanup(self.place)
        self.box.enter("locationctl", "sources", "fixed", "clear", stdout=subprocess.DEVNULL)
        self.addCleanup(self.box.enter, "rm", "--force", GEOLOCATION)
        self.write(GEOLOCATION, "# Vaduz\n47.1410\n9.5215\n455\n30\n")
        watch = self.elsewhere("root", "sh", "-c", "exec locationctl watch --format json 2>&1")
        self.wait_for(watch, '"latitude":47.141')
        self.write(GEOLOCATION, "46.5\n9.5215\n455\n30\n")
        self.wait_for(watch, '"latitude":46.5')
        self.assertIn(GEOLOCATION, self.box.output("locationctl", "sources", "fixed"))
        self.write(GEOLOCATION, "46.5\neast\n455\n30\n")
        self.eventually(lambda: f"{GEOLOCATION}:2: This must be the longitude" in self.log())
        self.box.enter("chown", "bob", GEOLOCATION)
        self.eventually(lambda: f"There is no fixed position: {GEOLOCATION}: This belongs to user" in self.log())
        self.eventually(lambda: "no location is known" in self.ask("locationctl", "status", user="root"))

    def log(self):
        return self.box.output("journalctl", "--quiet", "--output=cat", "--unit=locationd.service")


class InstallationTests(PackageTestCase):
    """GeoClue's name on the bus, with GeoClue installed and without a source at first."""

    suite = "bookworm+clients"

    @classmethod
    def setUpClass(cls):
        BoxTestCase.setUpClass.__func__(cls)

    def service(self):
        """The unit that the bus starts for programs that ask GeoClue, after one has asked."""
        self.box.output("busctl", "--system", "get-property", *MANAGER, "InUse")
        name = self.box.output("busctl", "--system", "status", GEOCLUE)
        started = self.show("geoclue.service", "Id")
        self.assertIn(f"Unit={started}", name.replace("\n", " "))
        return started

    def apt(self, *arguments):
        return self.box.enter("apt-get", *arguments, "--yes", "locationd", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True).stdout

    def reconfigure(self):
        self.box.enter("dpkg-reconfigure", "--frontend=noninteractive", "locationd", stderr=subprocess.DEVNULL)

    def test_name_follows_the_sources(self):
        self.assertEqual(self.service(), "geoclue.service")
        # No source: nothing changes for desktop programs, also while the service runs.
        self.install()
        self.ask("locationctl", "status")
        self.assertEqual(self.service(), "geoclue.service")
        self.assertIn("from GeoClue", self.ask("locationctl", "geoclue"))
        self.assertIn("only root may do", self.ask("locationctl", "geoclue", "on", code=77))
        # A source, and the administrator's choice.
        self.box.output("locationctl", "sources", "fixed", "set", "47.141", "9.5215")
        self.assertIn("stop geoclue.service", self.box.output("locationctl", "geoclue", "on"))
        self.assertEqual(self.service(), "locationd.service")
        self.reconfigure()
        self.assertEqual(self.service(), "locationd.service")
        self.box.output("locationctl", "geoclue", "off")
        self.assertEqual(self.service(), "geoclue.service")
        self.reconfigure()
        self.assertEqual(self.service(), "geoclue.service")
        # Removed, GeoClue is alone; installed again, the source is there from the beginning.
        self.apt("remove")
        self.assertEqual(self.service(), "geoclue.service")
        self.install()
        self.assertEqual(self.service(), "locationd.service")
        # Without the source doctor says so, and --fix gives the name back.
        self.box.output("locationctl", "sources", "fixed", "clear")
        said = self.box.enter("locationctl", "doctor", "--fix", "--yes", check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True).stdout
        self.assertIn("this machine has no source of locations", said)
        self.assertEqual(self.service(), "geoclue.service")
        self.apt("purge")
        self.assertEqual(self.service(), "geoclue.service")
