#!/usr/bin/env python3
"""A NetworkManager with eight access points, of which two may be asked about: access_points.py. Prints READY.

Each scan that is requested has just heard them all, but for the old one, and signals its end.
"""
import subprocess
import sys
import time

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

MOCK = "org.freedesktop.DBus.Mock"
WIRELESS = "org.freedesktop.NetworkManager.Device.Wireless"
POINTS = [
    ("Cafe", "a4:2b:b0:11:22:33", 2412, 82), ("Home", "cc:40:d0:44:55:66", 5180, 48),
    ("Private_nomap", "cc:40:d0:00:00:01", 2437, 90), ("My_optout_net", "cc:40:d0:00:00:02", 2437, 90),
    ("", "cc:40:d0:00:00:03", 2437, 90), ("Phone", "da:a1:19:00:00:04", 2437, 90),
    ("Iwd", "00:01:02:00:00:05", 2417, 90), ("Old", "cc:40:d0:00:00:06", 2437, 90),
]

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
mock = subprocess.Popen([sys.executable, "-m", "dbusmock", "--system", "--template", "networkmanager"])
bus = dbus.SystemBus()
while not bus.name_has_owner("org.freedesktop.NetworkManager"):
    time.sleep(0.05)
manager = bus.get_object("org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager")
device = manager.AddWiFiDevice("wlan0", "wlan0", 100, dbus_interface=MOCK)
paths = {name: manager.AddAccessPoint(device, f"ap{i}", name, address, 2, frequency, 54000, strength, 0x100,
                                      dbus_interface=MOCK)
         for i, (name, address, frequency, strength) in enumerate(POINTS)}
wlan = bus.get_object("org.freedesktop.NetworkManager", device)


def scan(*_):
    now = int(time.clock_gettime(time.CLOCK_BOOTTIME))
    for name, path in paths.items():
        seen = now - 300 if name == "Old" else now
        bus.get_object("org.freedesktop.NetworkManager", path).UpdateProperties(
            "org.freedesktop.NetworkManager.AccessPoint", {"LastSeen": dbus.Int32(seen)}, dbus_interface=MOCK)
    wlan.UpdateProperties(WIRELESS, {"LastScan": dbus.Int64(now * 1000)}, dbus_interface=MOCK)
    return False


def called(name, arguments):
    if name == "RequestScan":
        GLib.timeout_add(200, scan)


wlan.AddProperty(WIRELESS, "LastScan", dbus.Int64(-1), dbus_interface=MOCK)
wlan.AddMethod(WIRELESS, "RequestScan", "a{sv}", "", "", dbus_interface=MOCK)
wlan.connect_to_signal("MethodCalled", called, dbus_interface=MOCK)
scan()
print("READY", flush=True)
GLib.MainLoop().run()
