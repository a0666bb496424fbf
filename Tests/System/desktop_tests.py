"""The programs of a desktop that ask GeoClue, unmodified."""
from programs import CLIENTS, EPIPHANY, FIREFOX, QT5, REDSHIFT, WEBKIT, ProgramTestCase

PROGRAMS = [REDSHIFT, QT5, WEBKIT, EPIPHANY, FIREFOX]


class DesktopProgramTests(ProgramTestCase):
    suite = "bookworm+desktop"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write_for_alice("firefox/user.js", (CLIENTS / "firefox.js").read_text().replace("@NETWORK@", ""))
        cls.write_for_alice(".local/share/epiphany/permissions.ini",
                            "[org/gnome/epiphany/permissions/http/127.0.0.1/8125]\ngeolocation-permission='allow'\n")

    @classmethod
    def write_for_alice(cls, name, text):
        cls.write(f"/home/alice/{name}", text)
        cls.box.enter("chown", "--recursive", "alice:", "/home/alice")

    def test_allowed_and_revoked(self):
        self.asked_allowed_revoked(PROGRAMS)

    def test_denied(self):
        self.asked_denied(PROGRAMS)

    def test_off_on_and_restarted(self):
        self.services_off_and_on(PROGRAMS)

    def test_answered_late(self):
        self.asked_answered_late(PROGRAMS)
