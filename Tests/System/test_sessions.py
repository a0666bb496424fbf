"""Access by the session of a program, through the installed service."""
import subprocess

from service import ServiceTestCase
from sessions import SLEEP, SessionTestCase

SUSPENDED = "insufficientlyInUse"
FLOWS = '"latitude"'


class SessionsOfTheServiceTests(ServiceTestCase, SessionTestCase):
    def setUp(self):
        super().setUp()
        self.declare("weather", policy="whenInUse")

    # Expectations of the tests

    def watch_from(self, unit, user, before="", **session):
        """Starts a subscriber as a unit, and returns its process. Its output goes to a file in the user's home."""
        file = f"/home/{user}/{unit}"
        self.addCleanup(self.box.enter, "rm", "-f", file)
        return self.start(unit, "sh", "-c", f"{before}exec weather watch --format json > {file} 2>&1", user=user, **session)

    def hears(self, unit, user, part):
        """Waits until the last line of a subscriber's output is this."""
        file = self.box.path(f"/home/{user}/{unit}")

        def newest():
            lines = file.read_text().split("\n")[:-1] if file.exists() else []
            return lines[-1] if lines else ""

        self.eventually(lambda: part in newest(), what=lambda: f"“{part}”, the newest is “{newest()}”")

    # The tests

    def test_two_users_at_one_seat(self):
        alice = self.watch_from("alice", "alice", seat="seat0")
        bob = self.watch_from("bob", "bob", seat="seat0")
        self.activate(alice)
        self.hears("alice", "alice", FLOWS)
        self.hears("bob", "bob", SUSPENDED)
        self.activate(bob)
        self.hears("bob", "bob", FLOWS)
        self.hears("alice", "alice", SUSPENDED)
        # A locked session gets nothing; the other one still has the seat to return to.
        self.set_locked(self.session(bob), True)
        self.hears("bob", "bob", SUSPENDED)
        self.hears("alice", "alice", SUSPENDED)
        self.activate(alice)
        self.hears("alice", "alice", FLOWS)
        # Return to a session that is still locked.
        self.activate(bob)
        self.hears("alice", "alice", SUSPENDED)
        self.hears("bob", "bob", SUSPENDED)
        self.set_locked(self.session(bob), False)
        self.hears("bob", "bob", FLOWS)

    def test_remote_session(self):
        alice = self.watch_from("remote", "alice", session="tty")
        self.hears("remote", "alice", FLOWS)
        # Another user's presence at the seat makes no difference.
        self.activate(self.start("bob", *SLEEP, user="bob", seat="seat0"))
        self.hears("remote", "alice", FLOWS)
        self.set_locked(self.session(alice), True)
        self.hears("remote", "alice", SUSPENDED)

    def test_left_behind_by_a_session(self):
        leader = self.start("remote", "sh", "-c", "weather watch --format json > /home/alice/remote & exec sleep infinity",
                            user="alice", session="tty")
        self.addCleanup(self.box.enter, "pkill", "weather", check=False)
        self.hears("remote", "alice", FLOWS)
        self.box.enter("kill", str(leader))
        self.hears("remote", "alice", SUSPENDED)

    def test_job_without_a_session(self):
        self.watch_from("job", "alice")
        self.hears("job", "alice", SUSPENDED)
        self.ask("locationctl", "allow", "--always", "org.example.Weather")
        self.hears("job", "alice", FLOWS)
        self.ask("locationctl", "reset", "org.example.Weather")

    def test_service_of_a_user(self):
        self.declare("tracker", policy="always", UserUnit="tracker.service")
        self.start("alice", *SLEEP, user="alice", seat="seat0")

        def run(unit):
            file = f"/home/alice/{unit}"
            self.addCleanup(self.box.enter, "rm", "-f", file)
            self.addCleanup(self.box.enter, "systemctl", "--user", "--machine=alice@", "stop", unit, check=False,
                            stderr=subprocess.DEVNULL)
            self.user_unit("alice", unit, "sh", "-c", f"exec tracker watch --format json > {file} 2>&1")

        run("tracker.service")
        self.hears("tracker.service", "alice", FLOWS)
        # The same program in another unit, or another user's unit of the same name, is not the client.
        run("other.service")
        self.hears("other.service", "alice", "No client declaration matches")
        self.assertIn("No client declaration matches", self.ask(
            "tracker", "get", user="bob", code=77, unit="tracker.service"))
