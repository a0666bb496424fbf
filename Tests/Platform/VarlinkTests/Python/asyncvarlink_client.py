"""Talks to org.example.Ping with asyncvarlink; the socket is the only argument."""

import asyncio
import sys
import typing

import asyncvarlink
from asyncvarlink.serviceerrors import ExpectedMore


class Failed(asyncvarlink.TypedVarlinkErrorReply, name="org.example.Ping.Failed"):
    class Parameters:
        code: int


class Ping(asyncvarlink.VarlinkInterface, name="org.example.Ping"):
    errors = (Failed,)

    @asyncvarlink.varlinkmethod(return_parameter="pong")
    def Ping(self, *, ping: str) -> str: ...

    @asyncvarlink.varlinkmethod(return_parameter="number")
    def Count(self, *, to: int) -> typing.Iterator[int]: ...

    @asyncvarlink.varlinkmethod
    def Fail(self, *, code: int) -> None: ...


async def main(path: str) -> None:
    transport, protocol = await asyncvarlink.connect_unix_varlink(
        asyncvarlink.VarlinkClientProtocol, path
    )
    ping = protocol.make_proxy(Ping)
    print((await ping.Ping(ping="hello"))["pong"])
    print([reply["number"] async for reply in ping.Count(to=3)])
    try:
        await ping.Fail(code=5)
    except Failed as error:
        print("Failed", error.p_code)
    both = await asyncio.gather(ping.Ping(ping="1"), ping.Ping(ping="2"))
    print([reply["pong"] for reply in both])
    transport.close()


asyncio.run(main(sys.argv[1]))
