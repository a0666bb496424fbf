import DaemonTestSupport
import LocationConditions
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Visits at the daemon's border.
@Suite("Visits of a client", .timeLimit(.minutes(10))) struct VisitTests {
    /// Six minutes at a place, with a fix each half minute.
    private func linger(_ daemon: DaemonUnderTest, at number: Int, from later: Int64) async throws {
        for step in 0...12 {
            try await daemon.emit(Fix(number: number, later: later + Int64(step) * 30).event)
            await daemon.turnClock(by: .seconds(30))
        }
        try await daemon.finishDiskWork()
    }

    @Test(
        "a visit is reported on arrival and with its departure; after a restart it continues, and unreported visits are sent"
    )
    func visit() async throws {
        let directory = try TemporaryDirectory()
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            let stream = try await daemon.connect()
            try await stream.call("Monitor.WatchVisits", more: true)
            try await stream.expectWatched()
            #expect(try await daemon.demand() == .continuous)
            try await linger(daemon, at: 0, from: 0)
            let visit = try await stream.next()["parameters"]?["visit"]
            #expect(visit?["arrival"] == .string(Fix(number: 0).time))
            #expect(visit?["departure"] == nil)
            await stream.close()
            try await daemon.finishDiskWork()
        }
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            #expect(try await !daemon.isIdle(), "visits are watched without a client")
            // Left while nobody was connected.
            try await daemon.stay(at: 9, from: 1000)
            let stream = try await daemon.connect()
            try await stream.call("Monitor.WatchVisits", more: true)
            try await stream.expectWatched()
            let visit = try await stream.next()["parameters"]?["visit"]
            #expect(visit?["arrival"] == .string(Fix(number: 0).time))
            #expect(visit?["departure"] != nil)
            try await daemon.finishDiskWork()
            await stream.close()
            let next = try await daemon.connect()
            try await next.call("Monitor.WatchVisits", more: true)
            try await next.expectWatched()
            #expect(try await next.receive() == nil, "each is told once")
            let other = try await daemon.connect()
            try await other.call("Monitor.StopVisits")
            try await daemon.finishDiskWork()
            #expect(try await other.next() == json(#"{"parameters":{}}"#))
            #expect(try await daemon.demand() == .off)
        }
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            let isIdle = try await daemon.isIdle()
            #expect(isIdle)
        }
    }

    @Test("a denied client gets no visit, and a visit from before its access begins with the access")
    func denied() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let stream = try await daemon.connect()
            try await stream.call("Monitor.WatchVisits", more: true)
            try await stream.expectWatched()
            try await daemon.setAuthorization("denied")
            try await stream.expect(diagnostic("authorizationDenied"))
            try await linger(daemon, at: 0, from: 0)
            #expect(try await stream.receive() == nil)
            try await daemon.setAuthorization("authorizedAlways")
            try await stream.expectWatched()
            try await linger(daemon, at: 0, from: 1000)
            let visit = try await stream.next()["parameters"]?["visit"]
            #expect(visit?["arrival"] == .string(Fix(number: 0, later: 1000).time))
        }
    }
}
