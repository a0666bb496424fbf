"""Talks to locationd with asyncvarlink; the socket is the only argument."""

import asyncio
import sys
import typing

import asyncvarlink
from asyncvarlink.serviceerrors import InvalidParameter


class Status(typing.TypedDict):
    client: str
    status: str
    accuracy: str


class Authorization(asyncvarlink.VarlinkInterface, name="org.locationd.Authorization"):
    @asyncvarlink.varlinkmethod
    def GetStatus(self) -> Status: ...


class Location(asyncvarlink.VarlinkInterface, name="org.locationd.Location"):
    errors = (InvalidParameter,)

    @asyncvarlink.varlinkmethod(return_parameter="location", allow_foreign=True)
    def GetLocation(self, *, timeout: float | None = None) -> typing.Any: ...

    @asyncvarlink.varlinkmethod(return_parameter="location", allow_foreign=True)
    def Subscribe(
        self, *, distanceFilter: float | None = None
    ) -> typing.Iterator[typing.Any]: ...


async def connect(path: str):
    return await asyncvarlink.connect_unix_varlink(
        asyncvarlink.VarlinkClientProtocol, path
    )


async def main(path: str) -> None:
    transport, protocol = await connect(path)
    status = await protocol.make_proxy(Authorization).GetStatus()
    print(status["client"], status["status"], status["accuracy"])
    location = protocol.make_proxy(Location)
    print((await location.GetLocation(timeout=5.0))["location"]["longitude"])
    try:
        await location.GetLocation(timeout=-5.0)
    except InvalidParameter as error:
        print("InvalidParameter", error.p_parameter)
    longitudes = []
    async for reply in location.Subscribe(distanceFilter=2.0):
        longitudes.append(reply["location"]["longitude"])
        if len(longitudes) == 3:
            break
    print(longitudes)
    transport.close()


asyncio.run(main(sys.argv[1]))
