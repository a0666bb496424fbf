"""Recorded tracks for the service to replay: a way to the east and back, past a place of interest."""
import datetime
import json
import math

# The place.
LATITUDE, LONGITUDE = 52.5, 13.4
METRES_A_DEGREE = 111_320 * math.cos(math.radians(LATITUDE))


def recording(distances):
    """The text of a recording with a report a second, at these distances in metres east of the place."""
    start = datetime.datetime(2026, 4, 12, 9, 30)
    lines = []
    before = distances[0]
    for second, distance in enumerate(distances):
        lines.append(json.dumps({
            "class": "TPV", "device": "/dev/ttyACM0", "mode": 3,
            "time": (start + datetime.timedelta(seconds=second)).isoformat() + ".000Z", "lat": LATITUDE,
            "lon": LONGITUDE + distance / METRES_A_DEGREE, "altMSL": 50.0, "eph": 4.0, "epv": 6.0,
            "speed": abs(distance - before), "track": 90.0 if distance >= before else 270.0}))
        before = distance
    return "\n".join(lines) + "\n"


def passage(far, near=0, pace=10, stay=60):
    """Distances: a stay far away, the way to the place, a stay there, and the way back."""
    way = list(range(far, near, -pace))
    return [far] * 10 + way + [near] * stay + way[::-1]


def distance(location):
    """How far a location is from the place, in metres."""
    north = (location["latitude"] - LATITUDE) * 111_320
    return math.hypot(north, (location["longitude"] - LONGITUDE) * METRES_A_DEGREE)
