import LocationModel
import LocationSources
import Testing

@testable import Varlink

/// The clock on the wall is set by a year, forwards and backwards. Nothing but what is written down goes by it.
@Suite("Clock jumps", .timeLimit(.minutes(5)))
struct ClockTests {
    private static let year = Duration.seconds(365 * 86_400)

    @Test("deliveries and answers go on", arguments: Transport.allCases)
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

    @Test("the history says when by the clock of the time, and no access ends before it began")
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
