"""Programs of gpsd and of others, unmodified, at gpsd's port in the hands of the installed service."""
import json
import os
import pathlib
import subprocess

from boxtest import Terminal
from test_doctor import DoctorTestCase

CLIENT = "org.gpsd.gpspipe"


class GPSDProgramsTests(DoctorTestCase):
    suite = "bookworm+gpsd"

    @classmethod
    def setUpClass(cls):
        cls.skip_unless_available()
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.addCleanup(self.root, "doctor", "--undo", "--yes")
        self.root("doctor", "--fix", "--yes")

    def root(self, *arguments, code=0):
        # These tests switch sockets more often within seconds than systemd starts them.
        self.box.enter("systemctl", "reset-failed", "gpsd.socket", "gpsd.service", check=False, stderr=subprocess.DEVNULL)
        result = self.run_as("root", "locationctl", *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def declare(self):
        self.root("clients", "add", "--executable", "/usr/bin/gpspipe", "--identifier", CLIENT,
                  "--when-in-use", "Prints it.", "--always", "Prints it.")
        self.addCleanup(self.root, "clients", "remove", CLIENT)

    def reports(self, user, *options, count=8):
        """The lines that gpspipe prints for a user."""
        result = self.run_as(user, "timeout", "20", "gpspipe", *options, "-n", str(count), "localhost")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def modes(self, text):
        return {json.loads(line)["mode"] for line in text.splitlines() if '"class":"TPV"' in line}

    def test_decisions(self):
        """Each user's program gets what that user allows, and neither more nor an error."""
        self.assertIn("locationd", self.reports("bob", "-w", count=1))
        self.assertEqual(self.modes(self.reports("alice", "-w")), {1})
        self.declare()
        self.root("allow", CLIENT, "--always", "--user", "alice")
        said = self.reports("alice", "-w")
        self.assertIn(3, self.modes(said), said)
        self.assertRegex(said, r'"lat":50\.978333\d*,"lon":11\.025')
        self.assertRegex(self.reports("alice", "-r", count=20), r"\$GPRMC,[\d.]+,A,5058\.(7000000|699999\d),N,01101\.(5000000|499999\d),E,")
        self.assertEqual(self.modes(self.reports("bob", "-w")), {1})
        self.assertRegex(self.root("history", "--user", "alice"), CLIENT + r" .* gpsd\n")
        self.assertIn("gpsd: open", self.root("status"))

    def test_revoked_while_it_runs(self):
        self.declare()
        self.root("allow", CLIENT, "--always", "--user", "alice")
        file = self.box.path("/home/alice/reports")
        self.start("reports.service", "sh", "-c", "exec gpspipe -w localhost > /home/alice/reports", user="alice")
        self.eventually(lambda: file.exists() and '"lat"' in file.read_text())
        self.root("deny", CLIENT, "--user", "alice")
        denied = len(file.read_text())
        self.eventually(lambda: file.read_text()[denied:].count('"mode":1') > 2)
        self.assertNotIn('"lat"', file.read_text()[denied:].split('"mode":1', 1)[1])
        self.root("allow", CLIENT, "--always", "--user", "alice")
        allowed = len(file.read_text())
        self.eventually(lambda: '"lat"' in file.read_text()[allowed:])

    def test_switch(self):
        self.assertIn("from locationd", self.root("gpsd"))
        self.root("gpsd", "off")
        refused = self.run_as("bob", "timeout", "5", "gpspipe", "-w", "-n", "1", "localhost")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("nothing answers there", self.root("gpsd"))
        # Twice, and after a restart of the service.
        for _ in range(2):
            self.root("gpsd", "on")
        self.box.enter("systemctl", "restart", "locationd.service")
        self.assertIn("locationd", self.reports("bob", "-w", count=1))
        # gpsd has its port again, and nobody else.
        self.root("doctor", "--undo", "--yes")
        self.assertTrue(self.gpsd_answers())
        self.assertEqual(self.problems(self.doctor()), ["gpsd.bus", "gpsd.port", "gpsd.sharedMemory"])
        self.assertIn("Nothing was changed", self.root("gpsd", "on", code=1))
        self.root("doctor", "--fix", "--yes")


class GPSDProgramsDebian13Tests(GPSDProgramsTests):
    suite = "trixie+gpsd"


class MapProgramsTests(DoctorTestCase):
    """Programs that ask gpsd, as Debian has them: they get what alice allows, and stay when she no longer does."""
    suite = "bookworm+maps"

    @classmethod
    def setUpClass(cls):
        cls.skip_unless_available()
        super().setUpClass()
        done = cls.run_as(cls(), "root", "locationctl", "doctor", "--fix", "--yes")
        assert done.returncode == 0, done.stdout + done.stderr
        cls.box.start("xvfb", "Xvfb", ":1", "-screen", "0", "1000x1000x24", "-nolisten", "tcp")
        cls.eventually(cls(), lambda: cls.box.path("/tmp/.X11-unix/X1").exists())
        cls.write("/home/alice/direwolf.conf", "ADEVICE stdin null\nMYCALL N0CALL\nGPSD localhost\n")
        cls.write("/home/alice/collectd.conf", """
            BaseDir "/home/alice"
            PIDFile "/home/alice/collectd.pid"
            LoadPlugin gps
            LoadPlugin csv
            <Plugin csv>
                DataDir "/home/alice/csv"
            </Plugin>
            """)
        # Without a directory of its own Viking asks whether it may use the Internet.
        cls.box.enter("mkdir", "/home/alice/.viking")
        cls.box.enter("chown", "-R", "alice:", "/home/alice")
        agent = Terminal(cls.box.terminal("agent.service", "locationctl", "agent", user="alice", session="tty"))
        cls.addClassCleanup(agent.process.kill)
        agent.expect("^Waiting for programs")

    def reads(self, client, *command, by=None, begin=None):
        """A program that asks gpsd has its user prompted, and gets what the user decides while it runs. It is declared by the
        package, or by `by`, and asks when it starts, or after `begin`."""
        unit = f"a-{client.rpartition('.')[2]}.service"
        if by:
            done = self.run_as("root", "locationctl", "clients", "add", *by, "--identifier", client,
                               "--when-in-use", "Shows it.", "--always", "Records it.")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.addCleanup(self.run_as, "root", "locationctl", "clients", "remove", client)
        self.start(unit, "env", "DISPLAY=:1", "HOME=/home/alice", *command, user="alice")
        if begin:
            begin()
        # Undecided: alice's agent prompts her.
        [prompt] = self.eventually(
            lambda: [prompt for prompt in json.loads(self.ask("locationctl", "agent", "prompts", "--format", "json"))
                     if prompt["client"] == client], what=lambda: f"a prompt for {client}: {self.journal('-n', '40')}")
        self.assertEqual(self.fixes(client), 0)
        # Approximate: one location, as there is one in a quarter of an hour, and nothing exact.
        self.decide("accuracy", client, "approximate")
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "allow")
        # No session of alice's counts it as in use.
        self.decide("allow", client, "--always")
        self.eventually(lambda: self.fixes(client), what=lambda: f"a location for {client}: {self.journal('-n', '40')}")
        self.is_given_nothing(client)
        self.assertEqual((self.fixes(client), self.fixes(client, "full")), (1, 0))
        self.decide("accuracy", client, "exact")
        self.eventually(lambda: self.fixes(client, "full") > 3)
        self.picture(client)
        # Denied: nothing, and it goes on running.
        self.decide("deny", client)
        self.is_given_nothing(client)
        self.assertEqual(self.show(unit, "ActiveState"), "active")

    def is_given_nothing(self, client):
        """While another program is given some reports."""
        before = self.fixes(client)
        self.assertEqual(self.run_as("bob", "timeout", "20", "gpspipe", "-w", "-n", "8", "localhost").returncode, 0)
        self.assertEqual(self.fixes(client), before)

    def decide(self, *command):
        done = self.run_as("root", "locationctl", *command, "--user", "alice")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def fixes(self, client, accuracy=None):
        """The number of locations that the history names for alice's program, all of them through gpsd's protocol; in sessions of
        an accuracy, which is full if any location was exact, or in all."""
        history = json.loads(self.run_as("root", "locationctl", "history", "--user", "alice", "--format", "json").stdout)
        sessions = [session for session in history if session["client"] == client]
        self.assertEqual({session["frontEnd"] for session in sessions} - {"gpsd"}, set())
        return sum(session["count"] for session in sessions if accuracy in (None, session["accuracy"]))

    def picture(self, client):
        """Keeps a picture of the screen in the directory that LOCATIOND_PICTURES names."""
        if directory := os.environ.get("LOCATIOND_PICTURES"):
            # By then it has drawn what it was given.
            self.eventually(lambda: self.fixes(client) > 12)
            self.box.enter("env", "DISPLAY=:1", "import", "-window", "root", "/tmp/screen.png")
            pathlib.Path(directory, f"{client}.png").write_bytes(self.box.path("/tmp/screen.png").read_bytes())

    def test_xgps(self):
        self.reads("org.gpsd.xgps", "/usr/bin/xgps", "localhost", by=["--system-unit", "a-xgps.service"])

    def test_cgps(self):
        self.write("/home/alice/cgps.sh", "TERM=linux exec script --quiet --flush --command 'cgps localhost' /home/alice/cgps.out\n")
        self.reads("cgps", "sh", "/home/alice/cgps.sh")
        # Through libgps, it shows what it was given. Curses sends only the digits that differ from those of the approximate location before,
        # which are chance.
        self.assertRegex(self.box.path("/home/alice/cgps.out").read_text(errors="replace"), r"(50\.)?9?783\d{3}")

    def test_foxtrotgps(self):
        self.reads("foxtrotgps", "/usr/bin/foxtrotgps")

    def test_navit(self):
        self.reads("navit", "/usr/bin/navit")

    def test_viking(self):
        self.write("/home/alice/gps.vik", "#VIKING GPS Viking project file http://viking.sf.net/\nFILE_VERSION=1\n\n~Layer GPS\nname=GPS\n~EndLayer\n")
        self.reads("viking", "/usr/bin/viking", "/home/alice/gps.vik", begin=self.track)

    def track(self):
        """Chooses Start Realtime Tracking, the eighth item, in the menu of Viking's layer."""
        self.eventually(lambda: "gps.vik" in self.on_screen("search", "--name", "gps.vik", "getwindowname"))
        self.on_screen("mousemove", "52", "134", "click", "3", "sleep", "1", "key", "--repeat", "8", "Down", "key", "Return")

    def on_screen(self, *arguments):
        return self.box.enter("env", "DISPLAY=:1", "xdotool", *arguments, check=False, stdout=subprocess.PIPE, text=True).stdout

    def test_direwolf(self):
        # It listens to a sound card that says nothing.
        self.reads("direwolf", "sh", "-c", "sleep infinity | exec direwolf -c /home/alice/direwolf.conf -r 8000 -")

    def test_gpxlogger(self):
        self.reads("gpxlogger", "/usr/bin/gpxlogger", "-e", "sockets", "-f", "/home/alice/track.gpx", "localhost")

    def test_collectd(self):
        self.reads("org.collectd", "/usr/sbin/collectd", "-f", "-C", "/home/alice/collectd.conf",
                   by=["--executable", "/usr/sbin/collectd"])


class MapProgramsDebian13Tests(MapProgramsTests):
    suite = "trixie+maps"
    # Debian 13 has it no more.
    test_foxtrotgps = None

    def test_opencpn(self):
        """As it is: it asks gpsd for NMEA, and shows the ship."""
        # With a connection of the type gpsd. A file of another version would have its words of welcome shown first.
        self.write("/home/alice/.opencpn/opencpn.conf", """
            [Settings]
            ConfigVersionString=Version 5.10.2 Build 2024-09-11
            NavMessageShown=1
            [Settings/NMEADataSource]
            DataConnections=1;2;localhost;2947;0;;4800;1;0;0;;0;;1;0;0;0;1;gpsd;0;;0;0
            """.replace(" " * 12, ""))
        self.box.enter("chown", "-R", "alice:", "/home/alice")
        self.reads("opencpn", "/usr/bin/opencpn", "--no_opengl")
