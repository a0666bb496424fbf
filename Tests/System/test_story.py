"""The whole story of a decision, as a user sees it: asked, allowed, in the background, allowed more, looked at, taken back.

In a real login session with real terminals, with the real service under its real unit, and beside another user.
"""
import itertools
import subprocess

from boxtest import Conversation, Terminal
from sources import ALWAYS, CLIENT, PROGRAM, WHEN_IN_USE, SourcesTestCase

# From the receiver (nmea.py).
LOCATION = r"^location 50\.9783"
CHOICES = r"^  1  Allow While Using\n  2  Allow Once\n  3  Don’t Allow\nYour choice, 1 to 3:$"


class StoryTests(SourcesTestCase):
    numbers = itertools.count()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.declare_example()

    # Actions of the tests

    def terminal(self, *command, user="alice", **session):
        """A terminal with a running command, which ends with the test."""
        unit = f"terminal-{next(self.numbers)}.service"
        terminal = Terminal(self.box.terminal(unit, *command, user=user, **session))
        self.addCleanup(terminal.end)
        # An interactive shell ignores lesser signals.
        self.addCleanup(self.box.enter, "systemctl", "kill", "--signal=KILL", unit, check=False,
                        stderr=subprocess.DEVNULL)
        return terminal

    def shell(self, **session):
        """An interactive shell that announces its prompt."""
        shell = self.terminal("env", "PS1=ready> ", "bash", "--norc", "--noprofile", "-i", **session)
        shell.expect("^ready> ")
        return shell

    def suspend(self, shell):
        """Ctrl-Z: the job stops, and the shell has the terminal."""
        shell.press("\x1a")
        shell.expect("Stopped.*\n(.*\n)*ready> ")

    def interrupt(self, shell):
        """Ctrl-C: the foreground job ends, and the shell has the terminal."""
        shell.press("\x03")
        shell.expect("\\^C(.*\n)*.*ready> ")

    def process(self):
        return self.box.output("pgrep", "--oldest", "--full", f"^{PROGRAM}|^weather watch")

    def view_of_bob(self):
        """Everything that another user can see."""
        return [self.json(*command, user="bob") for command in [
            ["clients"], ["history"], ["agent", "prompts"], ["explain", CLIENT]]]

    def check_that_bob_sees_nothing(self, before):
        """Another user sees no difference and can change nothing."""
        self.assertEqual(self.view_of_bob(), before)
        self.ask("locationctl", "explain", self.process(), user="bob", code=77)
        for command in [["clients"], ["history"], ["explain", CLIENT], ["deny", CLIENT], ["reset", CLIENT],
                        ["allow", CLIENT], ["accuracy", CLIENT, "reduced"], ["off"]]:
            self.ask("locationctl", *command, "--user", "alice", user="bob", code=77)
        self.ask("locationctl", "off", "--system", user="bob", code=77)

    # The tests

    def test_story(self):
        before = self.view_of_bob()
        self.assertEqual((self.client(user="bob")["status"], before[2]), ("notDetermined", []))
        agent = self.terminal("locationctl", "agent", session="tty")
        agent.expect("^Waiting for programs")
        shell = self.shell(seat="seat0")

        # The first request. Earlier input does not answer it.
        agent.type("3")
        agent.expect("^3$")
        shell.type("weather watch")
        shell.expect("^diagnostic authorizationRequestInProgress$")
        agent.expect("^Allow “Weather” to use your location\\?$")
        agent.expect(f"^  “{WHEN_IN_USE}”$")
        agent.expect(rf"^  {CLIENT}: process {self.process()}, {PROGRAM}")
        agent.expect(r"^  user alice \(\d+\), session \w+$")
        agent.expect(CHOICES)
        [prompt] = self.json("agent", "prompts")
        self.check_that_bob_sees_nothing(before)
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "allow", user="bob", code=1)
        self.assertEqual([open["id"] for open in self.json("agent", "prompts")], [prompt["id"]])
        agent.type("1")
        shell.expect(LOCATION)
        self.assertTrue(self.client()["isInUse"])

        # Moved to the background behind another job: suspended after the grace, and resumed at once.
        self.suspend(shell)
        shell.type("bg; cat")
        shell.expect("^diagnostic insufficientlyInUse$")
        self.assertFalse(self.client()["isInUse"])
        steps = self.json("explain", self.process())["steps"]
        [use] = [step["found"] for step in steps if step["found"].startswith("no: its locations are held back.")]
        self.assertIn("it is a background job of its terminal", use)
        self.interrupt(shell)
        shell.type("fg")
        shell.expect(LOCATION)

        # The request for always.
        self.suspend(shell)
        shell.type("bg; weather always")
        agent.expect("^Allow “Weather” to use your location even when you are not using it\\?$")
        agent.expect(f"^  “{ALWAYS}”$")
        agent.expect("^  1  Keep While Using\n  2  Change to Always\nYour choice, 1 to 2:$")
        agent.type("2")
        shell.expect("^may know: authorizedAlways$")
        shell.type("cat")
        self.eventually(lambda: not self.client()["isInUse"])
        shell.position = len(shell.seen)
        shell.expect(LOCATION)
        # This question is asked only once.
        self.interrupt(shell)
        shell.type("weather always")
        shell.expect("^may know: authorizedAlways$")

        # The lists and the history afterwards.
        [access] = self.json("history", "--client", CLIENT)
        self.assertGreater(access["count"], 2)
        self.assertEqual(access["accuracy"], "full")
        self.assertRegex(self.ask("locationctl", "history"), rf"(?m)^{CLIENT} +20\S+ \S+ +20\S+ \S+ +\d+ +exact \(±")
        explanation = self.ask("locationctl", "explain", self.process())
        self.assertIn(f"{CLIENT}: always, exact location.", explanation)
        self.assertIn(f"executable {PROGRAM}", explanation)
        self.assertIn(f"[/etc/locationd/clients.d/{CLIENT}.plist: Match]", explanation)
        self.assertRegex(explanation, "(?m)^→ What did the user decide\\? allow always$")
        self.check_that_bob_sees_nothing(before)

        # Reset, and asked again.
        self.ask("locationctl", "reset", CLIENT)
        shell.expect("^diagnostic authorizationDenied$")
        self.assertEqual(self.client()["status"], "notDetermined")
        shell.type("weather watch")
        agent.expect(CHOICES)
        # Answered by another program; the agent is notified.
        [prompt] = self.eventually(lambda: self.json("agent", "prompts"))
        answer = ["locationctl", "agent", "answer", str(prompt["id"]), "deny"]
        self.assertEqual(self.ask(*answer), "Weather: Don’t Allow.")
        agent.expect("^This prompt was withdrawn; it needs no answer.$")
        shell.expect("^diagnostic authorizationDenied$")
        self.ask(*answer, code=1)

    def test_in_its_own_terminal(self):
        shell = self.shell(seat="seat0")
        self.addCleanup(self.ask, "locationctl", "reset", "org.locationd.locationctl")
        shell.type("locationctl watch")
        shell.expect("^  “Shows your location in the terminal.”$")
        shell.expect(CHOICES)
        shell.type("2")
        shell.expect(r"50\.978333° N")
        # In the background it does not read the keyboard, and a one-time grant ends with its use.
        self.suspend(shell)
        shell.type("bg; cat")
        shell.expect("You have not decided yet whether locationctl may use your location")
        shell.type("typed for cat")
        shell.expect("^typed for cat$")
        shell.expect("^typed for cat$")

    def test_lies_gain_nothing(self):
        self.ask("locationctl", "allow", "--always", CLIENT, user="bob")
        self.addCleanup(self.ask, "locationctl", "reset", CLIENT, user="bob")
        watcher = Conversation(self.box.spawn(
            "weather", "watch", options=["--uid=bob", "--unit=watcher.service", "--property=KillSignal=SIGKILL"]))
        self.addCleanup(watcher.end)
        watcher.answer("location")
        self.box.enter("systemctl", "stop", "watcher.service")
        lies = {
            # Its file name, title and argv[0].
            "a copy": 'cp /usr/local/bin/weather ~/weather && exec ~/weather lie "$1"',
            "another title": 'cp /usr/local/bin/weather ~/liar && exec -a /usr/local/bin/weather ~/liar lie "$1"',
            # The claims in its request, and its name in ps.
            "parameters": 'cp /usr/local/bin/weather ~/liar && exec ~/liar lie "$1"',
            "a link": 'cp /usr/local/bin/weather ~/liar && ln -sf ~/liar ~/weather && exec ~/weather lie "$1"',
            # Its own file at the other program's path, in a mount namespace of its own.
            "a mount": 'cp /usr/local/bin/weather ~/liar && exec unshare --map-root-user --mount sh -c '
                       '"mount --bind ~/liar /usr/local/bin/weather && exec /usr/local/bin/weather lie $1"',
        }
        for lie, script in lies.items():
            with self.subTest(lie):
                self.ask("rm", "-f", "/home/bob/weather", "/home/bob/liar", user="bob")
                heard = self.ask("bash", "-c", script, "bash", CLIENT, user="bob")
                self.assertEqual(heard, "refused: org.locationd.Authorization.ClientNotDeclared")
        # A link to the program counts as the program.
        self.ask("ln", "-sf", PROGRAM, "/home/bob/forecast", user="bob")
        self.assertEqual(self.ask("/home/bob/forecast", "status", user="bob"), "may know: authorizedAlways")
