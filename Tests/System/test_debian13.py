"""The package on Debian 13, where systemd has a Varlink client of its own. It is the same package as on Debian 12."""
import json

from package import declaration
from service import ServiceTestCase

ADDRESS = "/run/locationd/org.locationd"
VARLINKCTL = "/usr/bin/varlinkctl"


class Debian13Tests(ServiceTestCase):
    suite = "trixie"

    @classmethod
    def setUpClass(cls):
        cls.skip_unless_available()
        super().setUpClass()
        cls.write("/etc/locationd/clients.d/varlinkctl.plist", declaration("org.example.Varlinkctl", Executable=VARLINKCTL))

    def varlinkctl(self, *arguments, code=0, user="alice"):
        return self.ask(VARLINKCTL, *arguments, code=code, user=user)

    def test_the_service(self):
        self.assertEqual(self.box.path("/etc/debian_version").read_text().split(".")[0], "13")
        self.units_are_in_order()
        # With the gpsd of Debian 13.
        location = json.loads(self.ask("locationctl", "get", "--format", "json"))
        self.assertAlmostEqual(location["latitude"], 50.978333, places=4)
        self.watch()
        self.eventually(lambda: self.show("locationd.service", "StatusText") == "gps: connected")

    def test_info(self):
        answer = json.loads(self.varlinkctl("info", "--json=short", ADDRESS))
        self.assertEqual(answer["product"], "locationd")
        self.assertIn("org.locationd.Location", answer["interfaces"])

    def test_introspect(self):
        for interface in ["Location", "Authorization", "Monitor", "Agent", "Manager"]:
            text = self.varlinkctl("introspect", ADDRESS, f"org.locationd.{interface}")
            self.assertIn(f"interface org.locationd.{interface}", text)
            self.write("/home/alice/text.varlink", text + "\n")
            self.varlinkctl("validate-idl", "/home/alice/text.varlink", user="root")

    def test_call(self):
        answer = json.loads(self.varlinkctl("call", "--json=short", ADDRESS, "org.locationd.Location.GetLocation", "{}"))
        self.assertAlmostEqual(answer["location"]["latitude"], 50.978333, places=4)
        self.assertIn("org.varlink.service.InvalidParameter", self.varlinkctl(
            "call", ADDRESS, "org.locationd.Location.GetLocation", '{"timeout":-1}', code=1))

    def test_call_more(self):
        unit = f"varlinkctl-{next(self.numbers)}.service"
        stream = self.converse(unit, VARLINKCTL, "call", "--more", "--json=short", ADDRESS,
                               "org.locationd.Location.Subscribe", "{}")
        for _ in range(3):
            # A JSON text sequence (RFC 7464) begins each text with a record separator.
            answer = json.loads(stream.answer("").lstrip("\x1e"))
            self.assertAlmostEqual(answer["location"]["latitude"], 50.978333, places=4)
