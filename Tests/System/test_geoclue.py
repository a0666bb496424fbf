"""Small programs that ask GeoClue, unmodified."""
from hostile import HostilePrograms
from programs import PORTAL, SIMPLE, SMALL_PROGRAMS, ProgramTestCase


class GeoClueTests(HostilePrograms, ProgramTestCase):
    def test_allowed_and_revoked(self):
        listener = self.bob_listens()
        self.asked_allowed_revoked(SMALL_PROGRAMS)
        self.hears_nothing(listener)

    def test_denied(self):
        self.asked_denied(SMALL_PROGRAMS)

    def test_off_on_and_restarted(self):
        self.services_off_and_on(SMALL_PROGRAMS)

    def test_system_service_on_an_old_bus(self):
        """dbus 1.14 names processes by their ids, which can be used again: no connection is taken for a system service."""
        self.addCleanup(self.forget, SIMPLE.identifier)
        service = self.begin_service()
        [prompt] = self.eventually(self.prompts)
        self.assertEqual(prompt["client"], SIMPLE.identifier)
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "deny")
        service.answer("error")

    def test_two_portal_sessions(self):
        """Two applications that the portal serves: the first to end does not stop the other."""
        first = self.begin(PORTAL)
        self.answer(PORTAL, "allow")
        self.is_located(PORTAL, first)
        second = self.screen(*PORTAL.command, name="second")
        self.is_located(PORTAL, second)
        self.end(first)
        self.fixes(2)
        self.is_located(PORTAL, second, more_than=len(PORTAL.positions(second.seen)))

    def bob_listens(self):
        """Another user listens to all that GeoClue's name sends to everybody."""
        monitor = self.elsewhere("bob", "gdbus", "monitor", "--system", "--dest", "org.freedesktop.GeoClue2")
        monitor.answer("Monitoring signals from all objects owned by org.freedesktop.GeoClue2")
        monitor.answer("The name org.freedesktop.GeoClue2 is owned by")
        return monitor

    def hears_nothing(self, monitor):
        self.assertTrue(monitor.lines.empty(), list(monitor.lines.queue))
