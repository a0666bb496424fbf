"""The location of this machine, for programs in Python.

    import asyncio
    import locationd

    async def main() -> None:
        async for location in locationd.locations():
            print(location.latitude, location.longitude)

    asyncio.run(main())

The location service, locationd, asks the user before it shares. `locations()` and `location()` show the prompt if the user
has not decided yet; `updates()` shows none, and also reports why there is no location now. `follow()` yields the movement
for a screen. A `Monitor` tells when the user enters or leaves a geofence, also of what happened while the program did not run.

The service knows a program by the file that the kernel executes. For a script that is the interpreter, which every other
script shares. So run a script as a unit of systemd, and declare the unit: see "A script of your own" in the Recipes.

Errors are subclasses of `LocationError`, and their text is a sentence for people with the remedy. Every function takes
`socket`, the path of the service's socket; the default is `$LOCATIOND_SOCKET`, or /run/locationd/org.locationd.
"""
from ._client import Authorization, authorization, call, follow, location, locations, request_authorization, updates
from ._errors import (
    InvalidParameter, LimitExceeded, LocationError, LocationUnavailable, MissingUsageDescription, NotAnswered,
    NotAuthorized, NotDeclared, PermissionDenied, ServiceError, ServiceUnavailable,
)
from ._monitor import Monitor, MonitorEvent
from ._types import Cause, FollowUpdate, Frame, Location, Update

__all__ = [
    "Authorization", "Cause", "FollowUpdate", "Frame", "InvalidParameter", "LimitExceeded", "Location", "LocationError",
    "LocationUnavailable", "MissingUsageDescription", "Monitor", "MonitorEvent", "NotAnswered", "NotAuthorized",
    "NotDeclared", "PermissionDenied", "ServiceError", "ServiceUnavailable", "Update", "authorization", "call", "follow",
    "location", "locations", "request_authorization", "updates",
]
