import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import Logging
import NIOCore
import Testing

@testable import LocationCore
@testable import Varlink

/// Rules of hours and of intervals.
@Suite("Rules of time", .timeLimit(.minutes(10)))
struct TimeRuleTests {
    /// On 2026-03-29 at 01:00 UTC, clocks in Berlin go from 02:00 to 03:00.
    @Test("rules of time follow the wall clock: its settings, the time zone and daylight saving time")
    func wallClock() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            daemon.setZone { $0 < Timestamp("2026-03-29T01:00:00Z")! ? 3600 : 7200 }
            try await daemon.setClock(to: Timestamp("2026-03-29T00:30:00Z")!)
            // From 03:00 to 04:00 in Berlin is one hour from 01:00 UTC on this day.
            try await daemon.addRule(#"{"hours":"03:00-04:00","deny":true}"#, by: manager)
            let awaited = try await daemon.onLoop { [wallClock = daemon.wallClock] _ in wallClock.awaited }
            let change = Timestamp("2026-03-29T01:00:00Z")!
            #expect(awaited == Duration.nanoseconds(change.nanosecondsSince1970))
            let map = try await daemon.subscribe(as: .map)
            var second: Int64 = 0
            func isDelivered() async throws -> Bool {
                second += 1
                try await daemon.emit(.fix(Double(second), second: second))
                let subscription = try await daemon.onLoop { core in
                    core.table.users[4242]?.clients["org.example.Map"]?.evaluation(isInUse: false).access
                }
                return subscription == .permitted(.full)
            }
            /// Passes over locations, which may come again.
            func expectDenied() async throws {
                var told = try await map.next()
                while told["parameters"]?["location"] != nil { told = try await map.next() }
                #expect(told["parameters"]?["diagnostic"] == .string("authorizationDenied"))
            }
            #expect(try await isDelivered())
            #expect(try await map.nextLatitude() != nil)
            // Nobody tells of the time: what is delivered follows the clock all the same.
            daemon.setClock(ahead: Timestamp("2026-03-29T01:00:01Z")!.duration(since: .now()))
            #expect(try await !isDelivered())
            try await daemon.reportClockChange()
            try await expectDenied()
            try await daemon.setClock(to: Timestamp("2026-03-29T02:00:01Z")!)
            #expect(try await isDelivered())
            #expect(try await map.nextLatitude() != nil)
            // Set back, and the night is there again.
            try await daemon.setClock(to: Timestamp("2026-03-29T01:30:00Z")!)
            try await expectDenied()
            // In London it is 02:30.
            daemon.setZone { _ in 3600 }
            try await daemon.reportClockChange()
            #expect(try await isDelivered())
            #expect(try await map.nextLatitude() != nil)
        }
    }

    @Test("an interval is measured by the monotonic clock, for all connections of a client together")
    func interval() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            try await daemon.addRule(#"{"minimumInterval":3600,"clients":["org.example.Map"]}"#, by: manager)
            let doorbell = try await daemon.subscribe(as: .doorbell)
            let map = try await daemon.subscribe(as: .map)
            try await daemon.emit(.fix(0, second: 0))
            #expect(try await map.nextLatitude() == 48)
            _ = try await doorbell.nextLatitude()
            for second in 1...3 {
                let days = Int64(second) * 86_400
                try await daemon.setClock(to: Timestamp.now().advanced(by: .seconds(days)))
                try await daemon.emit(.fix(Double(second) * 100, second: Int64(second)))
                #expect(try await doorbell.nextLatitude() ?? 0 > 48.0005)
            }
            // Another connection, and a request, get the one that was delivered.
            let other = try await daemon.subscribe(as: .map)
            #expect(try await other.nextLatitude() == 48)
            let asking = try await daemon.connect(as: .map)
            try await asking.call("Location.GetLocation")
            #expect(try await asking.nextLatitude() == 48)
            await map.close()
            await other.close()
            let again = try await daemon.subscribe(as: .map)
            #expect(try await again.nextLatitude() == 48)
            try await daemon.finishDiskWork()
            let kept = try await daemon.onLoop { $0.disk }.read(historyDays: 30).pacedReleases
            #expect(kept.keys.map(\.client) == ["org.example.Map"])
        }
    }

    @Test("an exact location that a rule repeats for an interval is not released once the accuracy is reduced")
    func exactThenReducedWithinInterval() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.map, .doorbell]) { daemon in
            let manager = try await daemon.connect(as: .agent)
            try await daemon.addRule(#"{"minimumInterval":3600,"clients":["org.example.Map"]}"#, by: manager)
            let map = try await daemon.subscribe(as: .map)
            try await daemon.emit(.fix(0, second: 0))
            #expect(try await map.nextLatitude() == 48)
            let before = try await daemon.subscribe(as: .map)
            #expect(try await before.nextLatitude() == 48, "it is repeated")
            try await daemon.change("SetAccuracy", #"{"client":"org.example.Map","accuracy":"reduced"}"#, by: manager)
            let after = try await daemon.subscribe(as: .map)
            let asking = try await daemon.connect(as: .map)
            try await asking.call("Location.GetLocation", #"{"timeout":5}"#)
            for second in 1...3 {
                try await daemon.emit(.fix(Double(second) * 100, second: Int64(second)))
                await daemon.turnClock(by: .seconds(1))
                try await daemon.finishDiskWork()
            }
            await daemon.turnClock(by: .seconds(5))
            for peer in [map, before, after, asking] {
                for message in try await peer.messages() {
                    let location = try json(message)["parameters"]?["location"]
                    #expect(location == nil || location?["horizontalAccuracy"]?.number ?? 0 > 1000, "\(message)")
                }
            }
        }
    }

    @Test("a daemon that restarts releases no further location within the interval")
    func restart() throws {
        let now = Timestamp.now()
        for (age, isAllowed) in [(0, false), (3599, false), (3601, true), (-86_400, false)] {
            var stored = DecisionStore.StoredState()
            let key = ClientKey(userID: 1, client: "a")
            stored.pacedReleases[key] = now.advanced(by: .seconds(-age))
            let rules = RuleDirectory(clock: RuleClock(now: { now }), newest: { nil }, logger: .init(label: "test"))
            rules.adopt(stored)
            let pace = rules.rules(of: 1).pace(of: "a")
            #expect(pace.allows(1, at: .now, interval: .seconds(3600)) == isAllowed, "\(age)")
        }
    }
}
