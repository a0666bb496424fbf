"""Hostile programs on the system's bus, and two users at once: no access to what belongs to others, and no disturbance."""
import json
import subprocess

from boxtest import Terminal
from programs import QT6, WHERE_AM_I, script

GIVER, TAKER = "/usr/local/bin/giver", "/usr/local/bin/taker"
LOCATIONCTL = "org.locationd.locationctl"
MANAGER = ("org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager")


def report(attacker, timeout=60):
    """What an attacker reports next."""
    line = attacker.answer("", timeout=timeout)
    # Its shell says that it was killed.
    return json.loads(attacker.answer("", timeout=timeout) if line == "Terminated" else line)


class HostilePrograms:
    """Tests for a `ProgramTestCase`."""

    def is_in_use(self, user):
        answer = self.ask("busctl", "--json=short", "get-property", *MANAGER, "InUse", user=user)
        return json.loads(answer)["data"]

    # The tests

    def test_annoyance(self):
        running = self.begin(QT6)
        self.answer(QT6, "allow")
        self.is_located(QT6, running)
        # Client objects are numbered; its own is one of the first.
        attacker = self.application(*script("hostile.py", "annoy"))
        reports = dict(report(attacker) for _ in range(5))
        self.assertEqual(reports["set"], {"none": 2000})
        # The other program has one: six calls of it and its locations. Deleting is no error, and does nothing.
        self.assertGreaterEqual(reports["another's"]["AccessDenied"], 6)
        self.assertLessEqual(set(reports["another's"]), {"AccessDenied", "UnknownObject", "none"})
        self.assertEqual(reports["missing"], ["UnknownObject"])
        self.assertEqual(reports["wrong"], ["InvalidArgs"])
        self.assertEqual(reports["agent"], ["AccessDenied"] * 2)
        self.is_located(QT6, running, more_than=len(QT6.positions(running.seen)))

    def test_claims_of_every_declared_name(self):
        declared = {client["client"] for client in self.json("clients") if client.get("file")} - {LOCATIONCTL}
        self.assertIn("org.gnome.Maps", declared)
        attacker = self.application(*script("hostile.py", "claim", *sorted(declared)))
        self.assertEqual(report(attacker), ["claimed"])
        connected = {client["client"] for client in self.json("clients") if client["isConnected"]} - {LOCATIONCTL}
        self.assertEqual(connected, {"/usr/bin/python3.11"})
        [prompt] = self.eventually(self.prompts)
        self.assertEqual(prompt["client"], "/usr/bin/python3.11")
        self.assertNotIn("application", prompt)

    def test_many_names_of_one_program(self):
        """It is asked about once, and denied under all of them."""
        self.addCleanup(self.forget, "/usr/bin/python3.11")
        attacker = self.application(*script("hostile.py", "rename", "300"))
        [prompt] = self.eventually(self.prompts)
        self.assertEqual((prompt["client"], prompt["displayName"]), ("/usr/bin/python3.11", "python3.11"))
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "deny")
        self.assertEqual(report(attacker), ["renamed", {"AccessDenied": 300}])
        self.assertEqual(self.prompts(), [])
        decided = [client["client"] for client in self.json("clients") if client["client"].startswith("/usr/bin/python")]
        self.assertEqual(decided, ["/usr/bin/python3.11"])

    def test_connection_handed_to_a_child(self):
        for program in (GIVER, TAKER):
            self.box.enter("install", "/usr/bin/python3.11", program)
        self.addCleanup(self.forget, GIVER)
        attacker = self.application("sh", "-c", f"{GIVER} /opt/clients/hostile.py give {TAKER}; exec sleep 600")
        self.eventually(self.prompts)
        self.ask("locationctl", "allow", "--always", GIVER)
        # While it lives, what it gave is still its own.
        self.assertEqual(report(attacker), ["took", "none"])
        programs = [client["client"] for client in self.json("clients")]
        self.assertIn(GIVER, programs)
        self.assertNotIn(TAKER, " ".join(programs))
        # When it has ended, nobody may go on with it.
        self.box.enter("pkill", "--exact", "giver")

        def tried():
            attacker.tell("again")
            heard = []
            while len(heard) < 3:
                now = report(attacker)
                if now[0] != "heard":
                    heard.append(now)
            return dict(heard)

        outcomes = self.eventually(lambda: (now := tried())["client"] != "none" and now)
        self.assertEqual(outcomes, {"client": "AccessDenied", "start": "UnknownObject", "location": "nan"})
        self.fixes(5)
        self.assertEqual(tried(), outcomes)
        while not attacker.lines.empty():
            self.assertNotIn("LocationUpdated", attacker.answer(""))

    def test_end_in_the_middle_of_a_prompt(self):
        running = self.begin(WHERE_AM_I)
        self.eventually(self.prompts)
        self.end(running)
        self.eventually(lambda: not self.prompts())

    def test_two_users(self):
        alice = self.begin(WHERE_AM_I)
        self.eventually(self.prompts)
        bob = Terminal(self.box.terminal("where.service", *WHERE_AM_I.command, user="bob", session="tty"))
        self.addCleanup(bob.end)
        self.addCleanup(self.box.enter, "systemctl", "stop", "where.service", check=False, stderr=subprocess.DEVNULL)
        [prompt] = self.eventually(lambda: self.json("agent", "prompts", user="bob"))
        [own] = self.prompts()
        self.assertNotEqual(prompt["id"], own["id"])
        self.assertNotEqual(prompt["userID"], own["userID"])
        # Neither answers the other's.
        self.ask("locationctl", "agent", "answer", str(own["id"]), "allow", user="bob", code=1)
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "deny", user="bob")
        bob.expect(WHERE_AM_I.denied)
        self.answer(WHERE_AM_I, "allow")
        self.is_located(WHERE_AM_I, alice)
        self.assertEqual([self.is_in_use(user) for user in ("alice", "bob")], [True, False])
        self.assertEqual(self.client(WHERE_AM_I.identifier)["status"], "authorizedWhenInUse")
        self.assertEqual(self.client(WHERE_AM_I.identifier, user="bob")["status"], "denied")
        self.ask("locationctl", "reset", WHERE_AM_I.identifier, user="bob")
