#!/usr/bin/python3
"""A notification service that does what it is told: what the system tests put beside a real one.

    notifications.py CAPABILITY...

Prints `ready`, and each call as a line of JSON. Reads lines of JSON: ["emit", SIGNAL, NUMBER, STRING or NUMBER] sends a
signal as it is.
"""
import json
import sys

from gi.repository import Gio, GLib

INTERFACE = """<node><interface name="org.freedesktop.Notifications">
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/>
    <arg type="i" direction="in"/><arg type="u" direction="out"/></method>
  <method name="CloseNotification"><arg type="u" direction="in"/></method>
</interface></node>"""
NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
loop = GLib.MainLoop()
count = 0


def say(*words):
    print(json.dumps(words), flush=True)


def called(connection, sender, path, interface, method, parameters, invocation):
    global count
    if method == "GetCapabilities":
        invocation.return_value(GLib.Variant("(as)", (sys.argv[1:],)))
    elif method == "Notify":
        count += 1
        _, replaced, _, summary, body, actions, hints, timeout = parameters.unpack()
        say("notify", count, {"summary": summary, "body": body, "actions": actions, "hints": hints,
                              "timeout": timeout, "replaced": replaced})
        invocation.return_value(GLib.Variant("(u)", (count,)))
    else:
        say("close", *parameters.unpack())
        invocation.return_value(None)
        connection.emit_signal(None, PATH, NAME, "NotificationClosed", GLib.Variant("(uu)", (*parameters.unpack(), 3)))


def told(source, condition):
    line = sys.stdin.readline()
    if not line:
        loop.quit()
        return False
    _, signal, number, value = json.loads(line)
    kind = "(us)" if isinstance(value, str) else "(uu)"
    bus.emit_signal(None, PATH, NAME, signal, GLib.Variant(kind, (number, value)))
    return True


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], called, None, None)
# Without the name it is a stranger that sends signals.
if sys.argv[1:] != ["stranger"]:
    Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.NONE, lambda *_: say("ready"), lambda *_: loop.quit())
else:
    say("ready")
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, told)
loop.run()
