"""Both units of the package locationd-share: a person's shares and those of a vehicle, over a reboot and an upgrade, with a server
that answers as Home Assistant and Dawarich do."""
import json
import pathlib
import subprocess
import tempfile

from boxtest import REPOSITORY
from desktop import Desktop
from package import package, release
from service import ServiceTestCase

SERVERS = "/srv/tests"
RECEIVED = "/var/lib/received"
PORT = 8443
# What the server knows: see Tests/Sharing/SharingProgramTests/Server/webhooks.
HOME_ASSISTANT = f"https://localhost:{PORT}/api/webhook/known\n"
DAWARICH = f"https://localhost:{PORT}\ntoken\n"
SECRETS = ["webhook/known", "Bearer"]
UNIT, USER = "locationd-share-system.service", "locationd-share"
CLIENT = "org.locationd.share"
AUTHORITY = f"{SERVERS}/Programs/NetworkPositioningTests/Server/authority.pem"
SERVER = f"""[Unit]
Description=The services of the tests
[Service]
Type=exec
ExecStart=/usr/bin/python3 -u {SERVERS}/Sharing/SharingProgramTests/Server/webhooks {PORT}
StandardOutput=append:{RECEIVED}
[Install]
WantedBy=multi-user.target
"""


def sharing_package():
    """The package locationd-share, built if necessary."""
    return package("locationd-share", "deb-share")


class SharingTests(ServiceTestCase, Desktop):
    suite = "bookworm+sharing"
    lasting = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.install(sharing_package())
        for path in ["Sharing/SharingProgramTests/Server/webhooks", "Programs/NetworkPositioningTests/Server/server.pem",
                     "Programs/NetworkPositioningTests/Server/authority.pem"]:
            cls.box.copy(REPOSITORY / "Tests" / path, f"{SERVERS}/{path}", mode=0o644)
        cls.write("/etc/systemd/system/services.service", SERVER)
        cls.box.enter("systemctl", "enable", "--now", "services.service", stderr=subprocess.DEVNULL)
        cls.box.enter("loginctl", "enable-linger", "alice")
        cls.box.enter("locationctl", "sources", "fixed", "set", "50.9783", "11.0292", stdout=subprocess.DEVNULL)

    @classmethod
    def connect_receiver(cls):
        """None: a reboot would end that of the tests, and its fixes would come at any time."""

    # What is done

    def root(self, *words, code=0, text=None):
        """The output and errors of root's command, whose exit status is checked."""
        result = self.box.enter(*words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                                **({"input": text, "stdin": None} if text else {}))
        self.assertEqual(result.returncode, code, f"{words}: {result.stdout}")
        return result.stdout

    def alice(self, *words, code=0):
        runtime = f"XDG_RUNTIME_DIR=/run/user/{self.box.output('id', '-u', 'alice')}"
        return self.ask("env", runtime, *words, code=code)

    # What is seen

    def received(self):
        """The messages that the server has got, from its start on."""
        lines = self.box.path(RECEIVED).read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def arrives(self, after, condition, what):
        """The number of messages once one that meets a condition has come after this number of them."""
        self.eventually(lambda: any(condition(message) for message in self.received()[after:]), 120,
                        lambda: f"{what}; there were {self.received()[after:]}, and: {self.journal('--lines=40')}")
        return len(self.received())

    @staticmethod
    def is_position(device):
        return lambda message: message["headers"].get("X-Limit-D") == device and message["content"].get("lat") is not None

    @staticmethod
    def is_end(device):
        return lambda message: (message["headers"].get("X-Limit-D") == device
                                and message["content"].get("_type") == "location" and message["content"].get("lat") is None)

    @staticmethod
    def is_batch(message):
        return bool(message["content"].get("locations"))

    def keeps_secrets(self):
        seen = self.root("ps", "axww", "-o", "args") + self.journal()
        seen += self.root("locationctl", "share", "status", "--system", "--format", "json")
        seen += self.root("locationctl", "history") + self.root("locationctl", "history", "--user", USER)
        for secret in SECRETS:
            self.assertNotIn(secret, seen)

    # The tests, in one, since each goes on where the one before has ended.

    def test_a_person_and_a_vehicle_over_reboot_and_upgrade(self):
        with self.subTest("the units are in order"):
            self.assertEqual(self.root("systemd-analyze", "verify", "--man=no", UNIT), "")
            self.assertEqual(self.show(UNIT, "UnitFileState"), "disabled")
            print(self.root("systemd-analyze", "security", "--no-pager", UNIT).splitlines()[-1])
        with self.subTest("the vehicle's shares are root's"):
            for command in [["status"], ["list"], ["stop", "home"], ["remind"]]:
                self.assertIn("Only root may", self.ask("locationctl", "share", *command, "--system", code=1))
        self.start_vehicle()
        self.encrypt()
        self.start_person()
        self.keeps_secrets()
        self.keep_and_reboot()
        self.upgrade()
        self.revoke()
        self.remove()

    def start_vehicle(self):
        share = ["locationctl", "share"]
        # A file that only root can read.
        self.write("/root/url", HOME_ASSISTANT)
        self.box.path("/root/url").chmod(0o600)
        said = self.root(*share, "add", "home", "homeassistant", "--system", "--url-file", "/root/url", "--ca", AUTHORITY)
        self.assertIn("device_tracker.vehicle_box", said)
        self.assertIn("sudo locationctl share check home --system", said)
        self.assertIn("knows the URL", self.root(*share, "check", "home", "--system"))
        # Nothing is allowed yet.
        said = self.root(*share, "start", "home", "--system", "--indefinitely", code=77)
        self.assertIn(f"sudo locationctl allow --always {CLIENT} --user {USER}", said)
        self.root("locationctl", "allow", "--always", CLIENT, "--user", USER)
        said = self.root(*share, "start", "home", "--system", "--indefinitely")
        self.assertIn("until you stop it (sudo locationctl share stop home --system)", said)
        self.arrives(0, self.is_position("box"), "the vehicle's position")
        self.assertEqual(self.show(UNIT, "UnitFileState"), "enabled")
        process = int(self.show(UNIT, "MainPID"))
        status = dict(line.split(":", 1) for line in self.box.path(f"/proc/{process}/status").read_text().splitlines())
        self.assertEqual(set(status["Uid"].split()), {self.box.output("id", "-u", USER)})
        for kind in ["CapPrm", "CapEff", "CapBnd", "CapAmb"]:
            self.assertEqual(int(status[kind], 16), 0, kind)
        modes = self.root("find", "/var/lib/locationd-share", "-printf", "%u %m %y\n").split("\n")[:-1]
        self.assertEqual(set(modes), {f"{USER} 700 d", f"{USER} 600 f"})
        # A client like any other.
        clients = json.loads(self.root("locationctl", "clients", "--user", USER, "--format", "json"))
        [client] = [each for each in clients if each["client"] == CLIENT]
        self.assertEqual((client["status"], client["isConnected"]), ("authorizedAlways", True))
        self.assertIn("services that you add", client["recipients"][0])
        self.assertIn(CLIENT, self.root("locationctl", "history", "--user", USER))
        self.assertIn("Who receives the location from it?", self.root("locationctl", "explain", CLIENT, "--user", USER))

    def encrypt(self):
        """The vehicle's URL as a credential of its unit, as Sharing.md has it, though by the key of a box without a TPM."""
        file, credential = "/var/lib/locationd-share/home.url", "/etc/credstore.encrypted/home.url"
        self.root("mkdir", "--parents", "/etc/credstore.encrypted")
        self.root("systemd-creds", "encrypt", "--with-key=host", "--name=home.url", file, credential)
        self.root("rm", file)
        self.write(f"/etc/systemd/system/{UNIT}.d/credential.conf", "[Service]\nLoadCredentialEncrypted=home.url\n")
        self.root("systemctl", "daemon-reload")
        before = len(self.received())
        self.root("systemctl", "restart", UNIT)
        # When it starts, it sends the position at once.
        self.arrives(before, self.is_position("box"), "the vehicle's position by a credential")
        self.assertIn("only the unit can read it", self.root("locationctl", "share", "check", "home", "--system", code=78))

    def start_person(self):
        share = ["locationctl", "share"]
        self.write("/home/alice/url", DAWARICH)
        self.alice(*share, "add", "diary", "dawarich", "--url-file", "/home/alice/url", "--ca", AUTHORITY)
        self.assertIn("needs your permission", self.alice(*share, "start", "diary", code=77))
        self.alice("locationctl", "allow", "--always", CLIENT)
        # The places of a person, which the sharer cannot read itself.
        self.assertIn("There are: depot.", [
            self.alice("locationctl", "places", "add", "depot", "52.5", "13.4"),
            self.alice(*share, "start", "diary", "--until-arrival", "home", code=1)][1])
        said = self.alice(*share, "start", "diary", "--until-arrival", "depot", "--keep-unsent", "--for", "20h")
        self.assertIn("or until you arrive at depot", said)
        self.arrives(0, self.is_batch, "alice's position")
        self.assertIn("Last sent", self.alice(*share, "status"))
        # In the terminal at each login.
        self.assertNotIn("until you stop it", self.alice("bash", "-lic", "true"))
        for unit in ["locationd-share.service", "locationd-share-reminder.service"]:
            self.assertEqual(self.alice("systemctl", "--user", "is-enabled", unit), "enabled")

    def keep_and_reboot(self):
        """The server is away: the vehicle's position is not kept, and alice's is, over a reboot."""
        before = len(self.received())
        self.box.enter("systemctl", "disable", "--now", "services.service", stderr=subprocess.DEVNULL)
        # Another fix, which the fixed position gives when it is set.
        self.root("locationctl", "sources", "fixed", "set", "50.9883", "11.0292")
        waiting = lambda: "Kept until they can be sent: 1 position" in self.alice("locationctl", "share", "status")
        self.eventually(waiting, 60, lambda: self.alice("locationctl", "share", "status"))
        end = self.alice("locationctl", "share", "status", "--format", "json")
        started = json.loads(end)[0]["until"]
        self.box.reboot()
        self.assertEqual(len(self.received()), before)
        self.eventually(lambda: self.show(UNIT, "ActiveState") == "active")
        self.box.enter("systemctl", "enable", "--now", "services.service", stderr=subprocess.DEVNULL)
        self.arrives(before, self.is_position("box"), "the vehicle's position after the reboot")
        self.arrives(before, self.is_batch, "alice's position after the reboot")
        self.eventually(lambda: not waiting(), 60)
        self.assertEqual(json.loads(self.alice("locationctl", "share", "status", "--format", "json"))[0]["until"], started)

    def upgrade(self):
        before = len(self.received())
        processes = [self.show(UNIT, "MainPID"),
                     self.alice("systemctl", "--user", "show", "--value", "--property=MainPID", "locationd-share.service")]
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.install(release(sharing_package(), "99.0", pathlib.Path(directory)))
        self.assertEqual(self.show(UNIT, "UnitFileState"), "enabled")
        now = [self.show(UNIT, "MainPID"),
               self.alice("systemctl", "--user", "show", "--value", "--property=MainPID", "locationd-share.service")]
        for old, new in zip(processes, now):
            self.assertNotIn(new, [old, "0"])
        # Both are recognised by the new file.
        self.arrives(before, self.is_position("box"), "the vehicle's position after the upgrade")
        self.arrives(before, self.is_batch, "alice's position after the upgrade")

    def revoke(self):
        share = ["locationctl", "share"]
        before = len(self.received())
        self.root("locationctl", "deny", CLIENT, "--user", USER)
        self.arrives(before, self.is_end("box"), "the end of the vehicle's share")
        self.assertIn("Nothing is sent now", self.root(*share, "status", "--system"))
        self.assertIn("shared until", self.alice(*share, "status"))
        # A share that is taken back while its program does not run.
        self.root("locationctl", "allow", "--always", CLIENT, "--user", USER)
        before = self.arrives(before + 1, self.is_position("box"), "the vehicle's position after it is allowed again")
        self.root("systemctl", "stop", UNIT)
        said = self.root("locationctl", "deny", CLIENT, "--user", USER)
        self.assertIn("told to forget your position now", said)
        before = self.arrives(before, self.is_end("box"), "the end of a share whose program did not run")
        self.root("locationctl", "allow", "--always", CLIENT, "--user", USER)
        before = self.arrives(before, self.is_position("box"), "the vehicle's position after it is allowed again")
        self.root(*share, "stop", "home", "--system")
        self.arrives(before, self.is_end("box"), "the end of the vehicle's share")
        self.eventually(lambda: self.show(UNIT, "ActiveState") == "inactive")
        self.assertIn("home: Home Assistant at", self.root(*share, "list", "--system"))
        # A share without end is named at each login.
        self.alice(*share, "start", "diary", "--indefinitely")
        self.assertIn("until you stop it. To stop it, run: locationctl share stop diary", self.alice("bash", "-lic", "true"))
        self.open_desktop()
        self.install_dunst()
        self.forget_notes()
        self.control("start", "desktop.target")
        self.eventually(self.noted, 60)
        self.assertEqual(self.noted(), [[
            "Your position is shared without end.",
            f"Dawarich at https://localhost:{PORT} receives your position until you stop it. "
            "To stop it, run: locationctl share stop diary"]])
        self.alice(*share, "stop", "diary")
        self.assertNotIn("until you stop it", self.alice("bash", "-lic", "true"))
        self.forget_notes()
        self.control("start", "locationd-share-reminder.service")
        self.assertEqual(self.noted(), [])
        # A share that a wrong URL ends: whatever a service answers is doubted for ten minutes.
        self.alice(*share, "add", "other", "dawarich", "--url-file", "/home/alice/url", "--ca", AUTHORITY)
        self.box.path("/home/alice/.local/state/locationd/share/other.url").write_text("not a URL\n")
        self.alice(*share, "start", "other")
        [[summary, body]] = self.eventually(self.noted, 60)
        self.assertEqual(summary, "Your position is no longer shared with other.")
        self.assertIn("After you have solved it, run: locationctl share start other", body)
        queue = "/home/alice/.local/state/locationd/share/diary.queue"
        self.assertFalse(self.box.path(queue).exists())

    def remove(self):
        self.root("apt-get", "purge", "--yes", "locationd-share")
        self.assertFalse(self.box.path("/var/lib/locationd-share").exists())
        self.assertEqual(self.show(UNIT, "LoadState"), "not-found")
        self.assertFalse(self.box.path("/etc/profile.d/locationd-share.sh").exists())
