#!/usr/bin/python3
"""libgeoclue's Geoclue.Simple: prints `position LATITUDE LONGITUDE`, `active` or `inactive`, or `error` and why."""
import sys

import gi

gi.require_version("Geoclue", "2.0")
from gi.repository import Geoclue, GLib  # noqa: E402

loop = GLib.MainLoop()


def say(*words):
    print(*words, flush=True)


def ready(_, result):
    global simple
    try:
        simple = Geoclue.Simple.new_finish(result)
    except GLib.Error as error:
        say("error", error.message)
        return loop.quit()
    simple.connect("notify::location", show)
    simple.get_client().connect(
        "notify::active", lambda client, _: say("active" if client.get_property("active") else "inactive"))
    show(simple)


def show(simple, *_):
    location = simple.get_location()
    if location:
        say("position", location.get_property("latitude"), location.get_property("longitude"))


Geoclue.Simple.new(sys.argv[1], Geoclue.AccuracyLevel.EXACT, None, ready)
loop.run()
