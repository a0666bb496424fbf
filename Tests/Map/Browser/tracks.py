"""Files for `locationctl map`: a way, and waypoints in any number."""

from xml.sax.saxutils import escape

HARMLESS = "<b>Bold</b> & <img src=x onerror=alert(1)>"
PLACES = [
    ("Castle", "Above the town", 47.1395, 9.5245),
    ("Bridge", "Old and of wood", 47.1440, 9.5085),
    (HARMLESS, "<script>alert(1)</script>", 47.1365, 9.5120),
]


def gpx(site, places=PLACES, way=True):
    waypoints = "".join(
        f'<wpt lat="{latitude}" lon="{longitude}"><name>{escape(name)}</name><desc>{escape(text)}</desc></wpt>'
        for name, text, latitude, longitude in places)
    points = "".join(f'<trkpt lat="{47.13 + index * 0.001}" lon="{9.505 + index * 0.002}"/>' for index in range(16))
    track = f"<trk><name>Morning</name><trkseg>{points}</trkseg></trk>" if way else ""
    return site.write("track.gpx", '<?xml version="1.0"?><gpx version="1.1" creator="test" '
                                   f'xmlns="http://www.topografix.com/GPX/1/1">{waypoints}{track}</gpx>')


def crowd(count, latitude=47.14, longitude=9.52, spread=2.0):
    """As many places around a point, the same ones every time."""
    import random
    chance = random.Random(7)
    return [(f"Place {index}", "", latitude + chance.uniform(-spread, spread), longitude + chance.uniform(-spread, spread))
            for index in range(count)]
