"""The Python package locationd, with a service that says what it is told, and with the service itself."""
import asyncio
import contextlib
import datetime
import json
import logging
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from support import LATITUDE, LONGITUDE, PYTHON, REPOSITORY, Daemon, ScriptedService

import locationd

# Seconds.
LIMIT = 30
# Starting a process is slow, which asyncio reports in tests.
logging.getLogger("asyncio").setLevel(logging.ERROR)
PLACE = {"latitude": 1.5, "longitude": 2, "timestamp": "2026-01-01T00:00:10.25Z"}


def located(number):
    return {"location": PLACE | {"latitude": number}}


class ScriptedTests(unittest.IsolatedAsyncioTestCase):
    """Each test has half a minute."""

    async def asyncSetUp(self):
        await self.enterAsyncContext(asyncio.timeout(LIMIT))

    async def service(self, *answers):
        return (await self.enterAsyncContext(ScriptedService(*answers))).socket

    async def collect(self, stream, count):
        async with contextlib.aclosing(stream):
            return [await anext(stream) for _ in range(count)]

    async def test_a_location_has_the_members_that_the_receiver_reports(self):
        async def status(peer):
            self.assertEqual(await peer.call(), ("GetStatus", {}))
            await peer.reply({"client": "a", "status": "authorizedWhenInUse", "accuracy": "full"})

        async def location(peer):
            self.assertEqual(await peer.call(), ("GetLocation", {"timeout": 5, "desiredAccuracy": 10}))
            await peer.reply({"location": PLACE | {"horizontalAccuracy": 3.5, "fixType": "rtkFixed", "sourceInformation": {
                "kind": "modem", "isSimulated": True, "isProducedByAccessory": True, "device": "/dev/x"}, "addedLater": 1}})

        found = await locationd.location(timeout=5, accuracy=10, socket=await self.service(status, location))
        self.assertEqual(found, locationd.Location(
            1.5, 2, datetime.datetime(2026, 1, 1, 0, 0, 10, 250_000, datetime.timezone.utc), horizontal_accuracy=3.5,
            fix_type="rtkFixed", kind="modem", is_simulated=True, is_produced_by_accessory=True, device="/dev/x"))

    async def test_the_user_is_asked_if_nothing_is_decided(self):
        async def status(peer):
            await peer.call()
            await peer.reply({"client": "a", "status": "notDetermined", "accuracy": "full"})

        async def request(peer):
            self.assertEqual(await peer.call(), ("RequestWhenInUse", {}))
            await peer.reply({"message": "Nobody answered."}, error="org.locationd.Authorization.NotAnswered")

        with self.assertRaisesRegex(locationd.NotAnswered, "^Nobody answered.$"):
            await locationd.location(socket=await self.service(status, request))

    async def test_without_an_agent_a_request_fails_at_once_unless_it_waits_for_one(self):
        async def status(peer):
            await peer.call()
            await peer.reply({"client": "a", "status": "notDetermined", "accuracy": "full"})

        async def request(peer):
            self.assertEqual(await peer.call(), ("RequestWhenInUse", {}))
            await peer.reply({"client": "a", "status": "notDetermined", "accuracy": "full", "cause": {
                "reason": "noAgent", "message": "Run one."}})
            await asked.wait()
            await peer.reply({"client": "a", "status": "authorizedWhenInUse", "accuracy": "full"})

        asked = asyncio.Event()
        with self.assertRaisesRegex(locationd.NotAnswered, "^Run one.$"):
            await locationd.location(socket=await self.service(status, request))
        asked.set()
        answer = await locationd.request_authorization(waits_for_agent=True, socket=await self.service(request))
        self.assertEqual(answer.status, "authorizedWhenInUse")

    async def test_a_followed_movement_has_frames_and_the_reasons_for_having_none(self):
        async def first(peer):
            self.assertEqual(await peer.call(), ("Follow", {"rate": 10}))
            await peer.reply({"diagnostic": "locationUnavailable", "cause": {"reason": "noFix", "message": "No fix."}})
            await taken.wait()
            await peer.reply({"skipped": 2, "frame": PLACE | {
                "horizontalAccuracy": 4.5, "bearing": 90, "isPredicted": True, "age": 0.2, "span": 500,
                "sourceInformation": {"kind": "receiver", "isSimulated": False, "isProducedByAccessory": False}}})

        taken = asyncio.Event()
        stream = locationd.follow(rate=10, socket=await self.service(first))
        async with contextlib.aclosing(stream):
            self.assertEqual(await anext(stream), locationd.FollowUpdate(
                diagnostic="locationUnavailable", cause=locationd.Cause("noFix", "No fix.")))
            taken.set()
            self.assertEqual(await anext(stream), locationd.FollowUpdate(skipped=2, frame=locationd.Frame(
                1.5, 2, 4.5, datetime.datetime(2026, 1, 1, 0, 0, 10, 250_000, datetime.timezone.utc), 0.2, 500, True,
                bearing=90, kind="receiver")))
            self.assertEqual((await anext(stream)).diagnostic, "serviceUnavailable")

    async def test_a_denial_ends_the_locations_and_other_reasons_are_logged_once(self):
        async def answer(peer):
            await peer.call()
            away = {"diagnostic": "locationUnavailable", "cause": {"reason": "noFix", "message": "No fix."}}
            for reply in [away, away, located(1)]:
                await peer.reply(reply)
                await taken.wait()
                taken.clear()
            await peer.reply({"diagnostic": "authorizationDenied", "cause": {
                "reason": "deniedByUser", "message": "You denied it."}})

        taken = asyncio.Event()
        client = locationd._client
        original = client.updates

        async def noticing(**arguments):
            async with contextlib.aclosing(original(**arguments)) as stream:
                async for update in stream:
                    yield update
                    taken.set()

        client.updates = noticing
        self.addCleanup(setattr, client, "updates", original)
        seen = []
        with self.assertLogs("locationd") as logs, self.assertRaises(locationd.NotAuthorized) as raised:
            async for location in locationd.locations(ask=False, socket=await self.service(answer)):
                seen.append(location.latitude)
        self.assertEqual(seen, [1])
        self.assertEqual([record.getMessage() for record in logs.records], ["No fix."])
        self.assertEqual((raised.exception.status, raised.exception.reason, str(raised.exception)),
                         ("denied", "deniedByUser", "You denied it."))

    async def test_the_subscription_resumes_when_the_service_is_back(self):
        async def first(peer):
            await peer.call()
            await peer.reply(located(1))

        async def stopping(peer):
            await peer.call()
            await peer.reply(error="org.locationd.Location.ServiceStopping")

        async def again(peer):
            self.assertEqual(await peer.call(), ("Subscribe", {"distanceFilter": 5}))
            await peer.reply(located(2))
            await peer.end()

        found = await self.collect(locationd.updates(
            distance=5, socket=await self.service(first, stopping, again)), 3)
        self.assertEqual([each.location.latitude if each.location else each.diagnostic for each in found],
                         [1, "serviceUnavailable", 2])

    async def test_a_service_that_is_stopping_is_called_once_more(self):
        async def stopping(peer):
            await peer.call()
            await peer.reply(error="org.locationd.Location.ServiceStopping")

        async def started(peer):
            await peer.call()
            await peer.reply({"client": "a", "status": "denied", "accuracy": "full"})

        found = await locationd.authorization(socket=await self.service(stopping, started))
        self.assertEqual(found, locationd.Authorization("a", "denied", "full", None))
        with self.assertRaises(locationd.ServiceUnavailable):
            await locationd.authorization(socket=await self.service(stopping, stopping))
        with self.assertRaises(locationd.ServiceUnavailable):
            await self.collect(locationd.updates(socket=await self.service(stopping, stopping)), 1)

    async def test_a_slow_program_gets_the_newest_location_and_the_number_it_missed(self):
        sent = asyncio.Event()

        async def answer(peer):
            await peer.call()
            await peer.reply(located(1))
            await first.wait()
            for number in range(2, 6):
                await peer.reply(located(number))
            await peer.reply(located(6) | {"skipped": 10})
            sent.set()
            await peer.end()

        first = asyncio.Event()
        stream = locationd.updates(socket=await self.service(answer))
        async with contextlib.aclosing(stream):
            self.assertEqual((await anext(stream)).location.latitude, 1)
            first.set()
            await sent.wait()
            newest = skipped = 0
            while newest < 6:
                update = await anext(stream)
                newest, skipped = update.location.latitude, skipped + update.skipped
        self.assertGreaterEqual(skipped, 10)

    async def test_a_program_that_blocks_its_event_loop_gets_the_newest_location_and_the_number_it_missed(self):
        """The service, a thread here, has small buffers and waits for its reader. One of its replies says that it left out some."""
        count, first, sent = 1000, threading.Event(), threading.Event()

        def serve():
            peer, _ = listener.accept()
            with peer:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2304)
                peer.recv(65_536)
                for number in range(1, count + 1):
                    reply = located(number / count) | ({"skipped": 10} if number == 500 else {})
                    peer.sendall(json.dumps({"parameters": reply}).encode() + b"\0")
                    if number == 1:
                        first.wait(10)
                sent.set()
                peer.recv(1)

        with socket.socket(socket.AF_UNIX) as listener, tempfile.TemporaryDirectory() as directory:
            listener.bind(directory + "/socket")
            listener.listen()
            service = threading.Thread(target=serve)
            service.start()
            async with contextlib.aclosing(locationd.updates(socket=directory + "/socket")) as stream:
                self.assertEqual((await anext(stream)).location.latitude, 1 / count)
                first.set()
                self.assertTrue(sent.wait(10), "the replies are read while the event loop is blocked")
                updates = [await anext(stream)]
                while updates[-1].location.latitude < 1:
                    updates.append(await anext(stream))
            service.join()
        self.assertEqual(len(updates) + sum(update.skipped for update in updates), count - 1 + 10)

    async def test_no_event_of_a_geofence_replaces_another(self):
        events = [{"identifier": name, "state": "satisfied", "date": "2026-01-01T00:00:10Z"} for name in "abc"]

        async def answer(peer):
            self.assertEqual(await peer.call(), ("WatchConditions", {"monitor": "m"}))
            for reply in [{"diagnostic": "insufficientlyInUse"}, {}] + [{"event": event} for event in events]:
                await peer.reply(reply)
            sent.set()
            await peer.end()

        sent = asyncio.Event()
        stream = locationd.Monitor("m", socket=await self.service(answer)).events()
        async with contextlib.aclosing(stream):
            self.assertEqual((await anext(stream)).diagnostic, "insufficientlyInUse")
            await sent.wait()
            self.assertEqual([(await anext(stream)).identifier for _ in range(4)], ["", "a", "b", "c"])

    async def test_cancellation_closes_the_connection(self):
        ended = asyncio.Event()

        async def answer(peer):
            await peer.call()
            asked.set()
            await peer.end()
            ended.set()

        asked = asyncio.Event()
        for program in [lambda socket: locationd.authorization(socket=socket),
                        lambda socket: anext(locationd.updates(socket=socket))]:
            asked.clear(), ended.clear()
            task = asyncio.ensure_future(program(await self.service(answer)))
            await asked.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await ended.wait()

    async def test_a_message_that_is_not_varlink_ends_the_connection(self):
        for garbage in [b"{\0", b"[]\0", b"\xff\0", b"[" * 100_000 + b"\0"]:
            async def answer(peer):
                await peer.call()
                peer.writer.write(garbage)
                await peer.end()

            with self.subTest(garbage[:10]), self.assertRaisesRegex(locationd.ServiceUnavailable, "not Varlink"):
                await locationd.authorization(socket=await self.service(answer))

    async def test_errors_have_a_class_and_a_sentence(self):
        rows = [
            ("org.locationd.Authorization.ClientNotDeclared", {"message": "Declare it."}, locationd.NotDeclared, "Declare it."),
            ("org.locationd.Authorization.NoAgent", {"message": "Run one."}, locationd.NotAnswered, "Run one."),
            ("org.locationd.Location.LocationUnavailable", {"reason": "No fix."}, locationd.LocationUnavailable, "No fix."),
            ("org.locationd.Location.LimitExceeded", {"limit": "L", "value": 3}, locationd.LimitExceeded,
             "The location service allows no more: L is 3."),
            ("org.varlink.service.InvalidParameter", {"parameter": "timeout"}, ValueError,
             "timeout is out of its range: above 0 and at most 3600 seconds."),
            ("org.varlink.service.InvalidParameter", {"parameter": "desiredAccuracy"}, locationd.InvalidParameter,
             "accuracy is out of its range: above 0 and at most 100,000,000 m."),
            ("org.varlink.service.InvalidParameter", {"parameter": "x"}, ValueError, "x is not valid."),
            ("org.locationd.Manager.NotAManager", {"message": "Not you."}, locationd.PermissionDenied, "Not you."),
            ("org.varlink.service.PermissionDenied", {}, locationd.PermissionDenied,
             "Only root, or the user that locationd runs as, may do this."),
            ("org.locationd.Authorization.MissingUsageDescription", {"key": "K", "file": "/f", "message": "Add K."},
             locationd.MissingUsageDescription, "Add K."),
            ("org.locationd.Manager.NoSuchClient", {"client": "x"}, locationd.ServiceError,
             "The location service answered with org.locationd.Manager.NoSuchClient."),
        ]
        for name, parameters, kind, sentence in rows:
            async def answer(peer):
                await peer.call()
                await peer.reply(parameters, error=name)

            with self.subTest(name), self.assertRaises(kind) as raised:
                await locationd.call("org.locationd.Manager.Explain", socket=await self.service(answer))
            self.assertIsInstance(raised.exception, locationd.LocationError)
            for member in {"key", "file", "limit", "value"} & parameters.keys():
                if not isinstance(raised.exception, locationd.ServiceError):
                    self.assertEqual(getattr(raised.exception, member), parameters[member])
            self.assertEqual(str(raised.exception), sentence)

    async def test_without_a_service_the_error_names_a_command(self):
        for call in [locationd.authorization(socket="/nonexistent"), anext(locationd.updates(socket="/nonexistent"))]:
            with self.assertRaisesRegex(locationd.ServiceUnavailable, "/nonexistent.*run: locationctl doctor$"):
                await call


class ServiceTests(unittest.IsolatedAsyncioTestCase):
    """The service itself, which replays a track."""

    CLIENT = "org.example.Python"

    async def asyncSetUp(self):
        await self.enterAsyncContext(asyncio.timeout(LIMIT))

    def daemon(self, *source, declared=True):
        daemon = self.enterContext(Daemon(*source))
        if declared:
            daemon.declare(self.CLIENT, Executable=PYTHON)
            daemon.locationctl("config", "reload")
        self.socket = daemon.socket
        return daemon

    async def test_locations_continue_after_a_restart(self):
        daemon = self.daemon()
        async with contextlib.aclosing(locationd.updates(socket=self.socket)) as stream:
            async def next_location():
                while not (update := await anext(stream)).location:
                    pass
                return update.location

            before = await next_location()
            self.assertEqual((before.latitude, before.longitude, before.altitude, before.is_simulated),
                             (LATITUDE, LONGITUDE, 100.5, True))
            await asyncio.to_thread(daemon.stop)
            while (await anext(stream)).diagnostic != "serviceUnavailable":
                pass
            await asyncio.to_thread(daemon.start)
            self.assertEqual((await next_location()).latitude, LATITUDE)

    async def test_location_and_its_errors(self):
        daemon = self.daemon()
        self.assertEqual((await locationd.location(timeout=10, socket=self.socket)).longitude, LONGITUDE)
        with self.assertRaises(locationd.InvalidParameter):
            await locationd.location(timeout=-5, socket=self.socket)
        found = await locationd.authorization(socket=self.socket)
        self.assertEqual((found.client, found.status, found.accuracy), (self.CLIENT, "authorizedAlways", "full"))
        status = await locationd.call("org.locationd.Manager.GetServiceStatus", socket=self.socket)
        self.assertTrue(status["isEnabled"])

        daemon.locationctl("deny", self.CLIENT)
        with self.assertRaises(locationd.NotAuthorized) as raised:
            await locationd.location(socket=self.socket)
        self.assertEqual((raised.exception.status, raised.exception.reason), ("denied", "deniedByUser"))
        with self.assertRaises(locationd.NotAuthorized) as raised:
            await anext(locationd.locations(socket=self.socket))
        self.assertEqual((raised.exception.status, raised.exception.reason), ("denied", "deniedByUser"))

    async def test_geofences(self):
        daemon = self.daemon()
        monitor = locationd.Monitor("errands", socket=self.socket)
        await monitor.add("here", LATITUDE, LONGITUDE, 500)
        await monitor.add("left", LATITUDE + 1, LONGITUDE, assuming="satisfied")
        await monitor.add("known", LATITUDE, LONGITUDE, 500, assuming="satisfied")
        with self.assertRaisesRegex(locationd.InvalidParameter, "radius"):
            await monitor.add("none", LATITUDE, LONGITUDE, 0)

        async def changes(count):
            async with contextlib.aclosing(monitor.events()) as events:
                changes = {}
                while len(changes) < count:
                    event = await anext(events)
                    self.assertIsNone(event.diagnostic)
                    if event.identifier:
                        changes[event.identifier] = event.state
                return changes

        self.assertEqual(await changes(2), {"here": "satisfied", "left": "unsatisfied"})
        # They outlive the service, and a change while nobody listens is told later.
        await asyncio.to_thread(daemon.stop)
        await asyncio.to_thread(daemon.start)
        self.assertEqual([event.identifier for event in await monitor.states()], ["here", "known", "left"])
        await monitor.remove("here")
        await monitor.add("far", LATITUDE + 2, LONGITUDE)
        self.assertEqual(await changes(1), {"far": "unsatisfied"})
        self.assertEqual([event.identifier for event in await locationd.Monitor("other", socket=self.socket).states()], [])

    async def test_a_program_without_a_declaration_is_told_how_to_declare_it(self):
        self.daemon(declared=False)
        for call in [locationd.location(socket=self.socket), anext(locationd.locations(socket=self.socket)),
                     anext(locationd.updates(socket=self.socket))]:
            with self.assertRaisesRegex(locationd.NotDeclared, "locationctl clients add"):
                await call

    async def test_no_fix_in_time(self):
        self.daemon("--gpsd", "/nonexistent")
        with self.assertRaises(locationd.LocationUnavailable):
            await locationd.location(timeout=0.2, socket=self.socket)

    async def test_ten_lines_print_locations(self):
        daemon = self.daemon()
        program = pathlib.Path(__file__).with_name("where.py")
        self.assertLessEqual(len(program.read_text().splitlines()), 10)
        process = subprocess.Popen(
            [sys.executable, "-u", program], stdout=subprocess.PIPE, text=True,
            env=os.environ | {"LOCATIOND_SOCKET": daemon.socket, "PYTHONPATH": str(REPOSITORY / "Config/packaging/python")})
        lines = await asyncio.to_thread(lambda: [process.stdout.readline() for _ in range(3)])
        process.kill()
        process.communicate()
        for line in lines:
            self.assertRegex(line, r"^12\.34568 98\.76543 ± [\d.]+ m\n$")


class PackageTests(unittest.TestCase):
    def test_every_type_is_stated(self):
        result = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", REPOSITORY / "Config/packaging/python/locationd"],
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_release_is_that_of_the_service(self):
        release = re.search(r'serviceVersion = "(.*)"',
                            (REPOSITORY / "Sources/Client/LocationInterface/Release.swift").read_text())[1]
        self.assertIn(f'\nversion = "{release}"\n', (REPOSITORY / "Config/packaging/python/pyproject.toml").read_text())


if __name__ == "__main__":
    unittest.main()
