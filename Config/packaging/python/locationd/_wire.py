"""Varlink: JSON messages, each with a zero byte at its end, over a Unix socket. One call for each connection."""
from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import socket
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Any

from ._errors import STOPPING, ServiceUnavailable, error_of

SYSTEM_SOCKET = "/run/locationd/org.locationd"
LARGEST_MESSAGE = 16 * 1024 * 1024
# Seconds between attempts to connect again.
SHORTEST_DELAY, LONGEST_DELAY = 0.1, 5.0

_REMEDY = "To find out why, run: locationctl doctor"


class Stopping(ServiceUnavailable):
    """The service is stopping, and may start again at once."""


class Connection(asyncio.Protocol):
    """One call and its replies. A reply that is not taken is replaced by the next one, and counted, unless all are kept.

    Those that replace one another are read by a thread: a program that blocks its event loop, too, takes the newest one next. The
    service waits with a newer one while a few older ones are not read.
    """

    def __init__(self, keeps_all: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.WriteTransport | None = None
        self._incomplete = bytearray()
        # Of the lock: the replies, the number of those that were replaced, and the end.
        self._lock = threading.Lock()
        self._replies: deque[dict[str, Any]] = deque(maxlen=None if keeps_all else 1)
        self._replaced = 0
        self._end: Exception | None = None
        self._news = asyncio.Event()

    @classmethod
    @contextlib.asynccontextmanager
    async def calling(
        cls, path: str | None, method: str, parameters: dict[str, Any], more: bool = False, keeps_all: bool = False
    ) -> AsyncGenerator[Connection, None]:
        """Connects, makes the call, and closes the connection afterwards."""
        path = path or os.environ.get("LOCATIOND_SOCKET") or SYSTEM_SOCKET
        connected = await _connect(path)
        connection = cls(keeps_all)
        call: dict[str, Any] = {"method": method, "parameters": parameters}
        if more:
            call["more"] = True
        message = json.dumps(call).encode() + b"\0"
        if not keeps_all:
            reader = threading.Thread(target=connection._read, args=(connected, message), name="locationd", daemon=True)
            reader.start()
            try:
                yield connection
            finally:
                with contextlib.suppress(OSError):
                    connected.shutdown(socket.SHUT_RDWR)
                reader.join()
                connected.close()
            return
        try:
            await connection._loop.create_unix_connection(lambda: connection, sock=connected)
        except BaseException:
            connected.close()
            raise
        assert connection._transport
        try:
            connection._transport.write(message)
            yield connection
        finally:
            connection._transport.abort()

    async def reply(self) -> tuple[dict[str, Any], int]:
        """The parameters of the next reply, once there is one, and the number of replies that it replaced.

        Throws the error if the reply is one, and `ServiceUnavailable` at the end of the connection.
        """
        while True:
            with self._lock:
                if self._replies:
                    message, replaced = self._replies.popleft(), self._replaced
                    self._replaced = 0
                    break
                if self._end:
                    raise self._end
                self._news.clear()
            await self._news.wait()
        parameters = message.get("parameters") or {}
        if name := message.get("error"):
            raise Stopping("The location service is stopping.") if name == STOPPING else error_of(name, parameters)
        return parameters, replaced

    def _read(self, connected: socket.socket, call: bytes) -> None:
        """Makes the call and reads until the end of the connection, in a thread."""
        with contextlib.suppress(OSError):
            connected.setblocking(True)
            connected.sendall(call)
            while not self._end and (data := connected.recv(65_536)):
                self.data_received(data)
        self.connection_lost(None)

    # What the event loop calls, or the thread.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *messages, rest = (self._incomplete + data).split(b"\0")
        self._incomplete = rest
        try:
            if len(rest) > LARGEST_MESSAGE:
                raise ValueError("too long")
            for message in messages:
                reply = json.loads(message)
                if not isinstance(reply, dict):
                    raise ValueError("not an object")
                self._append(reply)
        except (ValueError, RecursionError) as error:
            self._finish(f"The location service sent a message that is not Varlink ({error}).")
            if self._transport:
                self._transport.abort()
        self._notify()

    def connection_lost(self, error: Exception | None) -> None:
        self._finish("The location service ended the connection.")
        self._notify()

    def _append(self, reply: dict[str, Any]) -> None:
        with self._lock:
            if len(self._replies) == self._replies.maxlen:
                # With those that the service had left out before it.
                self._replaced += 1 + ((self._replies[0].get("parameters") or {}).get("skipped") or 0)
            self._replies.append(reply)

    def _finish(self, sentence: str) -> None:
        with self._lock:
            self._end = self._end or ServiceUnavailable(sentence)

    def _notify(self) -> None:
        # The loop is closed if the program ends meanwhile.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._news.set)


async def _connect(path: str) -> socket.socket:
    """A connected socket. Tries again while more connections wait than the kernel's queue holds."""
    for delay in [0.1, 0.2, 0.4, 0.8, 1.6, None]:
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.setblocking(False)
            # Done at once: asyncio would take a full queue for a connection in progress.
            connected.connect(path)
            return connected
        except BlockingIOError:
            connected.close()
        except OSError as error:
            connected.close()
            raise ServiceUnavailable(
                f"The location service cannot be reached at {path}: {error.strerror}. {_REMEDY}") from error
        if delay is not None:
            await asyncio.sleep(delay)
    raise ServiceUnavailable(f"The location service at {path} does not accept connections. {_REMEDY}")


async def call(
    path: str | None, method: str, parameters: dict[str, Any], is_final: Callable[[dict[str, Any]], bool] | None = None
) -> dict[str, Any]:
    """The reply to a call; with `is_final`, of several replies the first for which it is true. A service that is stopping is
    called once more: its socket starts it again."""
    for is_last in [False, True]:
        try:
            async with Connection.calling(path, method, parameters, is_final is not None, True) as connection:
                while True:
                    reply = (await connection.reply())[0]
                    if is_final is None or is_final(reply):
                        return reply
        except Stopping:
            if is_last:
                raise
    raise AssertionError


async def stream(
    path: str | None, method: str, parameters: dict[str, Any], keeps_all: bool = False
) -> AsyncGenerator[tuple[dict[str, Any], int] | None, None]:
    """The replies to a call with "more", each with the number of replies that it replaced, which is 0
    if all are kept; `None` when the service has gone
    away. Then connects again, with back-off, until there is a service."""
    was_connected = has_found_it_stopping = False
    delay = SHORTEST_DELAY
    while True:
        is_open = False
        try:
            async with Connection.calling(path, method, parameters, True, keeps_all) as connection:
                while True:
                    reply = await connection.reply()
                    is_open = was_connected = True
                    delay = SHORTEST_DELAY
                    yield reply
        except ServiceUnavailable as error:
            if not was_connected:
                # It was stopping when the connection was made. Who listens next is asked; there may be nobody.
                if has_found_it_stopping or not isinstance(error, Stopping):
                    raise
                has_found_it_stopping = True
                continue
        if is_open:
            yield None
        await asyncio.sleep(delay * random.uniform(0.5, 1))
        delay = min(delay * 2, LONGEST_DELAY)
