"""Small programs that ask GeoClue, unmodified, as Debian 13 has them."""
from programs import SMALL_PROGRAMS, ProgramTestCase


class Debian13ProgramTests(ProgramTestCase):
    suite = "trixie+clients"

    def test_allowed_and_revoked(self):
        self.asked_allowed_revoked(SMALL_PROGRAMS)

    def test_denied(self):
        self.asked_denied(SMALL_PROGRAMS)

    def test_off_on_and_restarted(self):
        self.services_off_and_on(SMALL_PROGRAMS)

    def test_answered_late(self):
        self.asked_answered_late(SMALL_PROGRAMS)

    def test_system_service(self):
        """dbus 1.16 holds on to the processes of its connections."""
        service = self.begin_service()
        service.answer("position")
        self.assertTrue(self.client("org.example.Service")["isConnected"])
