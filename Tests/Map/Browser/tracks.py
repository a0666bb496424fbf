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


def _document(body, declaration='<?xml version="1.0"?>\n', version="1/1"):
    return f'{declaration}<gpx xmlns="http://www.topografix.com/GPX/{version}" creator="test">{body}</gpx>'


def _points(count=3, more="", first=""):
    return "".join(
        f'<trkpt lat="{47.14 + index * 0.001:.3f}" lon="9.52">{first if not index else ""}<time>2026-05-01T10:0{index}:00Z</time>{more}</trkpt>'
        for index in range(count))


def _track(body, name=""):
    return f"<trk>{name}<trkseg>{body}</trkseg></trk>"


_PAIR = [[9.52, 47.14], [9.53, 47.15]]
# Files as programs write them, and the numbers of positions of each place and line in them.
UNTIDY = {
    "prefix.gpx": (_document(f"<trk><extensions><osmand:show>no</osmand:show></extensions><trkseg>{_points()}</trkseg></trk>"), [3]),
    "route.gpx": (_document('<rte><name>Trip</name><rtept lat="47.1" lon="9.5"/><rtept lat="47.2" lon="9.5"/></rte>'), [2]),
    "empty-altitude.gpx": (_document(_track(_points(2, first="<ele/>"))), [2]),
    "empty-time.gpx": (_document(_track('<trkpt lat="47.1" lon="9.5"><time/></trkpt><trkpt lat="47.2" lon="9.5"><time></time></trkpt>')), [2]),
    "nowhere.gpx": (_document('<wpt lat="" lon=""><name>Hidden</name></wpt>' + _track(_points())), [3]),
    "unknown-speed.gpx": (_document(_track(_points(more="<course>-1</course><speed>-1.0</speed>")), version="1/0"), [3]),
    "one-point.gpx": (_document(_track('<trkpt lat="47.1" lon="9.5"><time>2026-05-01T12:00:00+0200</time></trkpt>')), [1]),
    "windows.gpx": (_document(_track(_points(), "<name>\xdcber \x80</name>"), '<?xml version="1.0" encoding="windows-1252"?>'), [3]),
    "line-end.gpx": ("\n" + _document(_track(_points())) + "\0\0", [3]),
    "spike.gpx": (_document(_track(_points(9).replace('lat="47.144"', 'lat="47.644"'))), [9]),
    "bare.geojson": (f'{{"type": "LineString", "coordinates": {_PAIR}}}', [2]),
    "lines.geojson": (
        f'{{"type": "Feature", "properties": {{"coordTimes": [["2026-05-01T10:00:00Z", null], [null, null]]}}, '
        f'"geometry": {{"type": "MultiLineString", "coordinates": [{_PAIR}, [[9, 47], [9.1, 47]]]}}}}', [2, 2]),
    "four-numbers.geojson": ('{"type": "LineString", "coordinates": [[9.5, 47, 450, 1777629600], [9.6, 47, 451, 1777629660]]}', [2]),
    "overland.geojson": (
        '{"locations": [' + ", ".join(
            f'{{"type": "Feature", "geometry": {{"type": "Point", "coordinates": [9.5{index}, 47.1]}}, '
            f'"properties": {{"timestamp": "2026-05-01T10:00:0{index}Z", "speed": -1, "horizontal_accuracy": 5}}}}' for index in range(3)) + "]}", [3]),
    "no-altitude.geojson": (
        '{"type": "GeometryCollection", "geometries": [{"type": "LineString", "coordinates": [[9.5, 47.1, NaN], [9.5, 47.2, null]]}]}', [2]),
    "pins.geojson": (f'{{"type": "MultiPoint", "coordinates": {_PAIR}}}', [1, 1]),
    "walk.kml": (
        '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>Way</name><LineString><coordinates>9.5,47.1,450 9.5,47.2,450'
        "</coordinates></LineString></Placemark></Document></kml>", [2]),
    "log.nmea": (
        "$GPRMC,100000.00,A,4708.0000,N,00930.0000,E,1.0,90.0,010526,,,A*66\r\n"
        "$GPRMC,100001.00,A,4708.0010,N,00930.0000,E,1.0,90.0,010526,,,A*66\r\n", [2]),
}
