"""What the service delivers, as values."""
from __future__ import annotations

import dataclasses
import datetime
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class Location:
    """The position of a receiver at one moment.

    Values that the receiver does not report are `None`. Accuracies are one sigma: the horizontal one is the radius that
    contains the true position with a probability of 68 %, the others are standard deviations.
    """

    latitude: float
    """Degrees north, WGS 84: -90 to 90."""
    longitude: float
    """Degrees east, WGS 84: -180 to 180."""
    timestamp: datetime.datetime
    """The time of the fix, in UTC."""
    horizontal_accuracy: float | None = None
    """The accuracy of latitude and longitude, in metres."""
    altitude: float | None = None
    """Metres above mean sea level."""
    ellipsoidal_altitude: float | None = None
    """Metres above the WGS 84 ellipsoid."""
    vertical_accuracy: float | None = None
    """The accuracy of both altitudes, in metres."""
    course: float | None = None
    """The direction of travel, in degrees clockwise from true north."""
    course_accuracy: float | None = None
    """The accuracy of the course, in degrees."""
    speed: float | None = None
    """Metres a second over ground."""
    speed_accuracy: float | None = None
    """The accuracy of the speed, in metres a second."""
    fix_type: str | None = None
    """How the receiver has computed the position, such as "standard", "differential" or "rtkFixed": a case of `fixType` in
    org.locationd(7). `None` if it is not known, and for approximate locations."""
    kind: str | None = None
    """The kind of the source: "receiver", "modem", "wifi" or "fixed"."""
    is_simulated: bool = False
    """True if no receiver measured it, as in a replayed track."""
    is_produced_by_accessory: bool = False
    """True if the receiver is on USB or Bluetooth, or another device on the network."""
    device: str | None = None
    """gpsd's name of the receiver, such as /dev/ttyACM0."""

    @classmethod
    def _from_wire(cls, members: dict[str, Any]) -> Location:
        source = members.get("sourceInformation") or {}
        return cls(
            latitude=members["latitude"],
            longitude=members["longitude"],
            timestamp=datetime.datetime.fromisoformat(members["timestamp"]),
            horizontal_accuracy=members.get("horizontalAccuracy"),
            altitude=members.get("altitude"),
            ellipsoidal_altitude=members.get("ellipsoidalAltitude"),
            vertical_accuracy=members.get("verticalAccuracy"),
            course=members.get("course"),
            course_accuracy=members.get("courseAccuracy"),
            speed=members.get("speed"),
            speed_accuracy=members.get("speedAccuracy"),
            fix_type=members.get("fixType"),
            kind=source.get("kind"),
            is_simulated=source.get("isSimulated", False),
            is_produced_by_accessory=source.get("isProducedByAccessory", False),
            device=source.get("device"),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Cause:
    """The cause of a diagnostic."""

    reason: str
    """The reason, for programs: a case of `Reason` in org.locationd(7), or "serviceUnavailable"."""
    message: str
    """A sentence for people with the reason and the remedy."""

    @classmethod
    def _from_wire(cls, members: dict[str, Any] | None) -> Cause | None:
        return cls(members["reason"], members["message"]) if members else None


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """The position at one moment, predicted from the last fixes, for a view that follows the user."""

    latitude: float
    """The latitude of the centre: degrees north, WGS 84."""
    longitude: float
    """The longitude of the centre: degrees east, WGS 84."""
    horizontal_accuracy: float
    """The radius that contains the true position with a probability of 68 %, in metres. It grows while no fix comes."""
    timestamp: datetime.datetime
    """The moment that the frame shows, in UTC."""
    age: float
    """Seconds since the last fix."""
    span: float
    """The width of the ground to show at this speed, in metres."""
    is_predicted: bool
    """True if the position was predicted from the last fix."""
    bearing: float | None = None
    """The direction of travel, in degrees clockwise from true north; the last one while the user stands still."""
    heading: float | None = None
    """The heading from a compass, in degrees clockwise from true north; `None` without one."""
    speed: float | None = None
    """Metres a second over ground."""
    altitude: float | None = None
    """Metres above mean sea level, of the last fix."""
    kind: str | None = None
    """The kind of the last fix's source: "receiver", "modem", "wifi" or "fixed"."""

    @classmethod
    def _from_wire(cls, members: dict[str, Any]) -> Frame:
        return cls(
            latitude=members["latitude"],
            longitude=members["longitude"],
            horizontal_accuracy=members["horizontalAccuracy"],
            timestamp=datetime.datetime.fromisoformat(members["timestamp"]),
            age=members["age"],
            span=members["span"],
            is_predicted=members["isPredicted"],
            bearing=members.get("bearing"),
            heading=members.get("heading"),
            speed=members.get("speed"),
            altitude=members.get("altitude"),
            kind=(members.get("sourceInformation") or {}).get("kind"),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class FollowUpdate:
    """One element of `follow()`: a frame, or the reason for having none."""

    frame: Frame | None = None
    """The frame to show now; `None` in an update with a diagnostic."""
    diagnostic: str | None = None
    """As in `Update`."""
    cause: Cause | None = None
    """The cause of the diagnostic, if it is known."""
    skipped: int = 0
    """The number of frames that were replaced by newer ones because the program did not take them in time."""


@dataclasses.dataclass(frozen=True, slots=True)
class Update:
    """One element of `updates()`: a location, or the reason for having none."""

    location: Location | None = None
    """A location; `None` in an update with a diagnostic."""
    diagnostic: str | None = None
    """A case of `Diagnostic` in org.locationd(7), such as "locationUnavailable" or "insufficientlyInUse";
    "serviceUnavailable" while the service is away. "accuracyLimited" announces locations that are accurate to about
    5 km."""
    cause: Cause | None = None
    """The cause of the diagnostic, if it is known."""
    skipped: int = 0
    """The number of updates that were replaced by newer ones because the program did not take them in time."""
