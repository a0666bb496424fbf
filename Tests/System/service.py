"""Actions on the installed service, and ways to observe it."""
import itertools
import re
import subprocess

from boxtest import Conversation
from package import PackageTestCase, declaration

# On a scale to 10; GeoClue's unit has 7.5. Of it 0.2 is for openat2(2), by which programs are recognised.
GREATEST_EXPOSURE = 1.8


class ServiceTestCase(PackageTestCase):
    """Tests with the installed service, which each test finds listening and not failed."""

    numbers = itertools.count()

    def setUp(self):
        self.box.enter("systemctl", "reset-failed", "locationd.service", "locationd.socket")
        self.box.enter("systemctl", "start", "locationd.socket")

    def units_are_in_order(self):
        """The units are valid, and their exposure is minimal."""
        units = ["locationd.service", "locationd.socket", "locationd-gpsd.socket", "locationd-watching.service"]
        result = self.box.enter("systemd-analyze", "verify", "--man=no", *units, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(result.stdout, "")
        lines = self.box.output("systemd-analyze", "security", "--no-pager", "locationd.service").splitlines()
        exposure = float(re.search(r"exposure level.*: ([0-9.]+)", lines[-1])[1])
        print(f"exposure on Debian {self.suite}: {exposure}")
        self.assertLessEqual(exposure, GREATEST_EXPOSURE)

    # Actions of the tests

    def edit(self, pattern, replacement):
        """Changes the service's property list for one test; the service has not reloaded it yet."""
        path = self.box.path("/etc/locationd/locationd.plist")
        before = path.read_text()
        after = re.sub(pattern, replacement, before, count=1)
        self.assertNotEqual(after, before)
        path.write_text(after)
        self.addCleanup(self.restart)
        self.addCleanup(path.write_text, before)

    def configure(self, **keys):
        """Adds keys to the service's property list for one test, and restarts the service."""
        added = "".join(f"\n    <key>{key}</key>{value}" for key, value in keys.items())
        self.edit(r"\n</dict>", f"{added}\n</dict>")
        self.restart()

    def override(self, unit, text):
        """Overrides settings of a unit for one test."""
        directory = f"/etc/systemd/system/{unit}.d"
        self.write(f"{directory}/test.conf", text)
        self.addCleanup(self.restart)
        self.addCleanup(self.box.enter, "systemctl", "daemon-reload")
        self.addCleanup(self.box.enter, "rm", "-r", directory)
        self.box.enter("systemctl", "daemon-reload")

    def declare(self, name, policy="", **match):
        """Copies locationctl as another program for one test, identified by its path unless criteria are given."""
        program = f"/usr/local/bin/{name}"
        self.box.enter("install", "/usr/bin/locationctl", program)
        file = f"/etc/locationd/clients.d/{name}.plist"
        self.write(file, declaration(f"org.example.{name.capitalize()}", policy, **(match or {"Executable": program})))
        self.addCleanup(self.reload)
        self.addCleanup(self.box.enter, "rm", program, file)
        self.reload()

    def reload(self):
        self.ask("locationctl", "config", "reload", user="root")

    def restart(self):
        self.box.enter("systemctl", "reset-failed", "locationd.service")
        self.box.enter("systemctl", "restart", "locationd.service")

    def kill(self, signal):
        """Sends the service's process a signal from outside, and returns its process id in the box."""
        process = self.main_pid
        self.box.enter("kill", f"-{signal.value}", str(process))
        return process

    def watch(self, user="alice", program="locationctl", first='"latitude"'):
        """A running subscriber with its first output: a line a location, and one when the service stops."""
        watcher = self.converse(f"watcher-{next(self.numbers)}.service", "sh", "-c",
                                f"exec {program} watch --format json 2>&1", user=user)
        self.expect(watcher, first)
        return watcher

    def converse(self, unit, *command, user="alice"):
        """Starts a program with output as a unit that is stopped after the test."""
        conversation = Conversation(self.box.spawn(*command, options=[f"--uid={user}", f"--unit={unit}"]))
        self.addCleanup(conversation.end)
        self.addCleanup(self.stop, conversation)
        conversation.unit = unit
        return conversation

    def stop(self, watcher):
        self.box.enter("systemctl", "stop", watcher.unit, check=False, stderr=subprocess.DEVNULL)

    def keep_asking(self):
        """A client that makes requests all the time, until `nobody_was_turned_away`."""
        self.box.enter("rm", "-f", "/run/asked-enough")
        asking = Conversation(self.box.spawn(
            "sh", "-c", 'until [ -e /run/asked-enough ]; do said=$(locationctl status 2>&1) || echo "$? $said"; done; '
                        "echo ended"))
        self.addCleanup(asking.end)
        self.addCleanup(self.write, "/run/asked-enough", "")
        return asking

    def nobody_was_turned_away(self, asking):
        self.write("/run/asked-enough", "")
        for each in asking:
            each.expect("ended")

    def hears_again(self, watcher):
        """Waits until a subscriber has noticed the end of the service and has a location again."""
        self.expect(watcher, "is not available")
        self.expect(watcher, '"latitude"')

    def expect(self, watcher, part):
        """Waits for a line of a subscriber that contains this text."""
        while part not in watcher.answer(""):
            pass
