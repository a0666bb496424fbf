#!/usr/bin/python3
"""org.freedesktop.portal.Location, as an application uses it: prints `position LATITUDE LONGITUDE`, `response` and its number,
and `closed`."""
from gi.repository import Gio, GLib

NAME, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
LOCATION, SESSION, REQUEST = (f"org.freedesktop.portal.{name}" for name in ("Location", "Session", "Request"))
EXACT = 5
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
loop = GLib.MainLoop()


def say(*words):
    print(*words, flush=True)


def heard(connection, sender, path, interface, member, parameters):
    values = parameters.unpack()
    if member == "LocationUpdated":
        say("position", values[1]["Latitude"], values[1]["Longitude"])
    elif member == "Response":
        say("response", values[0])
    else:
        say("closed")


def call(method, parameters):
    return bus.call_sync(NAME, PATH, LOCATION, method, parameters, None, 0, 60000, None).unpack()


for interface, member in [(LOCATION, "LocationUpdated"), (REQUEST, "Response"), (SESSION, "Closed")]:
    bus.signal_subscribe(NAME, interface, member, None, None, 0, heard)
options = {"session_handle_token": GLib.Variant("s", "session"), "accuracy": GLib.Variant("u", EXACT)}
[session] = call("CreateSession", GLib.Variant("(a{sv})", (options,)))
call("Start", GLib.Variant("(osa{sv})", (session, "", {})))
loop.run()
