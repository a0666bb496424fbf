import DaemonTestSupport
import LocationSources
import NIOCore
import Testing

@testable import Varlink

@Suite("GetLocation", .timeLimit(.minutes(10)))
struct RequestTests {
    @Test("a request waits for the next location", arguments: Transport.allCases)
    func waitsForTheNextLocation(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            let peer = try await daemon.connect()
            try await peer.call("Location.GetLocation")
            #expect(await needs.next() == true)
            try await daemon.emit(Fix(number: 1, accuracy: nil).event)
            try await peer.expect(Fix(number: 1, accuracy: nil).answer)
        }
    }

    @Test(
        "a request is answered at once with a current location of the desired accuracy", arguments: Transport.allCases)
    func currentAccurateLocationAnswersAtOnce(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let subscriber = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1, accuracy: 8).event)
            try await subscriber.expect(Fix(number: 1, accuracy: 8).delivery())
            let peer = try await daemon.connect()
            try await peer.call("Location.GetLocation", #"{"desiredAccuracy":8}"#)
            try await peer.expect(Fix(number: 1, accuracy: 8).answer)
        }
    }

    @Test("a request without a location fails after its timeout", arguments: Transport.allCases)
    func givesUp(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            let peer = try await daemon.connect()
            try await peer.call("Location.GetLocation", #"{"timeout":0.1}"#)
            #expect(await needs.next() == true)
            await daemon.turnClock(by: .milliseconds(100))
            try await peer.expectError("org.locationd.Location.LocationUnavailable")
            #expect(await needs.next() == false)
        }
    }

    @Test("a timeout reports why there is no fix")
    func reasons() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            let peer = try await daemon.connect()
            for (event, words) in [
                (nil, "receiver is starting"), (.unavailable(.starting), "receiver is starting"),
                (.unavailable(.silent), "has stopped reporting"),
                (.unavailable(.notConnected), "gpsd cannot be reached. To find out why, run: locationctl doctor"),
                (.unavailable(.noReceiver), "no receiver"), (.unavailable(.noFix), "receiver has no fix"),
            ] as [(SourceEvent?, String)] {
                try await peer.call("Location.GetLocation", #"{"timeout":1}"#)
                #expect(await needs.next() == true)
                if let event { try await daemon.emit(event) }
                await daemon.turnClock(by: .seconds(1))
                let reply = try await peer.next()
                #expect(reply["error"] == .string("org.locationd.Location.LocationUnavailable"))
                guard case .string(let reason) = reply["parameters"]?["reason"] else {
                    Issue.record("no reason")
                    return
                }
                #expect(reason.contains(words))
                #expect(await needs.next() == false)
            }
        }
    }

    @Test("at its timeout a request is answered with the most accurate location", arguments: Transport.allCases)
    func mostAccurateLocationAnswersAtTimeout(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            let peer = try await daemon.connect()
            try await daemon.emitWhenNeeded(
                Fix(number: 1, accuracy: nil).event, Fix(number: 2, accuracy: 20).event,
                Fix(number: 3, accuracy: 10).event, Fix(number: 4, accuracy: 30).event)
            try await peer.call("Location.GetLocation", #"{"timeout":2,"desiredAccuracy":3}"#)
            #expect(await needs.next() == true)
            await daemon.turnClock(by: .seconds(2))
            try await peer.expect(Fix(number: 3, accuracy: 10).answer)
        }
    }

    @Test("a request is answered with the first location of the desired accuracy", arguments: Transport.allCases)
    func firstAccurateLocationAnswers(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            let peer = try await daemon.connect()
            try await peer.call("Location.GetLocation", #"{"desiredAccuracy":10}"#)
            #expect(await needs.next() == true)
            try await daemon.emit(Fix(number: 1, accuracy: 11).event, Fix(number: 2, accuracy: 10).event)
            try await peer.expect(Fix(number: 2, accuracy: 10).answer)
        }
    }

    @Test("a location stays fresh for three seconds without the source, and is not kept over a pause")
    func freshWithoutTheSource() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let subscriber = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            try await subscriber.expect(Fix(number: 1).delivery())
            // While the source is needed, it is the source that reports a stale location.
            await daemon.turnClock(by: .seconds(60))
            let waiting = try await daemon.connect()
            try await waiting.call("Location.GetLocation")
            try await waiting.expect(Fix(number: 1).answer)
            try await daemon.emit(Fix(number: 2).event)
            await subscriber.close()
            await daemon.turnClock(by: .milliseconds(2999))
            try await waiting.call("Location.GetLocation")
            try await waiting.expect(Fix(number: 2).answer)
            #expect(try await daemon.status("isLocationAvailable") == .bool(true))
            await daemon.turnClock(by: .milliseconds(1))
            #expect(try await daemon.status("isLocationAvailable") == .bool(false))
            try await waiting.call("Location.GetLocation")
            #expect(try await waiting.receive() == nil, "the source runs again, but that makes nothing fresh")
            try await daemon.emit(Fix(number: 3).event)
            try await waiting.expect(Fix(number: 3).answer)
            await daemon.turnClock(by: .seconds(4))
            let late = try await daemon.subscribe()
            #expect(try await late.receive() == nil)
            try await daemon.emit(Fix(number: 4).event)
            try await late.expect(Fix(number: 4).delivery())
        }
    }

    @Test("the default timeout is thirty seconds")
    func defaultTimeout() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peer = try await daemon.connect()
            try await peer.call("Location.GetLocation")
            await daemon.turnClock(by: .milliseconds(29_999))
            #expect(try await peer.receive() == nil, "not yet")
            await daemon.turnClock(by: .milliseconds(1))
            try await peer.expectError("org.locationd.Location.LocationUnavailable")
        }
    }

    @Test("a request whose peer disconnects no longer needs the source", arguments: Transport.allCases)
    func disconnectedRequestNeedsNoSource(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            let peer = try await daemon.connect()
            try await peer.call("Location.GetLocation")
            #expect(await needs.next() == true)
            await peer.close()
            #expect(await needs.next() == false)
        }
    }

    @Test("parameters out of range are refused by name", arguments: Transport.allCases)
    func wrongParameters(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.connect()
            for (parameters, wrong) in [
                (#"{"timeout":0}"#, "timeout"), (#"{"timeout":3600.5}"#, "timeout"), (#"{"timeout":[]}"#, "timeout"),
                (#"{"desiredAccuracy":0}"#, "desiredAccuracy"), (#"{"desiredAccuracy":-1}"#, "desiredAccuracy"),
            ] {
                try await peer.call("Location.GetLocation", parameters)
                try await peer.expectError(
                    "org.varlink.service.InvalidParameter", ["parameter": .string(wrong)])
            }
        }
    }

    @Test("an unknown parameter is refused by name, with the likely one", arguments: Transport.allCases)
    func unknownParameters(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.connect()
            func condition(_ shape: String) -> String { #"{"monitor":"m","identifier":"a","condition":\#(shape)}"# }
            let rows = [
                (
                    "Location.Subscribe", #"{"distancefilter":10}"#,
                    "distancefilter (did you mean distanceFilter?)"
                ),
                ("Location.GetLocation", #"{"wait":10}"#, "wait"),
                ("Authorization.GetStatus", #"{"client":"org.example.App"}"#, "client"),
                (
                    "Monitor.AddCondition",
                    condition(#"{"circle":{"latitude":47,"longitude":9,"radios":90}}"#),
                    "condition.circle.radios (did you mean radius?)"
                ),
                (
                    "Monitor.AddCondition",
                    condition(#"{"polygon":{"ring":[{"latitude":47,"longitude":9},{"latitude":1,"lon":2}]}}"#),
                    "condition.polygon.ring[1].lon"
                ),
            ]
            for (method, parameters, parameter) in rows {
                try await peer.call(method, parameters, more: method == "Location.Subscribe")
                try await peer.expectError(
                    "org.varlink.service.InvalidParameter", ["parameter": .string(parameter)])
            }
            try await peer.call("Monitor.ListConditions", #"{"monitor":"m"}"#)
            try await peer.expect(#"{"parameters":{"conditions":[]}}"#)
        }
    }
}
