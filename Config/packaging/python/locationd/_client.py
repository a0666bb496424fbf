"""The calls of programs, as functions."""
from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import AsyncGenerator
from typing import Any

from . import _wire
from ._errors import NotAnswered, NotAuthorized
from ._types import Cause, FollowUpdate, Frame, Location, Update

_log = logging.getLogger("locationd")
_AUTHORIZATION = "org.locationd.Authorization."
_LOCATION = "org.locationd.Location."
_GONE = Cause("serviceUnavailable", "The location service went away. Waiting for it to return.")


@dataclasses.dataclass(frozen=True, slots=True)
class Authorization:
    """What the user has decided about this program."""

    client: str
    """The identifier of this program's declaration."""
    status: str
    """A case of `Status` in org.locationd(7): "notDetermined", "restricted", "denied", "authorizedWhenInUse" or
    "authorizedAlways"."""
    accuracy: str
    """"full", or "reduced" for about 5 km."""
    cause: Cause | None
    """The cause of receiving no locations now, or reduced ones."""

    @classmethod
    def _from_wire(cls, members: dict[str, Any]) -> Authorization:
        return cls(members["client"], members["status"], members["accuracy"], Cause._from_wire(members.get("cause")))


async def authorization(*, socket: str | None = None) -> Authorization:
    """Returns what the user has decided, without a prompt."""
    return Authorization._from_wire(await call(_AUTHORIZATION + "GetStatus", socket=socket))


async def request_authorization(
    *, always: bool = False, waits_for_agent: bool = False, socket: str | None = None
) -> Authorization:
    """Shows the prompt if the user has not decided, waits for the answer, and returns what is decided.

    With `always`, for locations in the background as well; the declaration needs a text for that. Throws `NotAnswered` if
    nobody answers; at once if no agent is running that could show the prompt, unless `waits_for_agent` is true.
    """
    def is_final(members: dict[str, Any]) -> bool:
        cause = Cause._from_wire(members.get("cause"))
        if cause is None or cause.reason != "noAgent":
            return True
        if not waits_for_agent:
            raise NotAnswered(cause.message)
        return False

    method = "RequestAlways" if always else "RequestWhenInUse"
    return Authorization._from_wire(await _wire.call(socket, _AUTHORIZATION + method, {}, is_final))


async def location(
    *, timeout: float = 30, accuracy: float | None = None, ask: bool = True, socket: str | None = None
) -> Location:
    """Returns where this machine is now.

    - `timeout`: the time for a fix in seconds, above 0 and at most 3600. The prompt's time comes on top.
    - `accuracy`: the accuracy to wait for, in metres. If no location reaches it in time, the most accurate one is returned.
    - `ask`: True to show the prompt if the user has not decided yet.

    Throws `LocationUnavailable` if no fix comes in time, `NotAuthorized` if the user does not allow it, and `NotAnswered` as
    `request_authorization()` does.
    """
    if ask:
        await _ask_if_undecided(socket)
    parameters = _present(timeout=timeout, desiredAccuracy=accuracy)
    return Location._from_wire((await call(_LOCATION + "GetLocation", parameters, socket=socket))["location"])


async def locations(
    *, distance: float | None = None, interval: float | None = None, accuracy: float | None = None, ask: bool = True,
    socket: str | None = None,
) -> AsyncGenerator[Location, None]:
    """Yields where this machine is, as it moves.

    Waits while there is no location, and when the service restarts; the reason and the remedy then go to the logger
    "locationd" as a warning, which Python prints unless logging is configured otherwise. Throws `NotAuthorized` once the
    user does not allow it. The other parameters are those of `updates()`, and `ask` that of `location()`.
    """
    if ask:
        await _ask_if_undecided(socket)
    logged = None
    stream = updates(distance=distance, interval=interval, accuracy=accuracy, socket=socket)
    async with contextlib.aclosing(stream):
        async for update in stream:
            message = update.cause.message if update.cause else update.diagnostic
            if update.location:
                logged = None
                yield update.location
            elif update.diagnostic in ("authorizationDenied", "authorizationRestricted"):
                raise NotAuthorized(
                    message or "", "denied" if update.diagnostic == "authorizationDenied" else "restricted",
                    update.cause.reason if update.cause else None)
            elif message != logged:
                logged = message
                _log.warning("%s", message)


async def updates(
    *, distance: float | None = None, interval: float | None = None, accuracy: float | None = None,
    significant_changes: bool = False, pauses: bool = False, socket: str | None = None,
) -> AsyncGenerator[Update, None]:
    """Yields locations and the reasons for having none, until it is closed. Shows no prompt.

    - `distance`: the minimum distance from the last location, in metres from 0.
    - `interval`: the minimum time after the last location, in seconds from 0 to 86400.
    - `accuracy`: the largest horizontal accuracy to deliver, in metres above 0.
    - `significant_changes`: True for a location each 500 m or five minutes; for programs that are allowed always.
    - `pauses`: True to pause with the diagnostic "stationary" after two minutes in one place.

    A program that is slow gets the newest location next, also one that blocks its event loop. When the service goes away, as it does in an upgrade, an update
    has the diagnostic "serviceUnavailable", and the subscription resumes by itself. Throws at once if the service cannot be
    reached at first, or does not know this program.
    """
    parameters = _present(
        distanceFilter=distance, minimumInterval=interval, desiredAccuracy=accuracy,
        significantChanges=significant_changes or None, pausesLocationUpdatesAutomatically=pauses or None)
    async with contextlib.aclosing(_stream("Subscribe", parameters, socket)) as stream:
        async for content, state in stream:
            yield Update(location=Location._from_wire(content["location"]) if content.get("location") else None, **state)


async def follow(*, rate: int | None = None, socket: str | None = None) -> AsyncGenerator[FollowUpdate, None]:
    """Yields the movement of this machine for a screen that redraws often, and the reasons for having none, until it is
    closed. Shows no prompt.

    - `rate`: frames a second, 1 to 60; 30 if it is `None`.

    A program that is slow gets the newest frame next. With reduced accuracy there is a frame for each reduced location. When
    the service goes away and at first it behaves as `updates()` does.
    """
    async with contextlib.aclosing(_stream("Follow", _present(rate=rate), socket)) as stream:
        async for content, state in stream:
            yield FollowUpdate(frame=Frame._from_wire(content["frame"]) if content.get("frame") else None, **state)


async def _stream(
    method: str, parameters: dict[str, Any], socket: str | None
) -> AsyncGenerator[tuple[dict[str, Any], dict[str, Any]], None]:
    """Yields each reply of a method of org.locationd.Location, with the fields that all kinds of updates have: `diagnostic`,
    `cause` and `skipped`. While the service is away there is an empty reply."""
    async with contextlib.aclosing(_wire.stream(socket, _LOCATION + method, parameters)) as stream:
        async for reply in stream:
            if reply is None:
                yield {}, {"diagnostic": "serviceUnavailable", "cause": _GONE}
                continue
            members, replaced = reply
            yield members, {
                "diagnostic": members.get("diagnostic"), "cause": Cause._from_wire(members.get("cause")),
                "skipped": members.get("skipped", 0) + replaced,
            }


async def call(
    method: str, parameters: dict[str, Any] | None = None, *, socket: str | None = None
) -> dict[str, Any]:
    """Calls any method of org.locationd(7) and returns the members of its reply.

    `method` is fully qualified, such as "org.locationd.Manager.GetServiceStatus". Throws `ServiceError` for errors that
    have no class here.
    """
    return await _wire.call(socket, method, parameters or {})


async def _ask_if_undecided(socket: str | None) -> None:
    if (await authorization(socket=socket)).status == "notDetermined":
        await request_authorization(socket=socket)


def _present(**parameters: object) -> dict[str, Any]:
    """The parameters that are given."""
    return {name: value for name, value in parameters.items() if value is not None}
