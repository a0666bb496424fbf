"""Packs the pictures of points of interest: one JSON object of [side, SVG path in a square of that side] by their names."""

import glob
import json
import os
import re

DIRECTORY = "usr/share/openstreetmap-carto-common/symbols"
GROUPS = ["amenity", "shop", "tourism", "leisure", "historic", "office", "highway", "religion"]
# Kinds that OpenStreetMap's own map draws as plain squares or not at all.
OWN = {
    "transport/station": "M4 1C2.5 1 2 2 2 3v6c0 1 .7 2 2 2L2.6 13h1.8l.9-1.4h3.4L9.6 13h1.8L10 11c1.3 0 2-1 2-2V3c0-1-.5-2-2-2zm-.2 "
                         "2h6.4c.2 0 .3.1.3.3v2.9c0 .2-.1.3-.3.3H3.8c-.2 0-.3-.1-.3-.3V3.3c0-.2.1-.3.3-.3zM4.5 8a1 1 0 1 1 0 2 1 1 0 0 1 "
                         "0-2zm5 0a1 1 0 1 1 0 2 1 1 0 0 1 0-2z",
    "transport/tram": "M4 .5v1h2.3V3H4.5C3.2 3 2.7 4 2.7 5v4.5c0 1 .6 1.7 1.6 1.8L3 13.3h1.7l1-1.6h2.6l1 1.6H11l-1.3-2c1-.1 "
                      "1.6-.8 1.6-1.8V5c0-1-.5-2-1.8-2H7.7V1.5H10v-1zM4.5 5h5v3h-5zM5 9a.8.8 0 1 1 0 1.6A.8.8 0 0 1 5 9zm4 0a.8.8 0 1 1 "
                      "0 1.6A.8.8 0 0 1 9 9z",
    "transport/bus": "M3 1C2 1 1.5 1.6 1.5 2.5V11h1v1.2c0 .5.3.8.8.8h.6c.5 0 .8-.3.8-.8V11h4.6v1.2c0 .5.3.8.8.8h.6c.5 0 .8-.3.8-.8V11h1V2.5C12.5 "
                     "1.6 12 1 11 1zm.2 2.3h7.6v4.2H3.2zM4 8.7a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6zm6 0a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6z",
    "education": "M7 2 0 5.3l7 3.3 5-2.4V10h1V5.8l1-.5zM3 7.9v2.3C3 11.3 4.8 12 7 12s4-.7 4-1.8V7.9L7 9.8z",
}


def pack(root):
    """The JSON text of what is in the unpacked package openstreetmap-carto-common, and of our own."""
    pictures = {name: [14, path] for name, path in OWN.items()}
    for group in GROUPS:
        for file in sorted(glob.glob(os.path.join(root, DIRECTORY, group, "*.svg"))):
            text = re.sub(r'<rect [^>]*fill="none"[^>]*>', "", open(file, encoding="utf-8").read())
            drawn = re.findall(r'<path[^>]*?\sd="([^"]*)"', text)
            box = re.search(r'viewBox="0 0 (\d+) \1"', text)
            # Few are of other shapes: those have dots.
            if drawn and box and not re.search(r"<(rect|circle|g|use|ellipse)\b|transform=", text):
                name = f"{group}/{os.path.basename(file)[:-4]}"
                pictures[name] = [int(box[1]), " ".join(_short(path) for path in drawn)]
    return json.dumps(pictures, separators=(",", ":"))


def _short(path):
    """Thousandths of a unit are less than a pixel."""
    path = re.sub(r"-?\d*\.\d+(?:e-?\d+)?", lambda number: f"{float(number[0]):.3f}".rstrip("0").rstrip("."), path)
    return re.sub(r"\s+", " ", path).strip()
