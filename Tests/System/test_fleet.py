"""The article Fleet, typed in one machine: a broker and a database of the distribution, two vehicles, what a viewer sees, and what is recorded.
The programs are those that the tests have built, which need the libraries of Swift beside them."""
import json
import re
import subprocess
import sys

from boxtest import REPOSITORY, BoxTestCase

sys.path.insert(0, str(REPOSITORY / "Tests/Documentation"))
from pages import FLEET, commands, files  # noqa: E402

LATITUDE = 50.9783
PRODUCTS = ["locationd", "locationctl", "locationd-share", "locationd-fleet-recorder"]
RECORDER = "locationd-fleet-recorder.service"
# On a scale to 10.
GREATEST_EXPOSURE = 1.3
SUDO = """#!/bin/sh
[ "$1" = -u ] || exec "$@"
user=$2
shift 2
exec runuser -u "$user" -- "$@"
"""


class FleetTests(BoxTestCase):
    suite = "bookworm+broker"

    @classmethod
    def setUpClass(cls):
        cls.skip_unless_available()
        super().setUpClass()
        for product in PRODUCTS:
            # For the libraries: the programs are installed below.
            cls.install_program(product, f"/usr/local/lib/{product}")
        for target in ["install", "install-share", "install-recorder"]:
            subprocess.run(["make", "-s", target, "PREFIX=/usr", f"DESTDIR={cls.box.path('/')}", "BIN=.build/debug"],
                           cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
        cls.write("/usr/local/bin/sudo", SUDO)
        cls.box.path("/usr/local/bin/sudo").chmod(0o755)
        with open(cls.box.path("/etc/hosts"), "a") as hosts:
            hosts.write("127.0.0.1 broker.example\n")
        cls.box.enter("systemd-sysusers", stderr=subprocess.DEVNULL)
        for command in [["daemon-reload"], ["reload", "dbus.service"], ["enable", "--now", "locationd.socket"]]:
            cls.box.enter("systemctl", *command, stderr=subprocess.DEVNULL)
        cls.box.enter("locationctl", "sources", "fixed", "set", str(LATITUDE), "11.0292", stdout=subprocess.DEVNULL)

    def type(self, line, text=None, code=0):
        """Runs a line in root's shell, with what is typed at its prompts, and returns what it has said."""
        result = self.box.enter("sh", "-c", f"cd /root; {line}", check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, timeout=60, **({"input": text, "stdin": None} if text else {}))
        self.assertEqual(result.returncode, code, f"{line}: {result.stdout}")
        return result.stdout

    def section(self, heading, text=None, **replacing):
        """Types the commands of a section in their order, and returns what each has said."""
        said = {}
        for line in commands(FLEET, heading):
            typed = line
            for old, new in replacing.items():
                typed = typed.replace(old, new)
            said[line] = self.type(typed, text(line) if text else None)
        return said

    def log(self):
        """What the broker has written."""
        return self.box.path("/var/log/mosquitto/mosquitto.log").read_text()

    def seen(self, *options):
        """The newest positions that a viewer sees, by topic."""
        [line] = commands(FLEET, "On a map")
        said = self.type(f"{line.replace('PASSWORD', 'secret')} --retained-only -W 3 {' '.join(options)} 2> /dev/null || [ $? = 27 ]")
        return {topic: json.loads(content) for topic, content in (line.split(" ", 1) for line in said.splitlines())}

    def show(self, name):
        """A property of the recorder's unit."""
        return self.box.output("systemctl", "show", "--value", f"--property={name}", RECORDER)

    def record(self):
        """Types the section about the recorder, whose database is then stopped for a while."""
        self.assertEqual(self.type(f"systemd-analyze verify --man=no {RECORDER}"), "")
        exposure = float(re.search(r"exposure level.*: ([0-9.]+)", self.type(f"systemd-analyze security --no-pager {RECORDER}"))[1])
        print(f"exposure of {RECORDER} on Debian {self.suite}: {exposure}")
        self.assertLessEqual(exposure, GREATEST_EXPOSURE)
        self.assertEqual((self.show("UnitFileState"), self.show("ActiveState")), ("disabled", "inactive"))
        # Nothing happens before there is a configuration, and the start fails before there is a password.
        self.type(f"systemctl start {RECORDER}")
        self.assertEqual((self.show("ActiveState"), self.show("ConditionResult")), ("inactive", "no"))
        for path, text in files(FLEET, "Where they have been").items():
            self.write(path, text)
        self.type(f"systemctl start {RECORDER}", code=1)
        self.assertEqual((self.show("ActiveState"), self.show("AssertResult")), ("inactive", "no"))

        self.write("/root/viewer", "viewer:secret\n")
        self.section("Where they have been", **{"apt install": "dpkg --status", "locationctl": "true"})
        [track, forget] = [line for line in commands(FLEET, "Where they have been") if "locationctl" in line]
        track = track.replace("--from 2026-11-24 --to 2026-11-25", "--from 1h")
        tracked = lambda: self.type(f"{track} || true")
        recorded = lambda latitude: f'lat="{latitude:.4f}"' in tracked()
        said = lambda: f"a position: {tracked()}" + self.box.output("journalctl", "--no-pager", "--lines=20", f"--unit={RECORDER}")
        self.eventually(lambda: recorded(LATITUDE), 60, said)
        process = self.box.path(f"/proc/{self.show('MainPID')}")
        [real, *others] = next(line for line in (process / "status").read_text().splitlines() if line.startswith("Uid:")).split()[1:]
        self.assertEqual({real, *others}, {self.box.output("id", "-u", "locationd-fleet")})
        for file in ["cmdline", "environ"]:
            self.assertNotIn(b"secret", (process / file).read_bytes())
        # It waits for its database itself: it is not started again.
        self.type("systemctl stop postgresql.service")
        self.type(f"locationctl sources fixed set {LATITUDE + 0.01:.4f} 11.0292")
        self.eventually(lambda: {round(position["lat"], 4) for position in self.seen().values()} == {round(LATITUDE + 0.01, 4)}, 60,
                        lambda: f"the other position: {self.seen()}")
        self.type("systemctl start postgresql.service")
        self.eventually(lambda: recorded(LATITUDE + 0.01), 90, said)
        self.assertEqual(self.show("NRestarts"), "0")
        # The database is open to its user only.
        for user in ["alice", "root"]:
            self.assertIn(f'role "{user}" does not exist', self.ask(*track.split()[3:], user=user, code=1))
        self.assertIn("of owntracks/fleet/van7", self.type(forget))
        self.assertIn("No vehicle “van7” is recorded", self.type(track, code=1))

    def test_from_an_empty_machine_to_two_vehicles_and_without_one(self):
        self.section("The broker", **{"apt install": "dpkg --status"})
        for path, text in files(FLEET, "The broker").items():
            self.write(path, text)
        self.type("systemctl daemon-reload")
        self.section("Its certificate")
        self.type("cp server.crt /etc/ssl/broker.crt")
        self.section("Its users", lambda line: "secret\nsecret\n" if "passwd" in line else None)
        for van, share in [("van7", "depot"), ("van8", "other")]:
            said = self.section("Two vehicles", lambda line: f"{van}:secret\n" if " add " in line else None,
                                van7=van, depot=share)
            self.assertIn("takes positions of any length and keeps the newest",
                          said["sudo locationctl share check depot --system"])
        topics = {f"owntracks/fleet/{van}" for van in ["van7", "van8"]}
        seen = self.eventually(lambda: set(found := self.seen()) == topics and found, 60, lambda: "two vehicles")
        for position in seen.values():
            self.assertAlmostEqual(position["lat"], LATITUDE, 5)
        process = self.box.output("systemctl", "show", "--value", "--property=MainPID", "mosquitto.service")
        self.assertRegex(self.box.path(f"/proc/{process}/limits").read_text(), "Max open files +16384 ")
        print(self.type("mosquitto -h || true").splitlines()[0], "on Debian", self.suite)
        self.record()

        self.section("A vehicle that is lost", mosquitto_pub="true")
        self.eventually(lambda: "Client locationd-fleet-van7-depot disconnected" in self.log(), 30, lambda: "its end:\n" + self.log())
        self.assertIn("does not accept the user and password", self.type("locationctl share check depot --system", code=1))
        self.type("locationctl share check other --system")
        self.assertEqual(set(self.seen()), topics)
        self.type("mosquitto_passwd /etc/mosquitto/locationd.accounts owner", "secret\nsecret\n")
        self.type("systemctl reload mosquitto")
        self.section("A vehicle that is lost", PASSWORD="secret", sudo="true")
        self.assertEqual(set(self.seen()), {"owntracks/fleet/van8"})
        self.assertEqual(set(self.seen("-t", "'homeassistant/#'")),
                         {"owntracks/fleet/van8", *(f"homeassistant/device_tracker/fleet/van8/{part}"
                                                    for part in ["config", "attributes"])})
        # A warning there becomes an error of a later release.
        journal = self.box.output("journalctl", "--quiet", "--no-pager", "--output=cat", "--unit=mosquitto.service")
        for line in (journal + "\n" + self.log()).splitlines():
            self.assertNotRegex(line, "(?i)warning|deprecat")


class FleetDebian13Tests(FleetTests):
    suite = "trixie+broker"
