#!/usr/bin/python3
"""What an application hears from GeoClue, for root: overheard.py DESKTOP-ID prints `listening`, and then `position LATITUDE
LONGITUDE` for each location that the application reads, `active`, `inactive`, and `denied` for an error that says so."""
import json
import subprocess
import sys
import threading


def say(*words):
    print(*words, flush=True)


def hear(message):
    data = message.get("payload", {}).get("data") or []
    if message.get("member") == "Set" and data[1:2] == ["DesktopId"] and data[2]["data"] == sys.argv[1]:
        peers.add(message["sender"])
    if message.get("destination") not in peers:
        return
    if message["type"] == "error" and "AccessDenied" in json.dumps(message):
        say("denied")
    elif message["type"] == "method_return" and data and "Latitude" in data[0]:
        # What is no number is `null` here.
        say("position", *("nan" if (value := data[0][name]["data"]) is None else value for name in ("Latitude", "Longitude")))
    elif message.get("member") == "PropertiesChanged" and "Active" in data[1]:
        say("active" if data[1]["Active"]["data"] else "inactive")


peers = set()
monitor = subprocess.Popen(
    ["busctl", "--system", "--json=short", "monitor"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
threading.Thread(target=lambda: (sys.stdin.read(), monitor.kill()), daemon=True).start()
if monitor.stderr.readline():
    say("listening")
for line in monitor.stdout:
    hear(json.loads(line))
