"""Crowds of programs that ask GeoClue."""
import re
import subprocess

from boxtest import Conversation
from hostile import LOCATIONCTL, report
from programs import QT6, ProgramTestCase, script

CREATED, ATTEMPTED = 2048, 80 * 70
MEBIBYTE = 1 << 20


class CrowdTests(ProgramTestCase):
    def attack(self, user):
        unit = f"attack-{next(self.numbers)}.service"
        attacker = Conversation(self.box.spawn(
            *script("hostile.py", "crowd", "80"), options=[f"--uid={user}", f"--unit={unit}"]))
        self.addCleanup(attacker.end)
        self.addCleanup(self.box.enter, "systemctl", "stop", unit, check=False, stderr=subprocess.DEVNULL)
        attacker.unit = unit
        return attacker

    def memory(self):
        """What the service has of its heap, and its resident memory, in bytes."""
        process = self.box.output("systemctl", "show", "--value", "--property=MainPID", "locationd.service")
        resident = re.search(r"VmRSS:\s+(\d+)", self.box.path(f"/proc/{process}/status").read_text())[1]
        return self.json("status", user="root")["memoryInUse"], int(resident) * 1024

    def test_crowds_of_two_users(self):
        """Thousands of client objects of two users, all of which ask at once: a third user is served meanwhile."""
        running = self.begin(QT6)
        self.answer(QT6, "allow")
        self.is_located(QT6, running)
        before = self.memory()
        crowds = [self.attack(user) for user in ("bob", "games")]
        for crowd in crowds:
            self.assertEqual(report(crowd), ["crowd", {"none": CREATED, "LimitsExceeded": ATTEMPTED - CREATED}])
        during = self.memory()
        self.is_located(QT6, running, more_than=len(QT6.positions(running.seen)))
        self.assertEqual({client["client"] for client in self.json("clients") if client["isConnected"]},
                         {QT6.identifier, LOCATIONCTL})
        for crowd in crowds:
            self.box.enter("systemctl", "stop", crowd.unit)
        # Tables keep their size, and the heap has gaps for a while.
        self.eventually(lambda: self.memory()[0] - before[0] < 4 * MEBIBYTE, what=lambda: f"{before}, now {self.memory()}")
        after = self.memory()
        self.assertLess(after[1] - before[1], 32 * MEBIBYTE)
        print(f"{2 * CREATED} of {2 * ATTEMPTED} client objects; heap and resident memory in KiB:",
              *(f"{heap >> 10} and {resident >> 10}" for heap, resident in (before, during, after)))
        self.is_located(QT6, running, more_than=len(QT6.positions(running.seen)))
