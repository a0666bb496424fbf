"""The first minutes with the packages, as the README has them: its commands are read from it and run."""
import subprocess
import sys
import time

from boxtest import REPOSITORY, Terminal
from package import PackageTestCase, package, python_package

sys.path.insert(0, str(REPOSITORY / "Tests/Documentation"))
from pages import README, RECIPES, commands, files  # noqa: E402


class NewcomerTests(PackageTestCase):
    @classmethod
    def setUpClass(cls):
        super(PackageTestCase, cls).setUpClass()
        cls.connect_receiver()
        cls.write("/usr/local/bin/sudo", '#!/bin/sh\nexec "$@"\n')
        cls.box.path("/usr/local/bin/sudo").chmod(0o755)
        cls.write("/etc/apt/apt.conf.d/yes", 'APT::Get::Assume-Yes "true"; APT::Install-Recommends "false";\n')
        for file in [package(), python_package()]:
            cls.box.copy(file, f"/root/packages/{file.name}", mode=0o644)
        cls.root("sha256sum *.deb > SHA256SUMS")

    def setUp(self):
        self.begin = time.monotonic()

    def note(self, what):
        """A line of the timeline."""
        print(f"Debian {self.suite}: {time.monotonic() - self.begin:5.1f} s  {what}", flush=True)

    @classmethod
    def root(cls, line):
        result = cls.box.enter("sh", "-c", "cd /root/packages && " + line, check=False, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, timeout=120)
        if result.returncode:
            raise AssertionError(f"{line}: {result.stdout}")
        return result.stdout

    def alice(self, line):
        """What a line of alice's says, in a shell of her session."""
        terminal = self.terminal(line + "; echo ended with $?")
        said = terminal.expect(r"(?s)\A(.*)ended with (\d+)$", timeout=60)
        self.assertEqual(said[2], "0", said[1])
        return said[1]

    def terminal(self, line):
        """A terminal of alice's session in which a line runs."""
        NewcomerTests.terminals = getattr(NewcomerTests, "terminals", 0) + 1
        terminal = Terminal(self.box.terminal(
            f"terminal-{NewcomerTests.terminals}.service", "sh", "-c", "export SYSTEMD_PAGER=cat; cd; " + line.replace("$", "$$"),
            user="alice", session="tty"))
        self.addCleanup(terminal.end)
        return terminal

    def test_first_minutes(self):
        check, install, gpsd, get = [line for line in commands(README, "Install") if not line.startswith("make ")]
        self.assertNotIn("FAILED", self.root(check))
        # The map has tests of its own.
        self.root(install.replace("./locationd-map_*.deb ", ""))
        self.root(gpsd)
        self.note("installed")

        asking = self.terminal(get)
        asking.expect("Your choice, 1 to 3:")
        self.note("the prompt")
        asking.type("1")
        asking.expect(r"50\.97\d*")
        self.note("the first location")

        heading = "A script of your own"
        (script, program), _ = files(RECIPES, heading).items()
        self.write(script.replace("~", "/home/alice"), program)
        declare, allow, run, *_ = commands(RECIPES, heading)
        self.root(declare)
        self.alice(allow)
        running = self.terminal(run)
        running.expect(r"50\.97\d+ 11\.02\d+ ±")
        self.note("the first location in a program of one's own")
        running.press("\x03")


class NewcomerOnDebian13Tests(NewcomerTests):
    suite = "trixie"

    @classmethod
    def setUpClass(cls):
        cls.skip_unless_available()
        super().setUpClass()

    def test_first_minutes(self):
        super().test_first_minutes()
        [call] = commands(README, "For programmers")
        self.root('locationctl clients add --executable /usr/bin/varlinkctl --when-in-use "Shows where you are."')
        self.alice("locationctl allow local.varlinkctl")
        self.assertIn("latitude", self.alice(f"timeout --foreground 5 {call} || [ $? = 124 ]"))
