"""Geofences, which the service watches also while the program does not run."""
from __future__ import annotations

import contextlib
import dataclasses
import datetime
from collections.abc import AsyncGenerator
from typing import Any

from . import _wire
from ._types import Cause

_MONITOR = "org.locationd.Monitor."


@dataclasses.dataclass(frozen=True, slots=True)
class MonitorEvent:
    """A change of a geofence's state; or, with a diagnostic, the reason why none is watched now."""

    identifier: str = ""
    """The identifier of the geofence; empty with a diagnostic."""
    state: str = "unknown"
    """"satisfied" inside, "unsatisfied" outside, or "unknown"."""
    date: datetime.datetime | None = None
    """The time of the fix that decided it, or of the geofence's addition, in UTC; `None` with a diagnostic."""
    diagnostic: str | None = None
    """A case of `Diagnostic` in org.locationd(7), such as "insufficientlyInUse"; "serviceUnavailable" while the service is
    away. After a change of the program's access it is `None` in an event without an identifier: all is well again."""
    cause: Cause | None = None
    """The cause of the diagnostic, if it is known."""

    @classmethod
    def _from_wire(cls, members: dict[str, Any]) -> MonitorEvent:
        return cls(members["identifier"], members["state"], datetime.datetime.fromisoformat(members["date"]))


class Monitor:
    """The geofences of this program by a name, which the service keeps over restarts.

        monitor = locationd.Monitor("errands")
        await monitor.add("shop", 48.137, 11.575, 150)
        async for event in monitor.events():
            if event.identifier == "shop" and event.state == "satisfied":
                print("Buy milk.")

    They are watched at any time for a program that is authorized always, while it is in use for one that is authorized
    when in use, and not at all with reduced accuracy; no prompt is shown, so call `request_authorization()` first.
    """

    def __init__(self, name: str, *, socket: str | None = None) -> None:
        """`name` has 1 to 255 bytes without control characters. Monitors with different names have geofences of their own."""
        self.name = name
        self._socket = socket

    async def add(
        self, identifier: str, latitude: float, longitude: float, radius: float = 100, *, assuming: str | None = None
    ) -> None:
        """Watches a circle, in place of the geofence with the same identifier. It is on disk when this returns.

        - `latitude`, `longitude`: its centre in degrees, WGS 84.
        - `radius`: in metres, 1 to 10000000.
        - `assuming`: "satisfied" or "unsatisfied", of which the program is not told: with "satisfied" the first event is
          that it has been left, and not that it was inside from the beginning.

        Throws `LimitExceeded`, or `InvalidParameter` for what is out of its range.
        """
        parameters: dict[str, Any] = {
            "identifier": identifier,
            "condition": {"circle": {"latitude": latitude, "longitude": longitude, "radius": radius}}}
        if assuming is not None:
            parameters["assuming"] = assuming
        await self._call("AddCondition", **parameters)

    async def remove(self, identifier: str) -> None:
        """Stops watching a geofence. Does nothing if there is none with this identifier."""
        await self._call("RemoveCondition", identifier=identifier)

    async def states(self) -> list[MonitorEvent]:
        """The last event of each geofence, by identifier."""
        return [MonitorEvent._from_wire(event) for event in (await self._call("ListConditions"))["conditions"]]

    async def events(self) -> AsyncGenerator[MonitorEvent, None]:
        """Yields changes until it is closed: first those of which the program has not been told, the last one of each
        geofence, then each new one. None is lost while the service restarts.

        Throws at once if the service cannot be reached at first, or does not know this program.
        """
        stream = _wire.stream(self._socket, _MONITOR + "WatchConditions", {"monitor": self.name}, keeps_all=True)
        async with contextlib.aclosing(stream):
            async for reply in stream:
                if reply is None:
                    sentence = "The location service went away. Waiting for it to return."
                    yield MonitorEvent(
                        diagnostic="serviceUnavailable", cause=Cause("serviceUnavailable", sentence))
                elif event := reply[0].get("event"):
                    yield MonitorEvent._from_wire(event)
                else:
                    yield MonitorEvent(
                        diagnostic=reply[0].get("diagnostic"), cause=Cause._from_wire(reply[0].get("cause")))

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return await _wire.call(self._socket, _MONITOR + method, {"monitor": self.name} | parameters)
