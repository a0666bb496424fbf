"""Sessions and user managers in a box: switching, locking, starting units in them."""
import time

from boxtest import BoxTestCase

SLEEP = ("sleep", "infinity")


class SessionTestCase(BoxTestCase):
    """Tests with sessions of users."""

    def session(self, process):
        """The id of a process's session."""
        group = self.box.path(f"/proc/{process}/cgroup").read_text()
        return group.rpartition("session-")[2].partition(".scope")[0]

    def activate(self, process):
        """Switches to a process's session."""
        self.box.enter("loginctl", "activate", self.session(process))
        return time.monotonic()

    def path_on_bus(self, session):
        return self.box.output(
            "busctl", "call", "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
            "GetSession", "s", session).split('"')[1]

    def set_locked(self, session, value):
        self.box.enter(
            "busctl", "call", "org.freedesktop.login1", self.path_on_bus(session), "org.freedesktop.login1.Session",
            "SetLockedHint", "b", "true" if value else "false")
        return time.monotonic()

    def user_unit(self, user, unit, *command, scope=False):
        """Starts a unit of a user's service manager, and returns its process."""
        if scope:
            home = f"XDG_RUNTIME_DIR=/run/user/{self.box.output('id', '-u', user)}"
            return self.start(
                f"start-{unit}.service", "env", home, "systemd-run", "--user", "--scope", "--quiet", f"--unit={unit}",
                *command, user=user)
        self.box.enter("systemd-run", "--user", f"--machine={user}@", "--quiet", "--collect", f"--unit={unit}",
                       "--service-type=exec", *command)
        return int(self.box.output(
            "systemctl", "--user", f"--machine={user}@", "show", "--value", "--property=MainPID", unit))
