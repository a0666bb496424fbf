"""The samples in C, with the service itself."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from support import LATITUDE, Daemon

SAMPLES = pathlib.Path(__file__).parent
HEADER = pathlib.Path("/usr/include/systemd/sd-varlink.h")


@unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
class SampleTests(unittest.TestCase):
    def setUp(self):
        self.daemon = self.enterContext(Daemon())

    def compile(self, name, *options):
        """Compiles a sample and declares it."""
        program = self.daemon.directory / name
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", program, SAMPLES / f"{name}.c", *options], check=True)
        return program

    def declare(self, program):
        self.daemon.declare("org.example.Sample", Executable=str(program))
        self.daemon.locationctl("config", "reload")

    def start(self, program):
        process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True,
                                   env=os.environ | {"LOCATIOND_SOCKET": self.daemon.socket})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_sockets(self):
        program = self.compile("where-sockets")
        refused = self.start(program)
        self.assertIn("ClientNotDeclared", refused.stdout.readline())
        self.assertEqual(refused.wait(10), 1)
        self.declare(program)
        process = self.start(program)
        for _ in range(3):
            self.assertEqual(json.loads(process.stdout.readline())["parameters"]["location"]["latitude"], LATITUDE)

    @unittest.skipUnless(HEADER.exists(), "sd-varlink comes with systemd 257, as in Debian 13")
    def test_sd_varlink(self):
        program = self.compile("where-sd-varlink", "-lsystemd")
        self.declare(program)
        process = self.start(program)
        self.assertEqual(process.stdout.readline(), "12.34568 98.76543\n")
        self.assertEqual(process.wait(10), 0)


if __name__ == "__main__":
    unittest.main()
