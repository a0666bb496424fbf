import DaemonTestSupport
import GPSDProtocol
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationDaemon
@testable import PeerIdentification
@testable import Varlink
@testable import VarlinkFrontEnd

/// What a reload puts into force besides the declarations, and when the daemon may end.
@Suite("Settings", .timeLimit(.minutes(10)))
struct SettingsTests {
    @Test("another gpsd in the configuration is the source from then on", arguments: Transport.allCases)
    func source(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            var needs = daemon.source.needs.makeAsyncIterator()
            var nextNeeds = daemon.nextSource.needs.makeAsyncIterator()
            let peer = try await daemon.subscribe()
            #expect(await needs.next() == true)
            try await daemon.emit(Fix(number: 1).event)
            try await peer.expect(Fix(number: 1).delivery())
            // What has not changed is left alone.
            try await daemon.reload { $0.daemon.promptTimeout = 5 }
            try await daemon.reload { $0.daemon.gpsd = [.init(.unix(path: "/run/gpsd-client.sock"))] }
            #expect(await needs.next() == nil, "it was shut down")
            #expect(await nextNeeds.next() == true)
            try await daemon.emit(Fix(number: 2).event)
            try await peer.expect(Fix(number: 2).delivery())
            #expect(daemon.log.lines.count { $0.contains("Locations come from") } == 1)
        }
    }

    @Test("connections keep the limits of their start; new ones have the new limits")
    func limits() async throws {
        try await DaemonUnderTest.run(.socket) { daemon in
            let long = #"{"x":"\#(String(repeating: "x", count: 10_000))"}"#
            let before = try await daemon.connect()
            _ = try await before.ask("Authorization.GetStatus")
            try await daemon.reload { $0.daemon.limits.messageSize = 4096 }
            let after = try await daemon.connect()
            _ = try await after.ask("Authorization.GetStatus")
            try await after.call("Authorization.GetStatus", long)
            try await after.expectError(
                "org.locationd.Location.LimitExceeded",
                ["limit": .string("MessageSize"), "value": .integer(4096)])
            #expect(
                try await before.ask("Authorization.GetStatus", long)["error"]
                    == .string("org.varlink.service.InvalidParameter"), "read, and x is unknown")
        }
    }

    @Test("where few files may be open, each user but an administrator has a share of them")
    func fileLimit() async throws {
        try await DaemonUnderTest.run(.socket) { daemon in
            func limits() async throws -> [Int] {
                try await daemon.onLoop { core in
                    [4242, 0, geteuid()].map { core.connectionLimit(of: $0) }
                }
            }
            #expect(try await limits() == [2048, 2048, 2048])
            for (files, share) in [(256, 48), (1024, 240), (64, 4), (0, 4), (8256, 2048)] {
                try await daemon.onLoop { $0.limitConnections(byFiles: files) }
                #expect(try await limits() == [share, 2048, 2048])
            }
            #expect(daemon.log.lines.count { $0.contains("LimitNOFILE=") } == 4)
            #expect(
                daemon.log.lines.contains { $0.contains("ConnectionsPerUser is 48 instead of 2048 for all but root") })
            // A lower setting counts.
            try await daemon.onLoop { $0.limitConnections(byFiles: 1024) }
            try await daemon.reload { $0.daemon.limits.connectionsPerUser = 7 }
            #expect(try await limits() == [7, 7, 7])
        }
    }

    @Test("a reduced location is remembered for a quarter of an hour, and so keeps the daemon")
    func dispensable() async throws {
        let policy = ClientPolicy.preset(.always, accuracy: .reduced)
        let clients = [ClientDeclaration.example(policy: policy), .example("org.example.B", executable: "/b")]
        try await DaemonUnderTest.run(.socket, clients: clients) { daemon in
            let exact = try await daemon.subscribe(as: .example("/b"))
            try await daemon.emit(Fix(number: 1).event)
            try await exact.expect(Fix(number: 1).delivery())
            #expect(try await !daemon.isIdle(), "somebody is connected")
            try await daemon.wait(
                for: "an idle daemon", after: { await exact.close() }, until: { $0.isIdle(at: .now) })

            let reduced = try await daemon.subscribe()
            try await reduced.expect(diagnostic("accuracyLimited"))
            try await daemon.emit(Fix(number: 2).event)
            #expect(try await reduced.next()["parameters"]?["location"] != nil)
            try await daemon.wait(connections: 0) { await reduced.close() }
            #expect(try await daemon.isIdle(after: AccuracyReduction.interval))
            #expect(try await !daemon.isIdle())
            #expect(try await !daemon.isIdle(after: .seconds(14 * 60)))
        }
    }
}
