import DaemonTestSupport
import LocationModel
import LocationSources
import NIOCore
import Testing

@testable import Varlink

/// The clock on the wall is set by a year, forwards and backwards. Nothing but what is written down goes by it.
@Suite("Clock jumps", .timeLimit(.minutes(10)))
struct ClockTests {
    private static let year = Duration.seconds(365 * 86_400)

    @Test("deliveries and answers continue", arguments: Transport.allCases)
    func deliveries(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.subscribe()
            for (number, ahead) in [.zero, Self.year, .zero - Self.year, Self.year * 2, .zero].enumerated() {
                daemon.setClock(ahead: ahead)
                try await daemon.emit(Fix(number: number).event)
                try await peer.expect(Fix(number: number).delivery())
                let asking = try await daemon.connect()
                try await asking.call("Location.GetLocation")
                try await asking.expect(Fix(number: number).answer)
            }
        }
    }

    @Test("the history contains the clock's times, and no access ends before it began")
    func history() async throws {
        // On a loop whose clock stands still nothing is written, and so nothing old deleted, before it is asked for.
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peer = try await daemon.subscribe()
            // A correction by a second is the same access.
            let clocks: [Duration] = [.zero, .seconds(-1), Self.year, .zero - Self.year, .zero]
            for (number, ahead) in clocks.enumerated() {
                daemon.setClock(ahead: ahead)
                try await daemon.emit(Fix(number: number).event)
                try await peer.expect(Fix(number: number).delivery())
            }
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 4242))
            try await manager.call("Manager.ListAccess")
            try await daemon.finishDiskWork()
            let reply = try await manager.next()
            guard case .array(let sessions) = reply["parameters"]?["sessions"] else {
                Issue.record("no list: \(reply)")
                return
            }
            #expect(sessions.compactMap { $0["count"]?.number }.sorted() == [1, 1, 1, 2])
            let years = try sessions.map { session in
                guard case .string(let from) = session["from"], case .string(let to) = session["to"] else {
                    throw CancellationError()
                }
                let (start, end) = (try #require(Timestamp(from)), try #require(Timestamp(to)))
                #expect(start <= end)
                return (Double(end.nanosecondsSince1970 - Timestamp.now().nanosecondsSince1970) / 1e9 / 31_536_000)
                    .rounded()
            }
            #expect(years.sorted() == [-1, 0, 0, 1])
        }
    }
}

/// The clock of a receiver is wrong, and then set: back by 30 s, by 1,024 weeks, ahead by years; or it stands still.
@Suite("Clocks of receivers", .timeLimit(.minutes(10)))
struct ReceiverClockTests {
    private static let steps: [Int64] = [-30, -619_315_200, 599_594_400, 0]

    @Test(
        "a place is entered and left while the clock is wrong and when it is right again, each dated by it",
        arguments: steps)
    func conditions(step: Int64) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            try await stream.expectEvent("satisfied", try await daemon.stay(at: 0, from: 0))
            await daemon.turnClock(by: .seconds(120))
            try await stream.expectEvent("unsatisfied", try await daemon.stay(at: 5, from: step))
            await daemon.turnClock(by: .seconds(120))
            // The clock is set between two fixes of one place.
            try await daemon.emit(Fix(number: 0, later: 240 + step).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 241).event)
            try await daemon.finishDiskWork()
            try await stream.expectEvent("satisfied", Fix(number: 0, later: 241).time)
        }
    }

    @Test("the history dates an access by the machine's clock, whatever the receiver's says", arguments: steps)
    func history(step: Int64) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peer = try await daemon.subscribe()
            for (number, later) in [0, step, step + 1, 3].enumerated() {
                let fix = Fix(number: number, later: later)
                try await daemon.emit(fix.event)
                try await peer.expect(fix.delivery())
            }
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 4242))
            try await manager.call("Manager.ListAccess")
            try await daemon.finishDiskWork()
            let reply = try await manager.next()
            guard case .array(let sessions) = reply["parameters"]?["sessions"], let session = sessions.first,
                case .string(let from) = session["from"], case .string(let to) = session["to"]
            else {
                Issue.record("no session: \(reply)")
                return
            }
            #expect(sessions.count == 1 && session["count"]?.number == 4)
            let (start, end) = (try #require(Timestamp(from)), try #require(Timestamp(to)))
            #expect(start <= end && abs(end.duration(since: .now()) / .seconds(1)) < 3600)
        }
    }
}
