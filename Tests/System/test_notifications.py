"""Prompts as notifications: with a real notification service, and with one that does what the real one never does."""
import json
import subprocess

from desktop import DesktopTestCase
from pathlib import Path
from sources import ALWAYS, CLIENT, PROGRAM, WHEN_IN_USE
from test_launch import LaunchedPrograms

AGENT = "locationd-agent.service"
ACTIVATION = "/usr/share/dbus-1/services/org.knopwob.dunst.service"


class NotificationTests(DesktopTestCase, LaunchedPrograms):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.declare_example()
        cls.install_dunst()
        cls.box.copy(Path(__file__).with_name("notifications.py"), "/usr/local/bin/notifications")
        # As the package does it.
        cls.box.enter("systemctl", "--global", "enable", AGENT, stderr=subprocess.DEVNULL)
        cls.control("daemon-reload")
        cls.control("start", "desktop.target")

    def setUp(self):
        self.forget_notes()
        self.addCleanup(self.forget, CLIENT)
        # The agent, and the service that it starts.
        self.eventually(lambda: self.json("status")["hasAgent"])

    def displayed(self):
        return int(self.as_alice("dunstctl", "count", "displayed", stdout=subprocess.PIPE, text=True).stdout)

    def log(self):
        """What the agent says."""
        return self.box.output("journalctl", "--quiet", "--output=cat", f"_SYSTEMD_USER_UNIT={AGENT}")

    # The tests

    def test_with_dunst(self):
        weather = self.application(PROGRAM, "watch")
        [summary, body] = self.eventually(self.noted)[0]
        self.assertEqual(summary, "Allow “Weather” to use your location?")
        self.assertRegex(body, rf"^“{WHEN_IN_USE}”\n{PROGRAM}, process \d+$")
        self.choose("Allow While Using")
        self.wait_for(weather, "location 50.97")
        self.eventually(lambda: self.displayed() == 0)
        self.assertEqual(self.client()["status"], "authorizedWhenInUse")

        # More, and what is answered elsewhere disappears.
        always = self.application(PROGRAM, "always")
        [summary, body] = self.eventually(lambda: self.noted()[1:])[0]
        self.assertEqual(summary, "Allow “Weather” to use your location even when you are not using it?")
        self.assertIn(ALWAYS, body)
        [prompt] = self.prompts()
        self.assertEqual(self.displayed(), 1)
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "deny")
        always.expect("may know: authorizedWhenInUse")
        self.eventually(lambda: self.displayed() == 0)

        # Dismissed: no answer, and nothing is shown again.
        self.forget(CLIENT)
        again = self.application(PROGRAM, "watch")
        self.eventually(lambda: self.noted()[2:])
        self.as_alice("dunstctl", "close-all")
        self.eventually(lambda: self.displayed() == 0)
        [prompt] = self.prompts()
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "once")
        self.wait_for(again, "location 50.97")
        self.assertEqual(len(self.noted()), 3)

        # The agent ends, and takes what it shows away.
        self.forget(CLIENT)
        self.application(PROGRAM, "watch")
        self.eventually(lambda: self.displayed() == 1)
        self.control("stop", AGENT)
        self.eventually(lambda: self.displayed() == 0)
        self.control("start", AGENT)
        self.eventually(lambda: self.displayed() == 1)
        # The location service ends; the agent finds the next one, which knows of no prompt.
        self.box.enter("systemctl", "restart", "locationd.service")
        self.eventually(lambda: self.json("status")["hasAgent"])

    def test_it_starts_units_of_its_user(self):
        self.install_program("ExampleClient", "/usr/local/bin/diary")
        self.declare_program("diary", "UserUnit", "user", "/usr/local/bin/diary", place=(50.978333, 11.025))
        self.control("daemon-reload")
        self.box.enter("locationctl", "config", "reload")
        self.control("start", "diary.service")
        # It ends after that, and is started for what is found out then.
        self.is_told("diary", "added", "border satisfied")

    def test_services_come_and_go(self):
        path = self.box.path(ACTIVATION)
        activation = path.read_text()
        self.control("stop", "dunst.service")
        path.unlink()
        self.as_alice("busctl", "--user", "call", "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ReloadConfig")
        self.addCleanup(self.restore, activation)
        self.control("restart", AGENT)
        self.eventually(lambda: not self.json("status")["hasAgent"])
        self.eventually(lambda: "There is no notification service" in self.log())
        self.assertIn("To answer prompts in a terminal, run: locationctl agent", self.log())

        # One that can do everything.
        service = self.application("notifications", "actions", "body", "body-markup")
        service.expect('["ready"]')
        self.eventually(lambda: self.json("status")["hasAgent"])
        weather = self.application(PROGRAM, "watch")
        _, number, shown = json.loads(service.answer(""))
        self.assertEqual([label for label in shown["actions"][1::2]], ["Allow While Using", "Allow for One Hour", "Don’t Allow", "Allow Once"])
        self.assertEqual((shown["hints"], shown["timeout"]), ({"urgency": 2}, 0))
        # A stranger's signal, and keys that were not offered.
        stranger = self.application("notifications", "stranger")
        stranger.expect('["ready"]')
        stranger.tell(json.dumps(["emit", "ActionInvoked", number, shown["actions"][0]]))
        for key in ["allowWhileUsing", "default", ""]:
            service.tell(json.dumps(["emit", "ActionInvoked", number, key]))
        self.assertEqual(len(self.prompts()), 1)
        # It ends while it shows something; another comes.
        self.control("stop", service.unit)
        self.eventually(lambda: not self.json("status")["hasAgent"])
        bare = self.application("notifications", "body")
        bare.expect('["ready"]')
        _, number, shown = json.loads(bare.answer(""))
        self.assertEqual(shown["actions"], [])
        self.assertIn("To answer, run in a terminal: locationctl agent prompts", shown["body"])
        [prompt] = self.prompts()
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "allow")
        bare.expect(f'["close", {number}]')
        self.wait_for(weather, "location 50.97")
        self.control("stop", bare.unit)

    def restore(self, activation):
        self.box.path(ACTIVATION).write_text(activation)
        self.as_alice("busctl", "--user", "call", "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ReloadConfig")
        self.control("restart", AGENT)
