"""Programs that the package declares and Debian does not have: each is played by a client that asks GeoClue as its source does."""
import json

from boxtest import Conversation
from desktop import DesktopTestCase
from programs import CLIENTS, LATITUDE, LONGITUDE

AUTOMATIC_TIMEZONED = ["/opt/clients/geoclue.py", "automatic-timezoned", "DistanceThreshold=10000", "RequestedAccuracyLevel=4"]
UNIT = "automatic-timezoned.service"


class StandInTestCase(DesktopTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box.copy(CLIENTS / "geoclue.py", "/opt/clients/geoclue.py")

    def stand_in(self, path):
        """Puts a copy of Python at the path of a program that Debian does not have, since the path is what it is recognised by."""
        self.box.enter("install", "/usr/bin/python3", path)
        self.addCleanup(self.box.enter, "rm", path)

    def system_service(self, unit, *command, user):
        """A service of the system's manager that runs as `user`, and what it prints."""
        service = Conversation(self.box.spawn(*command, options=[f"--unit={unit}", f"--uid={user}"]))
        self.addCleanup(service.end)
        # First, since its end is waited for.
        self.addCleanup(self.box.enter, "systemctl", "stop", unit)
        return service

    def is_located(self, program):
        """It gets a location near the receiver."""
        latitude, longitude = program.answer("position").split()
        self.assertAlmostEqual(float(latitude), LATITUDE, delta=0.1)
        self.assertAlmostEqual(float(longitude), LONGITUDE, delta=0.1)

    def is_approximate(self, client, user="alice"):
        """It has got no other than approximate locations."""
        accesses = self.eventually(lambda: [access for access in self.history(user) if access["client"] == client])
        self.assertEqual({access["accuracy"] for access in accesses}, {"reduced"})

    def history(self, user):
        return json.loads(self.ask("locationctl", "history", "--format", "json", user=user))


class DeclaredTests(StandInTestCase):
    suite = "trixie+clients"

    def test_darkman(self):
        """It switches desktops to dark at sunset, and needs no exact location for that."""
        self.stand_in("/usr/bin/darkman")
        self.addCleanup(self.forget, "darkman")
        self.ask("locationctl", "allow", "--always", "darkman")
        self.is_located(self.application(
            "darkman", "/opt/clients/geoclue.py", "darkman", "DistanceThreshold=40000", "TimeThreshold=14400"))
        self.is_approximate("darkman")
        self.assertEqual(self.prompts(), [])

    def test_automatic_timezoned(self):
        """A service of the system, whose user nobody could ask: its unit is allowed always."""
        self.is_located(self.system_service(UNIT, "python3", *AUTOMATIC_TIMEZONED, user="bob"))
        self.is_approximate("automatic-timezoned", user="bob")

    def test_automatic_timezoned_in_another_unit(self):
        """Another unit of the same user does not get what that unit has."""
        other = self.system_service("other.service", "python3", *AUTOMATIC_TIMEZONED, user="bob")
        [prompt] = self.eventually(lambda: self.json("agent", "prompts", user="bob"))
        self.assertEqual(prompt["client"], "/usr/bin/python3.13")
        self.assertTrue(other.lines.empty())


class DeclaredOnDebian12Tests(StandInTestCase):
    """The bus of Debian 12 does not hold on to the processes of its connections, so no system unit is recognised on it."""

    suite = "bookworm+clients"

    def test_automatic_timezoned(self):
        """It is known by its executable, and root allows it for its user, whom nobody asks."""
        self.stand_in("/usr/bin/automatic-timezoned")
        service = self.system_service(UNIT, "automatic-timezoned", *AUTOMATIC_TIMEZONED, user="bob")
        [prompt] = self.eventually(lambda: self.json("agent", "prompts", user="bob"))
        self.assertEqual(prompt["client"], "/usr/bin/automatic-timezoned")
        self.assertTrue(service.lines.empty())
        self.ask("locationctl", "allow", "--always", "/usr/bin/automatic-timezoned", "--user", "bob", user="root")
        self.is_located(service)
        self.is_approximate("/usr/bin/automatic-timezoned", user="bob")
