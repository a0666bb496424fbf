import DaemonTestSupport
import LocationConditions
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Testing

@testable import LocationCore
@testable import Varlink

/// The receiver sleeps while only conditions, visits and significant changes are wanted.
@Suite("Sleep of the receiver", .timeLimit(.minutes(10))) struct ReceiverSleepTests {
    @Test("far from all borders it sleeps, wakes in time, and stays on near one")
    func sleeps() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            #expect(try await daemon.demand() == .continuous, "after an addition")
            // 22 km away, and not deciding any more.
            try await daemon.stay(at: 200, from: 0)
            await daemon.turnClock(by: .seconds(61))
            try await daemon.emit(Fix(number: 200, later: 62).event)
            #expect(try await daemon.demand() == .off)
            await daemon.turnClock(by: .seconds(300))
            #expect(try await daemon.demand() == .off)
            await daemon.turnClock(by: .seconds(240))
            #expect(try await daemon.demand() == .continuous, "40 m/s would be there")
            try await daemon.emit(Fix(number: 3, later: 700).event)
            #expect(try await daemon.demand() == .continuous, "near the border")
        }
    }

    @Test("a receiver that needed 30 s for its first fix after a sleep is started that much earlier the next time")
    func slowStart() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            var seconds: Int64 = 0
            /// The seconds from a fix 22 km away until the receiver is started.
            func sleep() async throws -> Int {
                try await daemon.emit(Fix(number: 200, later: seconds).event)
                var asleep = 0
                while try await daemon.demand() == .off, asleep < 1000 {
                    await daemon.turnClock(by: .seconds(1))
                    asleep += 1
                }
                seconds += Int64(asleep)
                return asleep
            }
            // A slow start after the addition does not count.
            await daemon.turnClock(by: .seconds(30))
            try await daemon.stay(at: 200, from: 30)
            await daemon.turnClock(by: .seconds(61))
            seconds = 95
            let usual = try await sleep()
            #expect((500..<600).contains(usual))
            await daemon.turnClock(by: .seconds(30))
            seconds += 30
            #expect(abs(usual - (try await sleep()) - 20) <= 1)
        }
    }

    @Test("a search without a fix ends after a minute and is repeated")
    func searches() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            #expect(try await daemon.demand() == .continuous)
            await daemon.turnClock(by: .seconds(61))
            #expect(try await daemon.demand() == .off)
            await daemon.turnClock(by: .seconds(31))
            #expect(try await daemon.demand() == .continuous)
        }
    }

    @Test("it does not sleep while a client needs locations, and no location is lost by sleeping")
    func otherNeeds() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let subscriber = try await daemon.subscribe()
            try await daemon.stay(at: 200, from: 0)
            await daemon.turnClock(by: .seconds(61))
            try await daemon.emit(Fix(number: 200, later: 62).event)
            #expect(try await daemon.demand() == .continuous)
            await subscriber.close()
            try await daemon.emit(Fix(number: 200, later: 63).event)
            #expect(try await daemon.demand() == .off)
        }
    }

    @Test("it sleeps as far as a coarse need of others permits, which is served")
    func coarseNeed() async throws {
        let clients: [ClientDeclaration] = [
            .example(),
            .example("org.example.Reduced", executable: "/reduced", policy: .preset(.always, accuracy: .reduced)),
        ]
        try await DaemonUnderTest.run(.inProcess, clients: clients) { daemon in
            _ = try await daemon.addCondition()
            _ = try await daemon.subscribe(as: .example("/reduced"))
            #expect(try await daemon.demand() == .continuous)
            try await daemon.stay(at: 200, from: 0)
            await daemon.turnClock(by: .seconds(61))
            try await daemon.emit(Fix(number: 200, later: 62).event)
            #expect(try await daemon.demand() == .coarse)
            await daemon.turnClock(by: .seconds(540))
            #expect(try await daemon.demand() == .continuous)
        }
    }

    @Test("for significant changes it sleeps until 500 m or five minutes can have passed")
    func significantChanges() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peer = try await daemon.subscribe(#"{"significantChanges":true}"#)
            #expect(try await daemon.demand() == .coarse)
            try await daemon.emit(Fix(number: 0).event)
            try await peer.expect(Fix(number: 0).delivery())
            #expect(try await daemon.demand() == .off)
            await daemon.turnClock(by: .seconds(61))
            #expect(try await daemon.demand() == .coarse)
            try await daemon.emit(Fix(number: 5, later: 61).event)
            try await peer.expect(Fix(number: 5, later: 61).delivery())
            #expect(try await daemon.demand() == .off)
            await peer.close()
            await daemon.turnClock(by: .seconds(600))
            #expect(try await daemon.demand() == .off)
        }
    }

    @Test("after half an hour without a fix the states are unknown, which is reported")
    func loss() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            try await daemon.stay(at: 0, from: 0)
            #expect(try await stream.next()["parameters"]?["event"]?["state"] == .string("satisfied"))
            for _ in 0..<5 { await daemon.turnClock(by: .minutes(10)) }
            try await daemon.finishDiskWork()
            #expect(try await stream.next()["parameters"]?["event"]?["state"] == .string("unknown"))
        }
    }
}
