"""Coasts, lakes and rivers at full resolution, out of GSHHG's netCDF files.

GSHHG cuts its lines at whole degrees, into segments whose ends are equal to the last digit. Here they are joined again,
because areas that touch along a degree would show a hairline there.
"""

import math
from collections import defaultdict

import h5py
import numpy

# The steps of a coordinate within a degree, which is the size of a bin.
STEPS = 65535
AROUND = 360 * STEPS
# The deviation, in steps, below which a point is left out: 140 m.
TOLERANCE = 84
PASSES = 6
# The kinds of areas, by GSHHG's level. Level 5 and 6 are Antarctica's grounding line, inside of its ice.
LAND, LAKE, ISLAND = 1, 2, 3


def areas(path, level):
    """The areas of a level as (square kilometres, ring). Rings may extend beyond 180°."""
    with h5py.File(path) as file:
        embedded = file["Embedded_npts_levels_exit_entry_for_a_segment"][:]
        polygons = file["Id_of_GSHHS_ID"][:].tolist()
        sizes = file["The_km_squared_area_of_polygons"][:].tolist()
        lines = _lines(file, embedded >> 9, (embedded >> 6 & 7) == level)
    parts = defaultdict(list)
    for segment, line in lines:
        parts[polygons[segment]].append(line)
    for polygon, pieces in parts.items():
        for x, y in _rings(pieces):
            # What is smaller than the tolerance has lost its shape.
            if len(x) > 3:
                yield abs(sizes[polygon]), _degrees(x, y)


def rivers(path, levels):
    """The rivers of some levels as (level, line)."""
    with h5py.File(path) as file:
        kinds = file["Hierarchial_level_of_a_segment"][:]
        for segment, (x, y) in _lines(file, file["N_points_for_a_segment"][:], numpy.isin(kinds, levels)):
            yield int(kinds[segment]), _degrees(x, y)


def _lines(file, counts, wanted):
    """The wanted segments, simplified, as (number, (x, y)) in steps from Greenwich and from the south pole."""
    per_bin = file["N_segments_in_a_bin"][:]
    segments = numpy.repeat(numpy.arange(len(counts)), counts)
    bins = numpy.repeat(numpy.arange(len(per_bin)), per_bin)[segments]

    def steps(name):
        return file[name][:].astype(numpy.uint16).astype(numpy.int64)

    x = bins % 360 * STEPS + steps("Relative_longitude_from_SW_corner_of_bin")
    y = (179 - bins // 360) * STEPS + steps("Relative_latitude_from_SW_corner_of_bin")
    kept = wanted[segments]
    segments, x, y = _simplified(segments[kept], x[kept], y[kept])
    edges = numpy.flatnonzero(numpy.diff(segments)) + 1
    return zip(segments[numpy.concatenate([[0], edges])].tolist(), zip(numpy.split(x, edges), numpy.split(y, edges)))


def _simplified(segments, x, y):
    """Without points that lie near the line between their neighbours; of two neighbours at most one at a time."""
    for _ in range(PASSES):
        ax, ay, bx, by = x[1:-1] - x[:-2], y[1:-1] - y[:-2], x[2:] - x[:-2], y[2:] - y[:-2]
        scale = numpy.cos(numpy.radians(y[1:-1] / STEPS - 90))
        length = numpy.hypot(bx * scale, by)
        off = numpy.where(length > 0, numpy.abs(ax * by - ay * bx) * scale / numpy.maximum(length, 1), numpy.hypot(ax * scale, ay))
        drop = numpy.zeros(len(x), bool)
        # The ends of segments stay.
        drop[1:-1] = (off < TOLERANCE) & (segments[:-2] == segments[2:])
        drop[1::2] &= ~drop[:-1:2][:len(drop[1::2])]
        drop[2::2] &= ~drop[1:-1:2][:len(drop[2::2])]
        if not drop.any():
            break
        segments, x, y = segments[~drop], x[~drop], y[~drop]
    return segments, x, y


def _rings(pieces):
    """Joins the pieces of one polygon, each of which begins where another ends."""
    begin = defaultdict(list)
    for index, (x, y) in enumerate(pieces):
        begin[x[0] % AROUND, y[0]].append(index)
    used = [False] * len(pieces)
    for index in range(len(pieces)):
        if used[index]:
            continue
        chain = []
        while index is not None:
            used[index] = True
            chain.append(pieces[index])
            x, y = pieces[index]
            index = next((other for other in begin[x[-1] % AROUND, y[-1]] if not used[other]), None)
        x, y = (numpy.concatenate([piece[axis] for piece in chain]) for axis in (0, 1))
        # Across Greenwich the steps begin again.
        x = x - AROUND * numpy.cumsum(numpy.round(numpy.diff(x, prepend=x[:1]) / AROUND)).astype(numpy.int64)
        if abs(x[-1] - x[0]) > AROUND // 2:
            # Antarctica: around the pole.
            x, y = numpy.append(x, [x[-1], x[0], x[0]]), numpy.append(y, [0, 0, y[0]])
        yield x, y


def _degrees(x, y):
    """Longitudes and latitudes, with decimals of a metre; the middle of the line lies between -180° and 180°."""
    shift = 360 * math.floor((x.min() + x.max()) / 2 / AROUND + 0.5)
    return numpy.column_stack([numpy.round(x / STEPS - shift, 5), numpy.round(y / STEPS - 90, 5)]).tolist()
