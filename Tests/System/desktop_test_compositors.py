"""The agent in compositors of Wayland that systemd does not start: .build/pictures/labwc*.png and sway*.png show it."""
import os

from desktop import RUNTIME, DesktopTestCase
from sessions import SLEEP
from sources import CLIENT, PROGRAM

WAYBAR = """{"position": "top", "height": 30, "modules-right": ["tray", "clock"], "tray": {"icon-size": 20, "spacing": 8}}"""
# The article's line, and what a screen needs besides.
LABWC = "mako &\nwaybar &\nlocationctl agent --desktop &\n"
SWAY = "exec mako\nexec waybar\nexec locationctl agent --desktop\n"


class CompositorTests(DesktopTestCase):
    suite = "trixie+compositors"

    @classmethod
    def open_desktop(cls):
        """A session without X: the compositor is the test's."""
        cls.leader = cls.box.start("desktop", *SLEEP, user="alice", seat="seat0")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.declare_example()
        cls.write("/home/alice/.config/waybar/config", WAYBAR)
        cls.write("/home/alice/.config/labwc/autostart", LABWC)
        cls.write("/home/alice/.config/sway/config", SWAY)
        cls.box.enter("chown", "--recursive", "alice:", "/home/alice")

    def setUp(self):
        self.addCleanup(self.forget, CLIENT)

    def runs(self, compositor, *command):
        """Starts a compositor on a screen that nobody sees, and waits for the agent that it starts."""
        unit = f"{compositor}.service"
        settings = ["WLR_BACKENDS=headless", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1", "GTK_A11Y=none"]
        self.user_unit("alice", unit, "env", *settings, *command)
        self.addCleanup(self.control, "stop", unit)
        self.eventually(lambda: self.json("status")["hasAgent"])

    def seen(self, name):
        display = next(name for name in ["wayland-0", "wayland-1"] if os.path.exists(self.box.path(f"{RUNTIME}/{name}")))
        return self.picture(name, "env", f"WAYLAND_DISPLAY={display}", "grim", "-l", "0", "seen.png")

    def prompts_and_shows_the_item(self, compositor):
        without = self.seen(f"{compositor}-without")
        weather = self.application(PROGRAM, "watch")
        [prompt] = self.eventually(self.prompts)
        self.eventually(lambda: self.seen(f"{compositor}-prompt") != without)
        self.ask("locationctl", "agent", "answer", str(prompt["id"]), "allow")
        self.wait_for(weather, "location 50.97")
        self.eventually(lambda: self.seen(compositor) != without)
        self.control("stop", weather.unit)
        self.eventually(lambda: self.seen(f"{compositor}-after") == without)

    def test_labwc(self):
        self.runs("labwc", "labwc")
        self.prompts_and_shows_the_item("labwc")

    def test_sway(self):
        self.runs("sway", "sway")
        self.prompts_and_shows_the_item("sway")
