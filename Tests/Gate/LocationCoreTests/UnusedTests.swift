import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationStore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Permissions that are reset because their programs were not given a location for `ResetUnusedAfter` days. The tests turn the wall
/// clock; nothing waits.
@Suite("Unused permissions", .timeLimit(.minutes(10)))
struct UnusedTests {
    private static let key = ClientKey(userID: 4242, client: "org.example.App")

    private static let other: ClientDeclaration = {
        var declaration = ClientDeclaration.example(
            "org.example.Other", executable: "/usr/bin/other", policy: ClientPolicy())
        declaration.displayName = "Other"
        return declaration
    }()

    private func run(
        in directory: TemporaryDirectory? = nil, clients: [ClientDeclaration] = [.undecided, other],
        from day: Int64 = 0, _ test: (DaemonUnderTest) async throws -> Void
    ) async throws {
        try await DaemonUnderTest.run(.socket, clients: clients, in: directory) { daemon in
            daemon.setClock(ahead: .seconds(day * 86_400))
            try await test(daemon)
        }
    }

    /// Turns the clock from one day to another, with a review on each.
    private func pass(_ days: ClosedRange<Int64>, _ daemon: DaemonUnderTest) async throws {
        for day in days {
            // Some minutes more, for what the test itself takes.
            daemon.setClock(ahead: .seconds(day * 86_400 + 600))
            try await daemon.onLoop { core in core.queue.take { core.reviewUnused() } }
        }
        try await daemon.finishDiskWork()
    }

    private func decide(
        _ authorization: String, _ daemon: DaemonUnderTest, client: String = "org.example.App", more: String = "",
        as peer: PeerIdentity = .agent
    ) async throws {
        let answer = try await daemon.manage(
            "SetAuthorization", #"{"client":"\#(client)","authorization":"\#(authorization)"\#(more)}"#, as: peer)
        #expect(answer["error"] == nil, "\(answer)")
    }

    private func listed(_ daemon: DaemonUnderTest, _ client: String = "org.example.App") async throws -> JSONValue {
        guard case .array(let clients) = try await daemon.manage("ListClients", "{}")["parameters"]?["clients"],
            let found = clients.first(where: { $0["client"] == .string(client) })
        else { throw AwaitedInVain("a client") }
        return found
    }

    private func status(_ daemon: DaemonUnderTest, _ client: String = "org.example.App") async throws -> JSONValue? {
        try await listed(daemon, client)["status"]
    }

    @Test("after 90 days without a location programs are undecided again, on disk as well, and one message names them")
    func reset() async throws {
        let directory = try TemporaryDirectory()
        try await run(in: directory) { daemon in
            try await decide("authorizedWhenInUse", daemon)
            try await decide("authorizedAlways", daemon, client: "org.example.Other")
            let agent = try await daemon.register()
            try await pass(1...89, daemon)
            let before = try await status(daemon)
            #expect(before == .string("authorizedWhenInUse"))
            try await pass(90...91, daemon)
            guard case .array(let resets) = try await agent.next()["parameters"]?["resets"] else {
                throw AwaitedInVain("a message about resets")
            }
            #expect(resets.map { $0["client"] } == [.string("org.example.App"), .string("org.example.Other")])
            #expect(resets.map { $0["wasAlways"] } == [.bool(false), .bool(true)])
            #expect(resets.first?["displayName"] == .string("Example"))
            let app = try await listed(daemon)
            #expect(app["status"] == .string("notDetermined"))
            #expect(app["resetStatus"] == .string("authorizedWhenInUse"))
            #expect(app["resetAt"] != nil)
            let other = try await listed(daemon, "org.example.Other")
            #expect(other["resetStatus"] == .string("authorizedAlways"))
            let stored = try await daemon.stored().records
            #expect(stored.values.allSatisfy { $0.grant == nil })
        }
        // It was shown, so no agent is told again.
        try await run(in: directory, from: 92) { daemon in
            let unshown = try await daemon.onLoop { $0.unused.unshown }
            #expect(unshown.isEmpty)
            let app = try await listed(daemon)
            #expect(app["resetStatus"] == .string("authorizedWhenInUse"))
        }
    }

    @Test("a reset that no agent could show is shown by the first one, also after a restart, unless it was undone")
    func shownLater() async throws {
        let directory = try TemporaryDirectory()
        try await run(in: directory) { daemon in
            try await decide("authorizedAlways", daemon)
            try await decide("authorizedAlways", daemon, client: "org.example.Other")
            try await pass(1...91, daemon)
        }
        try await run(in: directory, from: 92) { daemon in
            try await decide("authorizedAlways", daemon, client: "org.example.Other")
            let agent = try await daemon.register()
            guard case .array(let resets) = try await agent.next()["parameters"]?["resets"] else {
                throw AwaitedInVain("a message about resets")
            }
            #expect(resets.map { $0["client"] } == [.string("org.example.App")])
        }
    }

    @Test("explain names the reset and the command that undoes it, until the next decision")
    func explained() async throws {
        try await run { daemon in
            func found() async throws -> JSONValue? {
                let answer = try await daemon.manage("Explain", #"{"client":"org.example.App"}"#)
                guard case .array(let steps) = answer["parameters"]?["steps"] else { throw AwaitedInVain("steps") }
                return steps.first { $0["rule"] == .string("Was its permission reset?") }?["found"]
            }
            try await decide("authorizedAlways", daemon)
            try await pass(1...91, daemon)
            let text = "\(String(describing: try await found()))"
            #expect(text.contains("run: locationctl allow --always org.example.App"), "\(text)")
            try await decide("authorizedAlways", daemon)
            let after = try await found()
            #expect(after == nil)
            let app = try await listed(daemon)
            #expect(app["status"] == .string("authorizedAlways") && app["resetAt"] == nil)
        }
    }

    @Test("a location and a decision restart the count of days, also across a restart of the service")
    func used() async throws {
        let directory = try TemporaryDirectory()
        try await run(in: directory) { daemon in
            try await decide("authorizedAlways", daemon)
            try await decide("authorizedAlways", daemon, client: "org.example.Other")
            try await pass(1...80, daemon)
            let client = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            await client.close()
            try await decide("authorizedWhenInUse", daemon, client: "org.example.Other")
            try await pass(81...100, daemon)
        }
        try await run(in: directory, from: 101) { daemon in
            try await pass(102...169, daemon)
            for client in ["org.example.App", "org.example.Other"] {
                let status = try await status(daemon, client)
                #expect(status != .string("notDetermined"))
            }
            try await pass(170...172, daemon)
            let decided = try await status(daemon, "org.example.Other")
            #expect(decided == .string("notDetermined"))
            // An access lasts a moment after its last location, in which the clock was turned to the 100th day.
            try await pass(173...192, daemon)
            let located = try await status(daemon)
            #expect(located == .string("notDetermined"))
        }
    }

    @Test("a subscription that is given locations is in use, however long it lasts")
    func lasting() async throws {
        try await run { daemon in
            try await decide("authorizedAlways", daemon)
            let client = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            try await pass(1...200, daemon)
            let status = try await status(daemon)
            #expect(status == .string("authorizedAlways"))
        }
    }

    @Test("decisions of a database that knows no uses count from now on")
    func unknown() async throws {
        let directory = try TemporaryDirectory()
        do {
            var record = AuthorizationRecord()
            record.grant = .always
            let store = try LocationStore.open(directory: directory.path, now: .now()).store
            let origin = DecisionOrigin(
                userID: 4242, manner: .prompt, timestamp: Timestamp.now().advanced(by: .seconds(-400 * 86_400)))
            try store.save(record, for: Self.key, origin: origin)
        }
        try await run(in: directory) { daemon in
            try await pass(1...89, daemon)
            let before = try await status(daemon)
            #expect(before == .string("authorizedAlways"))
            try await pass(90...91, daemon)
            let after = try await status(daemon)
            #expect(after == .string("notDetermined"))
        }
    }

    @Test("of a time in which the service did not run, or by which a clock was set, a week counts")
    func gap() async throws {
        let directory = try TemporaryDirectory()
        try await run(in: directory) { daemon in try await decide("authorizedAlways", daemon) }
        try await run(in: directory, from: 1) { daemon in try await pass(1...82, daemon) }
        try await run(in: directory, from: 400) { daemon in
            try await pass(400...400, daemon)
            var now = try await status(daemon)
            #expect(now == .string("authorizedAlways"))
            try await pass(401...402, daemon)
            now = try await status(daemon)
            #expect(now == .string("notDetermined"))
        }
    }

    enum Exemption: CaseIterable {
        case preset, unit, launch, geofence, denial, end, root, never
    }

    @Test(
        "presets, units, geofences, denials, decisions with an end and root's are exempt, and all with 0",
        arguments: Exemption.allCases)
    func exempt(_ exemption: Exemption) async throws {
        var declaration = ClientDeclaration.undecided
        switch exemption {
        case .preset: declaration.policy.presetAuthorization = .whenInUse
        case .unit: declaration.match.systemdUnit = "example.service"
        case .launch: declaration.launch = .user("example.service")
        case .geofence, .denial, .end, .root, .never: break
        }
        try await run(clients: [declaration, Self.other]) { daemon in
            switch exemption {
            case .denial: try await decide("denied", daemon)
            case .end:
                let end = #","until":"2200-01-01T00:00:00Z""#
                try await decide("authorizedAlways", daemon, more: end)
            case .root:
                try await decide(
                    "authorizedAlways", daemon, more: #","userID":4242"#, as: .example(nil, user: 0))
            case .never:
                try await daemon.reload { $0.daemon.resetUnusedAfter = 0 }
                try await decide("authorizedAlways", daemon)
            case .geofence:
                try await decide("authorizedAlways", daemon)
                let answer = try await daemon.addCondition()
                #expect(answer["error"] == nil)
            case .preset, .unit, .launch: try await decide("authorizedAlways", daemon)
            }
            try await decide("authorizedAlways", daemon, client: "org.example.Other")
            try await pass(1...100, daemon)
            let status = try await status(daemon)
            #expect(status == .string(exemption == .denial ? "denied" : "authorizedAlways"))
            // The other one is not exempt.
            let other = try await self.status(daemon, "org.example.Other")
            #expect(other == .string(exemption == .never ? "authorizedAlways" : "notDetermined"))
        }
    }

    @Test("reduced accuracy stays, so that the next permission gives no more")
    func accuracy() async throws {
        try await run { daemon in
            try await decide("authorizedAlways", daemon)
            let answer = try await daemon.manage(
                "SetAccuracy", #"{"client":"org.example.App","accuracy":"reduced"}"#)
            #expect(answer["error"] == nil)
            try await pass(1...91, daemon)
            let app = try await listed(daemon)
            #expect(app["status"] == .string("notDetermined"))
            #expect(app["accuracy"] == .string("reduced"))
        }
    }
}
