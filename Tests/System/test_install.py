"""The installation from the sources, for systems without packages of ours, as the README has it. The programs are those that
the tests have built, which need the libraries of Swift beside them."""
import subprocess

from boxtest import REPOSITORY, BoxTestCase


class InstallTests(BoxTestCase):
    def test_make_install(self):
        for product in ("locationd", "locationctl"):
            self.install_program(product, f"/usr/local/lib/{product}")
        subprocess.run(["make", "-s", "install", "PREFIX=/usr", f"DESTDIR={self.box.path('/')}", "BIN=.build/debug"],
                       cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
        self.connect_receiver()
        self.box.enter("systemd-sysusers", stderr=subprocess.DEVNULL)
        self.box.enter("systemctl", "daemon-reload")
        self.box.enter("systemctl", "reload", "dbus.service")
        self.box.enter("systemctl", "enable", "--now", "locationd.socket", stderr=subprocess.DEVNULL)
        self.assertIn("locationd 0.", self.ask("locationctl", "status"))
        # A unit is never in use, and the user has no terminal here.
        self.ask("locationctl", "allow", "--always", "org.locationd.locationctl")
        self.assertRegex(self.ask("locationctl", "get"), r"50\.97")
        self.assertIn("Authorization", self.box.path("/usr/share/man/man7/org.locationd.7").read_text())
        # Desktops that systemd does not start start the agent by this.
        self.assertIn("locationd-agent.service", self.box.path("/etc/xdg/autostart/locationd-agent.desktop").read_text())
        # The map and the privacy page are of another package.
        for command in ("map", "privacy"):
            self.assertIn("download locationd-map", self.ask("locationctl", command, code=1))
