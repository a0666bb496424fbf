"""Errors, each with a sentence for people that names the remedy."""
from __future__ import annotations

from typing import Any


class LocationError(Exception):
    """The service gave no location. The base class of all errors of this package."""


class ServiceUnavailable(LocationError):
    """The service is not installed, cannot be reached by this user, or has ended the connection."""


class NotDeclared(LocationError):
    """No declaration matches this program, or several match equally well."""


class NotAuthorized(LocationError):
    """This program has no access to the location, or not now."""

    def __init__(self, message: str, status: str | None = None, reason: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        """A case of `Status` in org.locationd(7), such as "denied"; `None` if the service named none."""
        self.reason = reason
        """A case of `Reason` in org.locationd(7), such as "deniedByUser"; `None` if it is not known."""


class MissingUsageDescription(LocationError):
    """The declaration lacks the text for this request, which the prompt would show."""

    def __init__(self, message: str, key: str | None = None, file: str | None = None) -> None:
        super().__init__(message)
        self.key = key
        """The missing key, such as "NSLocationWhenInUseUsageDescription"."""
        self.file = file
        """The path of the declaration."""


class NotAnswered(LocationError):
    """The prompt could not be shown, was not answered in time, or was shown too often."""


class LocationUnavailable(LocationError):
    """No fix came in time."""


class LimitExceeded(LocationError):
    """A limit of the service is reached, such as the number of open subscriptions of a user."""

    def __init__(self, message: str, limit: str | None = None, value: int | None = None) -> None:
        super().__init__(message)
        self.limit = limit
        """The key of the limit in locationd.plist(5), such as "SubscriptionsPerUser"."""
        self.value = value
        """The value of the limit."""


class PermissionDenied(LocationError):
    """The caller lacks the right to do this: it is root's, or that of agents or managers in locationd.plist(5)."""


class InvalidParameter(LocationError, ValueError):
    """An argument is out of its range."""

    def __init__(self, message: str, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name
        """The name of the argument, such as "timeout"; `None` for the circle of a geofence, whose fault the text names."""


class ServiceError(LocationError):
    """Any other error of the service."""

    def __init__(self, message: str, name: str, parameters: dict[str, Any]) -> None:
        super().__init__(message)
        self.name = name
        """The fully qualified name, such as org.locationd.Manager.NoSuchClient."""
        self.parameters = parameters
        """The members of the error, as in org.locationd(7)."""


_WITH_MESSAGE: dict[str, type[LocationError]] = {
    "org.locationd.Authorization.ClientNotDeclared": NotDeclared,
    "org.locationd.Authorization.NoAgent": NotAnswered,
    "org.locationd.Authorization.NotAnswered": NotAnswered,
    "org.locationd.Authorization.TooManyPrompts": NotAnswered,
    "org.locationd.Agent.NotAnAgent": PermissionDenied,
    "org.locationd.Manager.NotAManager": PermissionDenied,
}

_RANGES = {
    "timeout": "above 0 and at most 3600 seconds",
    "desiredAccuracy": "above 0 and at most 100,000,000 m",
    "distanceFilter": "0 to 100,000,000 m",
    "minimumInterval": "0 to 86,400 seconds",
    "headingFilter": "0 to 180 degrees",
    "rate": "1 to 60 frames a second",
    "monitor": "1 to 255 bytes without control characters",
    "identifier": "1 to 255 bytes without control characters",
}

# What this package calls the parameters that org.locationd(7) calls otherwise.
_NAMES = {"desiredAccuracy": "accuracy", "distanceFilter": "distance", "minimumInterval": "interval"}

STOPPING = "org.locationd.Location.ServiceStopping"


def error_of(name: str, parameters: dict[str, Any]) -> LocationError:
    """The exception for an error reply."""
    message = str(parameters.get("message", ""))
    if kind := _WITH_MESSAGE.get(name):
        return kind(message)
    match name:
        case "org.locationd.Authorization.NotAuthorized":
            return NotAuthorized(message, parameters.get("status"), parameters.get("reason"))
        case "org.locationd.Authorization.MissingUsageDescription":
            return MissingUsageDescription(message, parameters.get("key"), parameters.get("file"))
        case "org.varlink.service.PermissionDenied":
            return PermissionDenied("Only root, or the user that locationd runs as, may do this.")
        case "org.locationd.Location.LocationUnavailable":
            return LocationUnavailable(str(parameters.get("reason", "No fix came in time.")))
        case "org.locationd.Location.LimitExceeded":
            limit, value = parameters.get("limit"), parameters.get("value")
            return LimitExceeded(
                message or f"The location service allows no more: {limit} is {value}.", limit, value)
        case "org.varlink.service.InvalidParameter":
            parameter = str(parameters.get("parameter"))
            name, limits = _NAMES.get(parameter, parameter), _RANGES.get(parameter)
            return InvalidParameter(
                f"{name} is out of its range: {limits}." if limits else f"{name} is not valid.", name)
        case "org.locationd.Monitor.InvalidCondition":
            return InvalidParameter(message)
        case _:
            return ServiceError(message or f"The location service answered with {name}.", name, parameters)
