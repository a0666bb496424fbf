"""The programs of a desktop that ask GeoClue, unmodified."""
import json
import subprocess

from hostile import report
from programs import (
    CLIENTS, EPIPHANY, FIREFOX, FLATPAK, MAPS, QT5, REDSHIFT, SMALL_PROGRAMS, WEATHER, WEBKIT, WHERE_AM_I,
    ProgramTestCase, script)
from test_sources import FixedPosition

PROGRAMS = [REDSHIFT, QT5, WEBKIT, EPIPHANY, FIREFOX, MAPS, WEATHER, FLATPAK]


class FixedPositionDesktopTests(FixedPosition, ProgramTestCase):
    suite = "bookworm+desktop"

    def test_programs_get_the_position(self):
        self.write("/home/alice/firefox/user.js", (CLIENTS / "firefox.js").read_text().replace("@NETWORK@", ""))
        self.box.enter("chown", "--recursive", "alice:", "/home/alice")
        self.get_the_position([FIREFOX, REDSHIFT])


class DesktopProgramTests(ProgramTestCase):
    suite = "bookworm+desktop"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write_for_alice("firefox/user.js", (CLIENTS / "firefox.js").read_text().replace("@NETWORK@", ""))
        cls.write_for_alice(".local/share/epiphany/permissions.ini",
                            "[org/gnome/epiphany/permissions/http/127.0.0.1/8125]\ngeolocation-permission='allow'\n")
        # For what the session's bus starts.
        cls.as_alice("dbus-update-activation-environment", "DISPLAY=:1", "LIBGL_ALWAYS_SOFTWARE=1", "GSK_RENDERER=cairo",
                     "MAPS_DEBUG=1")
        made = cls.as_alice("sh", "/opt/clients/flatpak.sh", check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)
        if made.returncode:
            raise AssertionError(made.stdout)

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
        # A user is asked about eight at a time. The small ones have their other tests without a desktop.
        self.asked_answered_late(PROGRAMS)
        self.asked_answered_late(SMALL_PROGRAMS)

    def test_applications_that_the_bus_starts(self):
        """GNOME Maps and Weather, which a gjs runs in a unit of the bus: told apart by what they call themselves, as their declarations say."""
        for application in (MAPS, WEATHER):
            screen = self.begin(application)
            prompt = self.answer(application, "allow")
            self.assertEqual(prompt["executable"], "/usr/bin/gjs-console")
            self.is_located(application, screen)
            self.assertTrue(self.client(application.identifier)["isInUse"])
        # What Maps itself says.
        self.eventually(lambda: "Updated location:  (50.978333333, 11.025," in self.box.output(
            "journalctl", "--quiet", "--output=cat", "_UID=1000"))

    def test_no_means_no_in_firefox(self):
        """What the documentation says of Firefox and the network, and how to end that."""
        self.addCleanup(self.forget, FIREFOX.identifier)
        self.ask("locationctl", "deny", FIREFOX.identifier)
        network = (CLIENTS / "firefox.js").read_text().replace("@NETWORK@", "http://127.0.0.1:8126/network")
        self.write_for_alice("denied/user.js", network)
        page = ["python3", "/opt/clients/page.py", "8126", "firefox-esr", "--headless", "--no-remote", "--profile",
                "/home/alice/denied", "URL"]
        without = self.screen(*page, name="firefox")
        without.expect("^asked the network$")
        self.end(without)
        self.write("/etc/firefox/policies/policies.json", json.dumps(
            {"policies": {"Preferences": {"geo.provider.network.url": {"Value": "", "Status": "locked"}}}}))
        self.addCleanup(self.box.enter, "rm", "/etc/firefox/policies/policies.json")
        denied = self.screen(*page, name="firefox")
        denied.expect("^error 2$")
        self.assertNotIn("network", denied.seen)


# A function of the Shell's, which finds its dialog about the location.
DIALOG = """const find = actor => actor.constructor.name.includes('GeolocationDialog') ? actor
    : actor.get_children().map(find).find(found => found); const dialog = find(global.stage);"""


class ShellTests(ProgramTestCase):
    """GNOME Shell's own dialog and switch."""

    suite = "bookworm+desktop"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.user_unit(cls, "alice", "shell.service", "env", "LIBGL_ALWAYS_SOFTWARE=1", "XDG_SESSION_TYPE=wayland",
                      "XDG_CURRENT_DESKTOP=GNOME", "gnome-shell", "--headless", "--virtual-monitor", "1024x600",
                      "--wayland", "--unsafe-mode")
        cls.eventually(cls(), lambda: cls.shell("Main.layoutManager._startingUp") == "false")
        cls.shell("Main.overview.hide()")

    @classmethod
    def shell(cls, script):
        """What a script in the Shell comes to, as JSON; empty while there is no Shell."""
        answer = cls.as_alice(
            "busctl", "--user", "--json=short", "call", "org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell", "Eval", "s",
            script, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        return json.loads(answer)["data"][1] if answer else ""

    def dialog(self):
        """What the dialog says, once there is one."""
        return self.eventually(lambda: self.shell(
            DIALOG + "dialog ? dialog.contentLayout.get_children()[0].get_children().map(each => each.text).join('|') : ''"
        ).strip('"'), what=lambda: "the Shell's dialog")

    def setUp(self):
        super().setUp()
        # What it was answered in another test.
        self.store("Delete", "ss", "location", "location", check=False, stderr=subprocess.DEVNULL)

    def store(self, method, *arguments, **options):
        """Calls the store of the Shell's answers."""
        name = "org.freedesktop.impl.portal.PermissionStore"
        self.as_alice("busctl", "--user", "call", name, f"/{name.replace('.', '/')}", name, method, *arguments, **options)

    def is_shown(self):
        """Whether the icon for the location is in the top bar."""
        return self.shell("Main.panel.statusArea.quickSettings._location._indicator.visible") == "true"

    def test_icon(self):
        self.assertFalse(self.is_shown())
        running = self.begin(QT5)
        self.answer(QT5, "allow")
        self.is_located(QT5, running)
        self.eventually(self.is_shown)
        self.end(running)
        self.eventually(lambda: not self.is_shown())

    def test_answer_is_asked_for_again(self):
        """What the user changes in the desktop's settings counts from the next start of a program."""
        first = self.begin(WHERE_AM_I)
        self.dialog()
        self.shell(DIALOG + "dialog._onGrantClicked()")
        self.is_located(WHERE_AM_I, first)
        self.end(first)
        self.store("SetPermission", "sbssas", "location", "true", "location", WHERE_AM_I.name, "2", "NONE", "0")
        second = self.begin(WHERE_AM_I)
        second.expect(WHERE_AM_I.denied)
        self.assertEqual(WHERE_AM_I.positions(second.seen), [])
        self.assertEqual(self.client(WHERE_AM_I.identifier)["status"], "denied")
        self.store("SetPermission", "sbssas", "location", "true", "location", WHERE_AM_I.name, "2", "EXACT", "0")
        self.is_located(WHERE_AM_I, self.begin(WHERE_AM_I))
        self.assertEqual(self.client(WHERE_AM_I.identifier)["status"], "authorizedWhenInUse")

    def test_stored_answer_is_for_its_application_only(self):
        """A program that claims an application whose stored answer is yes is asked about as what it is."""
        self.store("SetPermission", "sbssas", "location", "true", "location", WHERE_AM_I.name, "2", "EXACT", "0")
        self.addCleanup(self.forget, "/usr/bin/python3.11")
        attacker = self.application(*script("hostile.py", "claim", WHERE_AM_I.name))
        [prompt] = self.eventually(self.prompts)
        self.assertEqual(prompt["client"], "/usr/bin/python3.11")
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "deny")
        self.assertEqual([report(attacker), report(attacker)], [["claimed"], [WHERE_AM_I.name, "AccessDenied"]])

    def test_dialog(self):
        # No.
        denied = self.begin(WHERE_AM_I)
        self.assertIn("Where am I?", self.dialog())
        self.shell(DIALOG + "dialog._onDenyClicked()")
        denied.expect(WHERE_AM_I.denied)
        self.assertEqual(self.client(WHERE_AM_I.identifier)["status"], "denied")
        # Yes.
        allowed = self.begin(REDSHIFT)
        self.assertIn("edshift", self.dialog())
        self.shell(DIALOG + "dialog._onGrantClicked()")
        self.is_located(REDSHIFT, allowed)
        # The Shell's switch, for all programs of this user.
        running = self.begin(QT5)
        self.answer(QT5, "allow")
        self.is_located(QT5, running)
        self.as_alice("gsettings", "set", "org.gnome.system.location", "enabled", "false")
        self.addCleanup(self.as_alice, "gsettings", "set", "org.gnome.system.location", "enabled", "true")
        self.says_no_more({QT5: running})
        before = len(QT5.positions(running.seen))
        self.as_alice("gsettings", "set", "org.gnome.system.location", "enabled", "true")
        self.is_located(QT5, running, more_than=before)
