"""The use of processes according to a real logind."""
import subprocess
import time

from boxtest import Conversation
from sessions import SLEEP, SessionTestCase

GRACE = 5
# The limit for "at once", in seconds; far less than the grace.
AT_ONCE = 2


class InUseTests(SessionTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.install_program("UsageProbe", "/usr/local/bin/usage-probe")

    def setUp(self):
        self.probe = Conversation(self.box.spawn("usage-probe"))
        self.addCleanup(self.probe.end)

    # Expectations of the tests

    def watch(self, process, expected):
        self.probe.tell(f"watch {process}")
        self.probe.expect(f"{process} {expected}")

    def expect(self, process, state, since, grace=False):
        """Waits for a report and checks that it came after the grace, or at once."""
        elapsed = self.probe.expect(f"{process} {state}") - since
        if grace:
            self.assertAlmostEqual(elapsed, GRACE, delta=AT_ONCE / 2)
        else:
            self.assertLess(elapsed, AT_ONCE)

    def surroundings_become(self, expected):
        """Waits until the probe's report of lock and presence is this; others may come before, while logind answers."""
        while (said := self.probe.answer("locked ")) != expected:
            self.assertRegex(said, "^(yes|no|unknown) present (yes|no|unknown)$")

    # The tests

    def test_surroundings(self):
        user = self.box.output("id", "-u", "alice")
        self.probe.tell("cost")
        before = self.probe.answer("cost ")
        self.probe.tell(f"surroundings {user}")
        self.surroundings_become("yes present no")
        alice = self.start("alice", *SLEEP, user="alice", seat="seat0")
        self.activate(alice)
        self.surroundings_become("no present yes")
        session = self.session(alice)
        self.set_locked(session, True)
        self.surroundings_become("yes present no")
        self.set_locked(session, False)
        self.surroundings_become("no present yes")
        bus = ["busctl", "call", "org.freedesktop.login1", self.path_on_bus(session), "org.freedesktop.login1.Session"]
        for idle, expected in [("true", "no present no"), ("false", "no present yes")]:
            self.box.enter("setpriv", "--reuid=alice", "--clear-groups", *bus, "SetIdleHint", "b", idle)
            self.surroundings_become(expected)
        # Another user comes to the machine. Alice's session stays unlocked in the background.
        bob = self.start("bob", *SLEEP, user="bob", seat="seat0")
        self.activate(bob)
        self.set_locked(self.session(bob), True)
        self.surroundings_become("no present no")
        # In doubt without logind. A restarted one has forgotten the lock, which stays in force.
        self.set_locked(session, True)
        self.surroundings_become("yes present no")
        self.addCleanup(self.box.enter, "systemctl", "start", "systemd-logind.service")
        self.box.enter("systemctl", "stop", "systemd-logind.service", stderr=subprocess.DEVNULL)
        self.surroundings_become("unknown present unknown")
        self.box.enter("systemctl", "start", "systemd-logind.service")
        self.surroundings_become("yes present no")
        self.box.enter("systemctl", "stop", "alice.service")
        self.surroundings_become("yes present no")
        # Nothing is left of it.
        self.probe.tell("surroundings")
        self.eventually(lambda: self.probe.tell("cost") or self.probe.answer("cost ") == before)

    def test_switching_sessions(self):
        alice = self.start("alice", *SLEEP, user="alice", seat="seat0")
        bob = self.start("bob", *SLEEP, user="bob", seat="seat0")
        self.activate(alice)
        self.watch(alice, "in use")
        self.watch(bob, "not in use")
        switched = self.activate(bob)
        self.expect(bob, "in use", switched)
        self.expect(alice, "not in use", switched, grace=True)
        # A return within the grace is not the end of use.
        self.activate(alice)
        self.probe.expect(f"{alice} in use")
        self.activate(bob)
        self.probe.tell(f"ask {alice}")
        self.probe.expect(f"{alice} asked: in use")

    def test_locking(self):
        alice = self.start("alice", *SLEEP, user="alice", seat="seat0")
        session = self.session(alice)
        self.watch(alice, "in use")
        self.expect(alice, "not in use", self.set_locked(session, True))
        self.expect(alice, "in use", self.set_locked(session, False))
        # Locked before the process is watched.
        self.probe.tell(f"unwatch {alice}")
        self.set_locked(session, True)
        self.watch(alice, "not in use")

    def test_forged_signal(self):
        alice = self.start("alice", *SLEEP, user="alice", seat="seat0")
        session = self.session(alice)
        self.set_locked(session, True)
        self.watch(alice, "not in use")
        # Anybody may send the daemon a signal, but not broadcast one as logind.
        probe = next(
            line.split()[0] for line in self.box.output("busctl", "list", "--no-legend").splitlines()
            if "usage-probe" in line)
        self.box.enter(
            "runuser", "--user", "bob", "--", "busctl", "--system", f"--destination={probe}", "emit",
            self.path_on_bus(session), "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
            "org.freedesktop.login1.Session", "1", "LockedHint", "b", "false", "0")
        before = time.monotonic()
        self.set_locked(session, False)
        self.assertGreater(self.probe.expect(f"{alice} in use"), before)

    def test_background_activity(self):
        alice = self.start("alice", *SLEEP, user="alice", seat="seat0")
        self.set_locked(self.session(alice), True)
        self.watch(alice, "not in use")
        self.probe.tell(f"show {alice}")
        self.probe.expect(f"{alice} in use")
        self.probe.tell(f"hide {alice}")
        self.probe.expect(f"{alice} not in use")

    def test_closing_session(self):
        leader = self.start(
            "alice", "sh", "-c", "sleep infinity & exec sleep infinity", user="alice", seat="seat0")
        child = int(self.box.output("sh", "-c", f"until pgrep --parent {leader} sleep; do :; done"))
        self.watch(child, "in use")
        self.box.enter("kill", str(leader))
        self.expect(child, "not in use", time.monotonic())
        self.box.enter("kill", str(child))
        self.probe.expect(f"{child} exited")

    def test_remote_session(self):
        alice = self.start("alice", *SLEEP, user="alice", session="tty")
        self.watch(alice, "in use")

    def test_session_for_background_jobs(self):
        job = self.start("job", *SLEEP, user="alice", session="tty", session_class="background")
        self.watch(job, "not in use")

    def test_services(self):
        self.start("alice", *SLEEP, user="alice", seat="seat0")
        self.watch(self.start("weather", *SLEEP, user="alice"), "not in use")
        self.watch(self.user_unit("alice", "weather.service", *SLEEP), "not in use")

    def test_applications_of_the_user_manager(self):
        alice = self.start("alice", *SLEEP, user="alice", seat="seat0")
        bob = self.start("bob", *SLEEP, user="bob", seat="seat0")
        self.activate(alice)
        scope = self.user_unit("alice", "app-org.example.Weather-1.scope", *SLEEP, scope=True)
        service = self.user_unit("alice", "app-org.example.Weather@1.service", *SLEEP)
        self.watch(scope, "in use")
        self.watch(service, "in use")
        self.probe.tell(f"unwatch {service}")
        locked = self.set_locked(self.session(alice), True)
        self.expect(scope, "not in use", locked)
        self.set_locked(self.session(alice), False)
        self.probe.expect(f"{scope} in use")
        self.expect(scope, "not in use", self.activate(bob), grace=True)

    def test_application_without_a_desktop(self):
        self.start("alice", *SLEEP, user="alice", session="tty")
        self.watch(self.user_unit("alice", "app-org.example.Weather@2.service", *SLEEP), "not in use")

    def test_logind_and_bus_restart(self):
        alice = self.start("alice", *SLEEP, user="alice", seat="seat0")
        session = self.session(alice)
        self.watch(alice, "in use")
        self.expect(alice, "not in use", self.set_locked(session, True))
        # It has forgotten the lock, and must not be believed.
        self.box.enter("systemctl", "restart", "systemd-logind")
        self.probe.tell(f"ask {alice}")
        self.probe.expect(f"{alice} asked: not in use")
        self.set_locked(session, True)
        self.expect(alice, "in use", self.set_locked(session, False))
        # Without the bus nothing is in use; with it all states are queried again.
        self.box.enter("systemctl", "restart", "dbus.socket", "dbus.service")
        self.box.enter("systemctl", "restart", "systemd-logind")
        self.expect(alice, "not in use", self.set_locked(session, True))

    def test_watching_nothing_costs_nothing(self):
        alice = self.start("alice", *SLEEP, user="alice", seat="seat0")
        before = self.cost()
        self.watch(alice, "in use")
        self.assertGreater(self.cost(), before)
        self.probe.tell(f"unwatch {alice}")
        # The thread closes its descriptors in its own time.
        deadline = time.monotonic() + AT_ONCE
        while self.cost() != before:
            self.assertLess(time.monotonic(), deadline)

    def cost(self):
        self.probe.tell("cost")
        return int(self.probe.answer("cost"))
