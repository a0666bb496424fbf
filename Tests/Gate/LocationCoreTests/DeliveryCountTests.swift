import DaemonTestSupport
import LocationModel
import LocationPolicy
import LocationSources
import Testing

@testable import Varlink

/// What the daemon says became of every location is what its clients have seen.
@Suite("Delivery counts", .timeLimit(.minutes(10)))
struct DeliveryCountTests {
    private func deliveries(_ daemon: DaemonUnderTest, to user: UInt32 = 0) async throws -> [String: JSONValue]? {
        let manager = try await daemon.connect(as: .example(nil, user: user))
        let reply = try await manager.ask("Manager.GetServiceStatus")
        await manager.close()
        guard case .object(let counts) = reply["parameters"]?["deliveries"] else { return nil }
        return counts
    }

    private func expect(_ expected: [String: Int64], of daemon: DaemonUnderTest) async throws {
        let counts = try #require(try await deliveries(daemon))
        for (name, count) in expected { #expect(counts[name] == .integer(count), "\(name)") }
        func sum(_ names: String...) -> Double { names.reduce(0) { $0 + (counts[$1]?.number ?? .nan) } }
        #expect(sum("offered", "repeated") == sum("delivered", "skipped", "filtered", "forbidden"))
    }

    @Test(
        "each location is counted as delivered, filtered or forbidden for each subscription",
        arguments: Transport.allCases)
    func each(transport: Transport) async throws {
        let clients: [ClientDeclaration] = [
            .example(), .example("org.example.No", executable: "/no", policy: .restricted),
        ]
        try await DaemonUnderTest.run(transport, clients: clients) { daemon in
            let peer = try await daemon.subscribe()
            // A thousandth of a degree of latitude is 111 m.
            _ = try await daemon.subscribe(#"{"distanceFilter":300}"#)
            _ = try await daemon.subscribe(as: .example("/no"))
            for number in 0..<6 {
                try await daemon.emit(Fix(number: number).event)
                try await peer.expect(Fix(number: number).delivery())
            }
            try await expect(
                ["publications": 6, "offered": 18, "repeated": 0, "delivered": 8, "filtered": 4, "forbidden": 6],
                of: daemon)

            // Who comes later is told what is known.
            try await daemon.subscribe().expect(Fix(number: 5).delivery())
            let asking = try await daemon.connect()
            try await asking.call("Location.GetLocation")
            try await asking.expect(Fix(number: 5).answer)
            try await expect(
                ["publications": 6, "offered": 18, "repeated": 1, "delivered": 9, "answered": 1], of: daemon)
        }
    }

    @Test("of reduced locations one is delivered in a quarter of an hour; the others are filtered")
    func reduced() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.example(policy: .preset(.always, accuracy: .reduced))]) {
            daemon in
            let peer = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            _ = try await locationTime(peer)
            for number in 2...5 { try await daemon.emit(Fix(number: number).event) }
            // The secret may have been read before the first fix came or after it.
            let counts = try #require(try await deliveries(daemon))
            #expect(counts["delivered"] == .integer(1))
            #expect(counts["repeated"] == .integer(counts["filtered"] == .integer(4) ? 0 : 1))
            try await expect(["publications": 5, "offered": 5], of: daemon)
        }
    }

    @Test("the number that a slow reader is sent is that of the skipped locations", arguments: Transport.allCases)
    func skipped(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let (slow, other) = (try await daemon.subscribe(), try await daemon.subscribe())
            try await slow.stopReading()
            for number in 1...300 {
                try await daemon.emit(Fix(number: number).event)
                try await other.expect(Fix(number: number).delivery())
            }
            try await slow.resumeReading()
            var (delivered, skipped) = (Int64(0), Int64(0))
            var last: JSONValue?
            while last != .string(Fix(number: 300).time) {
                let reply = try await slow.next()
                last = reply["parameters"]?["location"]?["timestamp"]
                delivered += 1
                if case .integer(let count) = reply["parameters"]?["skipped"] { skipped += count }
            }
            #expect(skipped > 0)
            try await expect(["offered": 600, "delivered": 300 + delivered, "skipped": skipped], of: daemon)
        }
    }

    @Test("the counts are for root and the daemon's own user")
    func permission() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let (own, other) = (try await deliveries(daemon), try await deliveries(daemon, to: 4242))
            #expect(own != nil)
            #expect(other == nil)
            for (user, isOwn) in [(UInt32(0), true), (4242, false)] {
                let manager = try await daemon.connect(as: .example(nil, user: user))
                let inUse = try await manager.ask("Manager.GetServiceStatus")["parameters"]?["memoryInUse"]
                // How much it is, the soak looks at; a sanitizer's allocator says 0.
                #expect((inUse == nil) != isOwn)
            }
        }
    }
}
