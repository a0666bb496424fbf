import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Decisions to allow that end by themselves, by the wall clock.
@Suite("Decisions that end", .timeLimit(.minutes(10))) struct EndingDecisionTests {
    private static let noon = Timestamp("2026-11-27T12:00:00Z")!
    private static let evening = Timestamp("2026-11-27T18:00:00Z")!

    private func run(in directory: TemporaryDirectory? = nil, _ test: (DaemonUnderTest) async throws -> Void)
        async throws
    {
        let directory = try directory ?? TemporaryDirectory()
        try await DaemonUnderTest.run(.socket, clients: [.undecided], in: directory) { daemon in
            try await daemon.setClock(to: Self.noon)
            try await test(daemon)
        }
    }

    private func allow(_ daemon: DaemonUnderTest, _ authorization: String = "authorizedAlways", until: String)
        async throws -> JSONValue
    {
        let text = #"{"client":"org.example.App","authorization":"\#(authorization)","until":"\#(until)"}"#
        return try await daemon.manage("SetAuthorization", text)
    }

    private func listedEnd(_ daemon: DaemonUnderTest) async throws -> JSONValue? {
        guard case .array(let clients) = try await daemon.manage("ListClients", "{}")["parameters"]?["clients"] else {
            throw AwaitedInVain("a list")
        }
        return clients.first { $0["client"] == .string("org.example.App") }?["until"]
    }

    @Test(
        "permission until a time ends then, and the decision before it counts again, on disk as well",
        arguments: ["notDetermined", "denied", "authorizedWhenInUse"])
    func ends(before: String) async throws {
        try await run { daemon in
            _ = try await daemon.decide(before)
            #expect(try await allow(daemon, until: "2026-11-27T18:00:00Z")["error"] == nil)
            #expect(try await listedEnd(daemon) == .string("2026-11-27T18:00:00.000Z"))
            let client = try await daemon.subscribe()
            let awaited = try await daemon.onLoop { [wallClock = daemon.wallClock] _ in wallClock.awaited }
            #expect(awaited == Duration.nanoseconds(Self.evening.nanosecondsSince1970))
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)

            try await daemon.setClock(to: Self.evening)
            // In use it goes on.
            if before != "authorizedWhenInUse" { try await client.expect(diagnostic("authorizationDenied")) }
            try await daemon.emit(Fix(number: 2).event)
            try await daemon.finishDiskWork()
            #expect(try await daemon.authorizationStatus() == .string(before))
            #expect(try await listedEnd(daemon) == nil)
            let record = try await daemon.stored().records.first?.value
            #expect(record?.ending == nil && record?.grant == AuthorizationRecord.Grant(status: before))
        }
    }

    @Test("a location is not delivered after the end, even before the timer for it fires")
    func noLateDelivery() async throws {
        try await run { daemon in
            _ = try await allow(daemon, until: "2026-11-27T18:00:00Z")
            let client = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            daemon.setClock(ahead: Self.evening.advanced(by: .milliseconds(1)).duration(since: .now()))
            try await daemon.emit(Fix(number: 2).event)
            try await daemon.reportClockChange()
            try await client.expect(diagnostic("authorizationDenied"))
        }
    }

    @Test("the end is kept over a restart, and one that passed meanwhile has ended")
    func restart() async throws {
        let directory = try TemporaryDirectory()
        try await run(in: directory) { daemon in
            _ = try await allow(daemon, until: "2026-11-27T18:00:00Z")
        }
        try await run(in: directory) { daemon in
            #expect(try await daemon.authorizationStatus() == .string("authorizedAlways"))
            #expect(try await listedEnd(daemon) == .string("2026-11-27T18:00:00.000Z"))
            try await daemon.setClock(to: Self.evening)
            #expect(try await daemon.authorizationStatus() == .string("notDetermined"))
        }
        try await run(in: directory) { daemon in
            try await daemon.setClock(to: Self.evening)
            #expect(try await daemon.authorizationStatus() == .string("notDetermined"))
            #expect(try await listedEnd(daemon) == nil)
        }
    }

    @Test("a later decision replaces the end, and one until another time has that end")
    func later() async throws {
        try await run { daemon in
            _ = try await daemon.decide("denied")
            _ = try await allow(daemon, until: "2026-11-27T13:00:00Z")
            _ = try await allow(daemon, "authorizedWhenInUse", until: "2026-11-27T18:00:00Z")
            try await daemon.setClock(to: Timestamp("2026-11-27T14:00:00Z")!)
            #expect(try await daemon.authorizationStatus() == .string("authorizedWhenInUse"))
            // What counted before the first of them counts again.
            try await daemon.setClock(to: Self.evening)
            #expect(try await daemon.authorizationStatus() == .string("denied"))

            try await daemon.setClock(to: Self.noon)
            _ = try await allow(daemon, until: "2026-11-27T18:00:00Z")
            _ = try await daemon.decide("authorizedAlways")
            #expect(try await listedEnd(daemon) == nil)
            try await daemon.setClock(to: Self.evening)
            #expect(try await daemon.authorizationStatus() == .string("authorizedAlways"))
        }
    }

    @Test("an end that is past, and the end of a denial, are refused")
    func refused() async throws {
        try await run { daemon in
            for (authorization, until) in [
                ("authorizedAlways", "2026-11-27T12:00:00Z"), ("authorizedAlways", "2020-01-01T00:00:00Z"),
                ("denied", "2026-11-27T18:00:00Z"), ("notDetermined", "2026-11-27T18:00:00Z"),
            ] {
                let reply = try await allow(daemon, authorization, until: until)
                #expect(reply["error"] == .string("org.varlink.service.InvalidParameter"), "\(authorization) \(until)")
            }
            #expect(try await allow(daemon, until: "18:00")["error"] != nil)
            #expect(try await daemon.stored().records.isEmpty)
        }
    }

    @Test("an end is in force while the disk is busy, and one that another decision replaces meanwhile is not")
    func busyDisk() async throws {
        try await run { daemon in
            _ = try await allow(daemon, until: "2026-11-27T18:00:00Z")
            let client = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            let release = await daemon.holdDisk()
            try await daemon.setClock(to: Self.evening)
            try await client.expect(diagnostic("authorizationDenied"))
            async let later = daemon.decide("authorizedAlways")
            release()
            #expect(try await later["error"] == nil)
            try await daemon.finishDiskWork()
            #expect(try await daemon.authorizationStatus() == .string("authorizedAlways"))
            let record = try await daemon.stored().records.first?.value
            #expect(record?.grant == .always && record?.ending == nil)
        }
    }
}

extension AuthorizationRecord.Grant {
    /// The decision by which a client has this status; `nil` for none.
    fileprivate init?(status: String) {
        switch status {
        case "denied": self = .denied
        case "authorizedWhenInUse": self = .whenInUse
        default: return nil
        }
    }
}
