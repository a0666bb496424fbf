"""Polygons as lists of [longitude, latitude]: reading them from files, their common borders, their labels' places."""

import math
import sqlite3
import struct
from collections import defaultdict


def geopackage(path, table, columns):
    """The rows of a table as (properties, GeoJSON geometry). A GeoPackage is SQLite with WKB behind a small header."""
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    names = ", ".join(f'"{column}"' for column in columns)
    for row in database.execute(f'SELECT geom, {names} FROM "{table}"'):
        envelope = {0: 0, 1: 32, 2: 48, 3: 48, 4: 64}[(row[0][3] >> 1) & 7]
        geometry, _ = _wkb(row[0], 8 + envelope)
        yield dict(zip(columns, row[1:])), geometry


def _wkb(data, offset):
    order = "<" if data[offset] == 1 else ">"
    kind = struct.unpack_from(order + "I", data, offset + 1)[0] % 1000
    offset += 5

    def points(offset):
        count = struct.unpack_from(order + "I", data, offset)[0]
        values = struct.unpack_from(f"{order}{2 * count}d", data, offset + 4)
        return [list(pair) for pair in zip(values[::2], values[1::2])], offset + 4 + 16 * count

    if kind == 1:
        return {"type": "Point", "coordinates": list(struct.unpack_from(order + "2d", data, offset))}, offset + 16
    if kind == 2:
        line, offset = points(offset)
        return {"type": "LineString", "coordinates": line}, offset
    count = struct.unpack_from(order + "I", data, offset)[0]
    offset += 4
    parts = []
    for _ in range(count):
        if kind == 3:
            part, offset = points(offset)
        else:
            geometry, offset = _wkb(data, offset)
            part = geometry["coordinates"]
            name = "Multi" + geometry["type"]
        parts.append(part)
    return {"type": "Polygon" if kind == 3 else name, "coordinates": parts}, offset


def shapefile(member, name):
    """The rows of a shapefile as (properties, GeoJSON geometry); `member` reads one of its files by extension.

    Rings are a polygon each, also those of holes: callers look at areas and lines only.
    """
    for row, record in zip(_table(member(name + ".dbf")), _shapes(member(name + ".shp"))):
        yield row, record


def _table(data):
    count, start, length = struct.unpack_from("<4xIHH", data)
    fields, offset = [], 1
    for position in range(32, start - 1, 32):
        name = data[position:position + 11].split(b"\0")[0].decode("ascii")
        fields.append((name, offset, offset + data[position + 16]))
        offset += data[position + 16]
    for row in range(count):
        record = data[start + row * length:start + (row + 1) * length]
        yield {name: record[first:last].rstrip(b"\0 ").lstrip().decode("utf-8") for name, first, last in fields}


def _shapes(data):
    offset = 100
    while offset < len(data):
        words = struct.unpack_from(">I", data, offset + 4)[0]
        kind = struct.unpack_from("<I", data, offset + 8)[0]
        parts, points = struct.unpack_from("<II", data, offset + 44)
        starts = struct.unpack_from(f"<{parts}I", data, offset + 52) + (points,)
        values = struct.unpack_from(f"<{2 * points}d", data, offset + 52 + 4 * parts)
        line = [list(pair) for pair in zip(values[::2], values[1::2])]
        lines = [line[first:last] for first, last in zip(starts, starts[1:])]
        yield ({"type": "MultiLineString", "coordinates": lines} if kind == 3
               else {"type": "MultiPolygon", "coordinates": [[ring] for ring in lines]})
        offset += 8 + 2 * words


def polygons(geometry):
    return geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]


def contains(geometry, longitude, latitude):
    """Whether a position lies in a polygon: a line to the east crosses its rings an odd number of times."""
    return Outline(geometry).contains(longitude, latitude)


# The metres of a degree of latitude.
DEGREE = 111_320


class Outline:
    """A polygon for many positions: its edges are kept by bands of latitude, so that a test reads those of one band."""

    # The height of a band in degrees.
    BAND = 0.05

    def __init__(self, geometry):
        self.bands = defaultdict(list)
        edges = [(a[0], a[1], b[0], b[1]) for polygon in polygons(geometry) for ring in polygon for a, b in zip(ring, ring[1:])]
        self.west, self.east = min(edge[0] for edge in edges), max(edge[0] for edge in edges)
        self.south, self.north = min(edge[1] for edge in edges), max(edge[1] for edge in edges)
        for edge in edges:
            low, high = sorted((self._band(edge[1]), self._band(edge[3])))
            for band in range(low, high + 1):
                self.bands[band].append(edge)

    def contains(self, longitude, latitude):
        """True if the position lies inside: a line to the east crosses the edges an odd number of times."""
        if not (self.west <= longitude <= self.east and self.south <= latitude <= self.north):
            return False
        inside = False
        for ax, ay, bx, by in self.bands.get(self._band(latitude), ()):
            if (ay > latitude) != (by > latitude) and longitude < (latitude - ay) / (by - ay) * (bx - ax) + ax:
                inside = not inside
        return inside

    def distance(self, longitude, latitude, most):
        """The metres from a position to the nearest edge, or `None` if they are more than `most`."""
        across = math.cos(math.radians(latitude))
        high = most / DEGREE
        wide = high / max(across, 0.01)
        if not (self.west - wide <= longitude <= self.east + wide and self.south - high <= latitude <= self.north + high):
            return None
        nearest = most
        for band in range(self._band(latitude - high), self._band(latitude + high) + 1):
            for ax, ay, bx, by in self.bands.get(band, ()):
                # Edges that lie wholly to one side are too far.
                if ax < longitude - wide and bx < longitude - wide or ax > longitude + wide and bx > longitude + wide:
                    continue
                ax, ay, bx, by = (ax - longitude) * across, ay - latitude, (bx - longitude) * across, by - latitude
                length = (bx - ax) ** 2 + (by - ay) ** 2
                along = 0 if length == 0 else max(0, min(1, -(ax * (bx - ax) + ay * (by - ay)) / length))
                nearest = min(nearest, DEGREE * math.hypot(ax + along * (bx - ax), ay + along * (by - ay)))
        return nearest if nearest < most else None

    def _band(self, latitude):
        return math.floor(latitude / self.BAND)


def common_borders(features):
    """The lines that two polygons of one group share, each once: drawn as outlines, a border would show the coast, too.

    `features` are (group, geometry); the source keeps topology, so shared edges are equal to the last digit.
    """
    groups = defaultdict(list)
    for index, (group, geometry) in enumerate(features):
        for polygon in polygons(geometry):
            for ring in polygon:
                ring = [tuple(point[:2]) for point in ring]
                for a, b in zip(ring, ring[1:]):
                    if a != b:
                        groups[(a, b) if a < b else (b, a)].append((group, index))
    edges = [edge for edge, owners in groups.items()
             if len({index for _, index in owners}) > 1 and len({group for group, _ in owners}) == 1]
    return _chains(edges)


def _chains(edges):
    ends = defaultdict(list)
    for index, (a, b) in enumerate(edges):
        ends[a].append(index)
        ends[b].append(index)
    used = bytearray(len(edges))

    def walk(point, index):
        line = [point]
        while index is not None and not used[index]:
            used[index] = 1
            a, b = edges[index]
            point = b if a == point else a
            line.append(point)
            onward = [other for other in ends[point] if not used[other]]
            index = onward[0] if len(ends[point]) == 2 and onward else None
        return line

    lines = [walk(point, index) for point in ends if len(ends[point]) != 2
             for index in ends[point] if not used[index]]
    return lines + [walk(edges[index][0], index) for index in range(len(edges)) if not used[index]]


def area(ring):
    """Square degrees at the equator's scale."""
    latitude = sum(point[1] for point in ring) / len(ring)
    twice = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))
    return abs(twice) / 2 * math.cos(math.radians(latitude))


def label_point(ring):
    """The middle of the widest east-west chord near a ring's middle: inside it, whatever its shape."""
    south, north = min(point[1] for point in ring), max(point[1] for point in ring)
    best = (0, ring[0])
    for step in range(1, 24):
        latitude = south + (north - south) * step / 24
        crossings = sorted(a[0] + (latitude - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
                           for a, b in zip(ring, ring[1:]) if (a[1] > latitude) != (b[1] > latitude))
        # Chords near the middle win: the widest one of France is its very north.
        favour = 1 - abs(step / 12 - 1) ** 2 * 0.6
        for west, east in zip(crossings[::2], crossings[1::2]):
            width = (east - west) * math.cos(math.radians(latitude)) * favour
            if width > best[0]:
                best = (width, [(west + east) / 2, latitude])
    return best[1]
