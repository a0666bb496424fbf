"""The indicator in the panels of two desktops, which the desktop's autostart entry brings: .build/pictures/panel-*.png show it."""
import json
import subprocess

from boxtest import REPOSITORY
from desktop import DesktopTestCase
from sources import CLIENT, PROGRAM

WATCHER = "org.kde.StatusNotifierWatcher"
AUTOSTART = REPOSITORY / "Config/packaging/desktop/locationd-agent.desktop"
XFCE = """<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array"><value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/><property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/><property name="size" type="uint" value="30"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/><value type="int" value="2"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray"/><property name="plugin-2" type="string" value="clock"/>
  </property>
</channel>
"""
LXQT = """[General]
__userfile__=true
[panel1]
desktop=0
panelSize=36
plugins=statusnotifier,worldclock
position=Top
width=100
width-percent=true
[statusnotifier]
alignment=Left
type=statusnotifier
[worldclock]
alignment=Right
type=worldclock
"""
PANELS = {
    "xfce": (["xfce4-panel", "--disable-wm-check"], ".config/xfce4/xfconf/xfce-perchannel-xml/xfce4-panel.xml", XFCE),
    "lxqt": (["env", "QT_QPA_PLATFORMTHEME=lxqt", "lxqt-panel"], ".config/lxqt/panel.conf", LXQT),
}


class PanelTests(DesktopTestCase):
    suite = "bookworm+panels"
    SCREEN = "640x240x24"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.declare_example()
        # A desktop that systemd does not start, as these are in Debian 12.
        cls.box.enter("systemctl", "--global", "enable", "locationd-agent.service", stderr=subprocess.DEVNULL)
        cls.control("daemon-reload")
        for _, file, text in PANELS.values():
            cls.write(f"/home/alice/{file}", text)
        # Without one, LXQt's panel is transparent.
        cls.write("/home/alice/.config/lxqt/lxqt.conf", "[General]\ntheme=light\nicon_theme=Adwaita\n")
        cls.box.enter("chown", "--recursive", "alice:", "/home/alice")
        cls.user_unit(cls, "alice", "openbox.service", "openbox")

    def setUp(self):
        self.ask("locationctl", "allow", "--always", CLIENT)
        self.addCleanup(self.forget, CLIENT)
        self.assertFalse(self.json("status")["hasAgent"])
        self.addCleanup(self.control, "stop", "locationd-agent.service")

    def start_as_the_desktop_does(self):
        [command] = [line.removeprefix("Exec=").split() for line in AUTOSTART.read_text().splitlines() if line.startswith("Exec=")]
        self.as_alice(*command)
        self.eventually(lambda: self.json("status")["hasAgent"])

    def items(self):
        answer = self.as_alice(
            "busctl", "--user", "--json=short", "get-property", WATCHER, "/StatusNotifierWatcher", WATCHER,
            "RegisteredStatusNotifierItems", check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        return json.loads(answer)["data"] if answer else None

    def seen(self, name):
        self.picture(f"panel-{name}", "import", "-window", "root", "seen.png")
        return self.as_alice("convert", "seen.png", "-format", "%#", "info:", stdout=subprocess.PIPE, text=True).stdout

    def shows_the_item(self, panel):
        command, _, _ = PANELS[panel]
        unit = f"{panel}.service"
        self.user_unit("alice", unit, *command)
        self.addCleanup(self.control, "stop", unit)
        self.start_as_the_desktop_does()
        self.eventually(lambda: self.items() == [], what=lambda: f"the watcher of {panel}")
        without = self.seen(f"{panel}-without")
        weather = self.application(PROGRAM, "watch")
        self.wait_for(weather, "location 50.97")
        self.eventually(self.items)
        self.eventually(lambda: self.seen(panel) != without)
        self.control("stop", weather.unit)
        self.eventually(lambda: self.items() == [])

    def test_xfce(self):
        self.shows_the_item("xfce")

    def test_lxqt(self):
        self.shows_the_item("lxqt")
