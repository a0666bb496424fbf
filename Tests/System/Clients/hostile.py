#!/usr/bin/python3
"""A hostile program on the system's bus: hostile.py ATTACK ARGUMENT...

Each attack is a function below. Reports are lines of JSON. An attack goes on until the standard input ends."""
import collections
import json
import os
import socket
import sys

from gi.repository import Gio, GLib

NAME, ROOT = "org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2"
PROPERTIES = "org.freedesktop.DBus.Properties"
ADDRESS = "unix:path=/run/dbus/system_bus_socket"
loop = GLib.MainLoop()


def say(*words):
    print(json.dumps(words), flush=True)


def connect():
    return Gio.DBusConnection.new_for_address_sync(
        ADDRESS, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)


def outcome(finish, *arguments):
    """The last part of the error's name, or `none`."""
    try:
        finish(*arguments)
        return "none"
    except GLib.Error as error:
        return (Gio.dbus_error_get_remote_error(error) or "local." + error.message).rsplit(".", 1)[-1]


def call(bus, path, interface, method, parameters=None):
    return bus.call_sync(NAME, path, interface, method, parameters, None, 0, 30000, None)


def begin(bus, path, interface, method, answered=lambda *_: None):
    """Calls without waiting for the answer."""
    bus.call(NAME, path, interface, method, None, None, 0, 60000, None, answered)


def manager(bus, method, parameters=None):
    return call(bus, f"{ROOT}/Manager", f"{NAME}.Manager", method, parameters)


def set_property(bus, client, name, value):
    return call(bus, client, PROPERTIES, "Set", GLib.Variant("(ssv)", (f"{NAME}.Client", name, value)))


def crowd(count):
    """Creates 70 client objects on each of so many connections, and starts them all."""
    outcomes, left = collections.Counter(), int(count) * 70
    connections = [connect() for _ in range(int(count))]

    def created(bus, result):
        nonlocal left
        left -= 1
        try:
            [client] = bus.call_finish(result).unpack()
            outcomes["none"] += 1
            begin(bus, client, f"{NAME}.Client", "Start")
        except GLib.Error as error:
            outcomes[Gio.dbus_error_get_remote_error(error).rsplit(".", 1)[-1]] += 1
        if not left:
            say("crowd", outcomes)

    for connection in connections:
        for _ in range(70):
            begin(connection, f"{ROOT}/Manager", f"{NAME}.Manager", "CreateClient", created)
    return connections


def claim(*names):
    """Starts a client object under each of these names."""
    bus = connect()
    for name in names:
        [client] = manager(bus, "CreateClient")
        set_property(bus, client, "DesktopId", GLib.Variant("s", name))
        begin(bus, client, f"{NAME}.Client", "Start", lambda bus, result, name=name: say(name, outcome(bus.call_finish, result)))
    manager(bus, "GetClient")
    say("claimed")
    return bus


def rename(count):
    """Starts a client object under so many names, one after another."""
    bus = connect()
    [client] = manager(bus, "GetClient")
    outcomes = collections.Counter()
    for number in range(int(count)):
        set_property(bus, client, "DesktopId", GLib.Variant("s", f"org.example.Name{number}"))
        outcomes[outcome(call, bus, client, f"{NAME}.Client", "Start")] += 1
    say("renamed", outcomes)
    return bus


def annoy():
    """Sets a property again and again, and calls methods with wrong parameters and on another program's objects."""
    bus = connect()
    [own] = manager(bus, "GetClient")
    say("set", collections.Counter(
        outcome(set_property, bus, own, "DistanceThreshold", GLib.Variant("u", number)) for number in range(2000)))
    # Objects are numbered: it tries those before its own. Deleting is no error, and does nothing.
    theirs = collections.Counter()
    newest = int(own.rsplit("/", 1)[1])
    for number in range(newest - 10, newest):
        victim = f"{ROOT}/Client/{number}"
        for path in [victim, f"{victim}/Location/0", f"{victim}/Location/1"]:
            theirs[outcome(call, bus, path, PROPERTIES, "GetAll", GLib.Variant("(s)", ("",)))] += 1
        theirs[outcome(set_property, bus, victim, "DistanceThreshold", GLib.Variant("u", 4000000000))] += 1
        for method in ["Start", "Stop"]:
            theirs[outcome(call, bus, victim, f"{NAME}.Client", method)] += 1
        theirs[outcome(manager, bus, "DeleteClient", GLib.Variant("(o)", (victim,)))] += 1
    say("another's", theirs)
    missing = [f"{ROOT}/Client/{number}" for number in (0, 1, "01", "_1", 2**64, "x")] + ["/", ROOT, f"{ROOT}/Client"]
    say("missing", sorted({outcome(call, bus, path, f"{NAME}.Client", "Start") for path in missing}))
    wrong = [
        (own, f"{NAME}.Client", "Start", GLib.Variant("(s)", ("x",))),
        (own, PROPERTIES, "Set", GLib.Variant("(ssu)", (f"{NAME}.Client", "TimeThreshold", 1))),
        (own, PROPERTIES, "Set", GLib.Variant("(ssv)", (f"{NAME}.Client", "DesktopId", GLib.Variant("v", GLib.Variant("s", "x"))))),
        (own, PROPERTIES, "Set", GLib.Variant("(ssv)", (f"{NAME}.Client", "DesktopId", GLib.Variant("s", "a\u202eb")))),
        (own, PROPERTIES, "Set", GLib.Variant("(ssv)", (f"{NAME}.Client", "TimeThreshold", GLib.Variant("a{sv}", {})))),
        (own, PROPERTIES, "GetAll", GLib.Variant("(as)", (["x"] * 1000,))),
        (f"{ROOT}/Manager", f"{NAME}.Manager", "GetClient", GLib.Variant("(a{sv})", ({},))),
        (f"{ROOT}/Manager", f"{NAME}.Manager", "DeleteClient", GLib.Variant("(s)", (own,))),
        (f"{ROOT}/Manager", f"{NAME}.Manager", "AddAgent", GLib.Variant("(u)", (1,))),
    ]
    say("wrong", sorted({outcome(call, bus, *each) for each in wrong}))
    say("agent", [outcome(manager, bus, "AddAgent", GLib.Variant("(s)", (id,))) for id in ("gnome-shell", "org.gnome.Shell")])
    return bus


def give(child):
    """Is located, and leaves its connection to a child that runs another program."""
    raw = socket.socket(socket.AF_UNIX)
    raw.connect("/run/dbus/system_bus_socket")
    raw.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
    assert raw.recv(1024).startswith(b"OK ")
    raw.sendall(b"BEGIN\r\n")
    bus = adopt(raw.fileno())
    bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello", None, None, 0, 30000, None)
    [client] = manager(bus, "GetClient")
    set_property(bus, client, "DesktopId", GLib.Variant("s", "giver"))
    set_property(bus, client, "RequestedAccuracyLevel", GLib.Variant("u", 8))
    inherited = os.dup(raw.fileno())
    os.set_inheritable(inherited, True)

    def located(_, path, *__):
        # One location is enough. Nothing here reads from the connection any more.
        if os.fork() == 0:
            os.execv(child, [child, __file__, "take", str(inherited), client])
        os.execv(sys.executable, [sys.executable, "-c", "import signal; signal.pause()"])

    bus.signal_subscribe(None, f"{NAME}.Client", "LocationUpdated", client, None, 0,
                         lambda connection, sender, path, interface, member, parameters: located(connection, path))
    call(bus, client, f"{NAME}.Client", "Start")
    return bus


def take(descriptor, client):
    """Uses a connection that was inherited."""
    bus = adopt(int(descriptor))
    bus.signal_subscribe(None, f"{NAME}.Client", None, None, None, 0, lambda *arguments: say("heard", arguments[4]))
    say("took", outcome(call, bus, client, PROPERTIES, "GetAll", GLib.Variant("(s)", ("",))))

    def tried(source, condition):
        if not sys.stdin.readline():
            loop.quit()
            return False
        say("client", outcome(manager, bus, "GetClient"))
        say("start", outcome(call, bus, client, f"{NAME}.Client", "Start"))
        [properties] = call(bus, f"{client}/Location/0", PROPERTIES, "GetAll", GLib.Variant("(s)", ("",))).unpack()
        say("location", str(properties["Latitude"]))
        return True

    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, tried)
    loop.run()
    sys.exit()


def adopt(descriptor):
    """A connection to the bus on a descriptor that has one."""
    stream = Gio.Socket.new_from_fd(os.dup(descriptor)).connection_factory_create_connection()
    return Gio.DBusConnection.new_sync(stream, None, Gio.DBusConnectionFlags.NONE, None, None)


kept = globals()[sys.argv[1]](*sys.argv[2:])
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, lambda *_: loop.quit())
loop.run()
