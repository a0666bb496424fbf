import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// The stream of what changes for a manager. With a store on disk, so over a socket.
@Suite("A manager's stream of changes", .timeLimit(.minutes(10)))
struct ManagerStreamTests {
    private static let all =
        #"{"parameters":{"changed":["clients","accesses","currentAccesses","prompts","rules","services"]},"continues":true}"#

    private func run(_ test: (DaemonUnderTest) async throws -> Void) async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided], test)
    }

    private func watch(_ daemon: DaemonUnderTest) async throws -> any Peer {
        let manager = try await daemon.connect(as: .agent)
        try await manager.call("Manager.Watch", more: true)
        try await manager.expect(Self.all)
        return manager
    }

    /// Waits for the report of a change.
    private func expect(_ part: String, _ manager: any Peer) async throws {
        while true {
            guard case .array(let parts) = try await manager.next()["parameters"]?["changed"] else {
                throw AwaitedInVain("the change of \(part)")
            }
            if parts.contains(.string(part)) { return }
        }
    }

    @Test("a decision, a switch, a rule and an access are reported")
    func reports() async throws {
        try await run { daemon in
            let manager = try await watch(daemon)
            _ = try await daemon.decide("authorizedAlways")
            try await expect("clients", manager)
            let client = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            try await expect("accesses", manager)
            _ = try await daemon.manage("SetEnabled", #"{"isEnabled":false}"#)
            try await expect("services", manager)
            _ = try await daemon.manage("AddRule", #"{"rule":{"deny":true,"hours":"22:00-06:00"}}"#)
            try await expect("rules", manager)
        }
    }

    @Test("a prompt is reported when it opens and when it closes")
    func prompts() async throws {
        try await run { daemon in
            let manager = try await watch(daemon)
            let client = try await daemon.connect()
            try await client.call("Authorization.RequestWhenInUse")
            try await expect("prompts", manager)
            _ = try await daemon.decide("denied")
            try await expect("prompts", manager)
        }
    }

    @Test("another user's decisions are not reported, and this user's are not reported to another user's manager")
    func users() async throws {
        try await run { daemon in
            let prying = try await daemon.connect(as: .agentOfAnother)
            try await prying.call("Manager.Watch", #"{"userID":4242}"#, more: true)
            try await prying.expectError("org.varlink.service.PermissionDenied")
            try await prying.call("Manager.Watch", more: true)
            try await prying.expect(Self.all)
            let own = try await watch(daemon)
            _ = try await daemon.decide("denied")
            try await expect("clients", own)
            _ = try await daemon.manage("SetEnabled", #"{"isEnabled":false}"#, as: .agentOfAnother)
            // The first that is reported: nothing was of the other user's decision.
            try await prying.expect(#"{"parameters":{"changed":["clients","services"]},"continues":true}"#)
        }
    }

    @Test("a program that is not an agent has no stream, and loses it when it stops being one")
    func agents() async throws {
        try await run { daemon in
            let unlisted = try await daemon.connect(as: .example("/usr/bin/example"))
            try await unlisted.call("Manager.Watch", more: true)
            try await unlisted.expectError("org.locationd.Manager.NotAManager")
            let manager = try await watch(daemon)
            try await daemon.reload { $0.daemon.agents = [] }
            try await manager.expectError("org.locationd.Manager.NotAManager")
        }
    }

    @Test("a user's programs have at most sixteen streams")
    func limit() async throws {
        try await run { daemon in
            var managers: [any Peer] = []
            for _ in 0..<ManagerStreams.streamsPerUser { managers.append(try await watch(daemon)) }
            let further = try await daemon.connect(as: .agent)
            try await further.call("Manager.Watch", more: true)
            try await further.expectError(
                "org.locationd.Location.LimitExceeded",
                ["limit": .string("ManagerStreamsPerUser"), "value": .integer(16)])
            let first = managers.removeFirst()
            try await daemon.wait(connections: ManagerStreams.streamsPerUser) { await first.close() }
            _ = try await watch(daemon)
        }
    }
}
