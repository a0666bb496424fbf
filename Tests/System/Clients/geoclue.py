#!/usr/bin/python3
"""Asks GeoClue call by call, as programs do that have no library for it: geoclue.py DESKTOP-ID [PROPERTY=NUMBER…].

It sets its name and these properties of its client, starts it, and prints `position LATITUDE LONGITUDE` for each location,
or `error` and why.
"""
import sys

from gi.repository import Gio, GLib

NAME = "org.freedesktop.GeoClue2"
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
loop = GLib.MainLoop()


def say(*words):
    print(*words, flush=True)


def call(path, method, arguments=None, interface=f"{NAME}.Client"):
    return bus.call_sync(NAME, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, -1, None).unpack()


def set_property(name, value):
    call(client, "Set", GLib.Variant("(ssv)", (f"{NAME}.Client", name, value)), "org.freedesktop.DBus.Properties")


def updated(*arguments):
    _, new = arguments[5].unpack()
    values = [call(new, "Get", GLib.Variant("(ss)", (f"{NAME}.Location", name)), "org.freedesktop.DBus.Properties")[0]
              for name in ("Latitude", "Longitude")]
    say("position", *values)


try:
    [client] = call("/org/freedesktop/GeoClue2/Manager", "GetClient", interface=f"{NAME}.Manager")
    set_property("DesktopId", GLib.Variant("s", sys.argv[1]))
    for argument in sys.argv[2:]:
        name, _, number = argument.partition("=")
        set_property(name, GLib.Variant("u", int(number)))
    bus.signal_subscribe(NAME, f"{NAME}.Client", "LocationUpdated", client, None, Gio.DBusSignalFlags.NONE, updated)
    call(client, "Start")
except GLib.Error as error:
    say("error", error.message)
else:
    loop.run()
