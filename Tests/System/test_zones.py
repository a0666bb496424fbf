"""“Nobody gets my position near home, except one program”: two clients on a replayed way past the place."""
import json

from boxtest import Conversation
from package import declaration
from sources import SourcesTestCase
from tracks import LATITUDE, LONGITUDE, distance, passage, recording

RADIUS = 50
# The margin that hides the centre: see ConcealedZone.
FARTHEST = 6.6 * RADIUS
TRACK = "/etc/locationd/track.json"


class ZoneTests(SourcesTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ["doorbell", "sports"]:
            program = f"/usr/local/bin/{name}"
            cls.box.enter("install", "/usr/bin/locationctl", program)
            cls.write(f"/etc/locationd/clients.d/{name}.plist",
                      declaration(f"org.example.{name.capitalize()}", Executable=program))
        # Past the place and back every half minute.
        cls.write(TRACK, recording(passage(600, -600, pace=40, stay=10)))
        cls.write("/etc/systemd/system/locationd.service.d/replay.conf",
                  f"[Service]\nExecStart=\nExecStart=/usr/sbin/locationd --replay {TRACK} --speed 4\n")
        cls.box.enter("systemctl", "daemon-reload")
        cls.box.enter("systemctl", "restart", "locationd.service")

    def watch(self, name):
        """The distances from the place of what a program is given, as they come."""
        program = Conversation(self.box.spawn(name, "watch", "--format", "json", options=["--uid=alice", f"--unit={name}"]))
        self.addCleanup(program.end)
        self.addCleanup(self.box.enter, "systemctl", "stop", f"{name}.service", check=False)
        return program

    def next_distance(self, program):
        while "latitude" not in (update := json.loads(program.answer(""))):
            pass
        return distance(update)

    def passages(self, program, count=2):
        """The distances that a program is given until it has been far away on each side so often."""
        found, sides = [], 0
        side = None
        while sides < 2 * count:
            found.append(self.next_distance(program))
            if found[-1] > FARTHEST + 100:
                if side == "near":
                    sides += 1
                side = "far"
            else:
                side = "near"
        return found

    def test_place_is_hidden_from_all_but_one_program(self):
        doorbell, sports = self.watch("doorbell"), self.watch("sports")
        for program in [doorbell, sports]:
            self.assertLess(min(self.passages(program, 1)), RADIUS)
        self.ask("locationctl", "places", "add", "home", str(LATITUDE), str(LONGITUDE), "--radius", str(RADIUS))
        said = self.ask("locationctl", "rules", "add", "--inside", "home", "--deny", "--except", "org.example.Doorbell")
        self.assertIn("org.example.Doorbell", said)
        # What was sent before the rule is read until the next one from far away.
        while self.next_distance(sports) < FARTHEST:
            pass
        [rule] = [rule for rule in self.json("rules", "list") if not rule["id"].startswith(("machine", "client"))]
        # Nothing from the place, and what comes from outside goes on after each passage.
        given = [self.next_distance(sports) for _ in range(60)]
        self.assertGreater(min(given), RADIUS)
        self.assertGreater(max(given), FARTHEST)
        self.assertLess(min(self.passages(doorbell, 1)), RADIUS)
        # Another user is told nothing of it.
        self.assertEqual((self.json("places", "list", user="bob"), self.json("rules", "list", user="bob")), ([], []))
        # It ends with the rule.
        self.ask("locationctl", "rules", "remove", str(rule["id"]))
        self.eventually(lambda: self.next_distance(sports) < RADIUS, 120)
