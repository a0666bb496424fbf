import DaemonTestSupport
import LocationModel
import LocationPolicy
import NIOCore
import Testing

@testable import Varlink

/// What an agent can try that is up to no good, and a program that would be one. The clock is turned, so in process.
@Suite("A malicious agent", .timeLimit(.minutes(10)))
struct HostileAgentTests {
    private static let noSuchPrompt = JSONValue.string("org.locationd.Agent.NoSuchPrompt")

    private func run(
        _ clients: [ClientDeclaration] = [.undecided], _ test: (DaemonUnderTest) async throws -> Void
    ) async throws {
        try await DaemonUnderTest.run(.inProcess, clients: clients, test)
    }

    private func answer(_ peer: any Peer, _ id: Int64) async throws -> JSONValue {
        try await peer.ask("Agent.Answer", #"{"id":\#(id),"choice":"allowWhileUsing"}"#)
    }

    @Test("an answer before its prompt is ignored")
    func tooEarly() async throws {
        try await run { daemon in
            let agent = try await daemon.register()
            let answering = try await daemon.connect(as: .agent)
            for id in Int64(-1)...100 { #expect(try await answer(answering, id)["error"] == Self.noSuchPrompt) }
            let client = try await daemon.connect()
            try await client.call("Location.GetLocation", #"{"timeout":3600}"#)
            #expect((0...100).contains(try await agent.nextPrompt()), "one of those was to come")
            #expect(try await client.receive() == nil)
            let asking = try await daemon.connect()
            let status = try await asking.ask("Authorization.GetStatus")["parameters"]?["status"]
            #expect(status == .string("notDetermined"))
        }
    }

    @Test("an agent that never answers a prompt counts as no answer, and gets no older prompts")
    func never() async throws {
        try await run { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Location.GetLocation", #"{"timeout":3600}"#)
            let id = try await agent.nextPrompt()
            await daemon.turnClock(by: .seconds(59))
            #expect(try await client.receive() == nil)
            await daemon.turnClock(by: .seconds(1))
            try await client.expectError("org.locationd.Authorization.NotAnswered")
            try await agent.expect(#"{"parameters":{"withdrawn":\#(id)},"continues":true}"#)
            let late = try await daemon.connect(as: .agent)
            #expect(try await answer(late, id)["error"] == Self.noSuchPrompt)
            #expect(try await late.ask("Agent.ListPrompts")["parameters"]?["prompts"] == .array([]))
        }
    }

    @Test("a user who registers a thousand agents has sixteen, and another user is not affected")
    func thousands() async throws {
        try await run { daemon in
            var agents: [any Peer] = []
            for _ in 0..<16 { agents.append(try await daemon.register()) }
            for _ in 0..<1000 {
                let agent = try await daemon.connect(as: .agent)
                try await agent.call("Agent.Register", more: true)
                try await agent.expectError(
                    "org.locationd.Location.LimitExceeded",
                    ["limit": .string("AgentsPerUser"), "value": .integer(16)])
                await agent.close()
            }
            let other = try await daemon.register(as: .example("/usr/bin/locationctl", user: 4343))
            let client = try await daemon.connect(as: .example(user: 4343))
            try await client.call("Location.GetLocation")
            _ = try await other.nextPrompt()
            await agents.removeLast().close()
            _ = try await daemon.register()
        }
    }

    @Test("the activities of one user are bounded, too: each agent shows all of them")
    func activities() async throws {
        var declaration = ClientDeclaration.example(policy: .preset(.whenInUse))
        declaration.hasLocationBackgroundMode = true
        try await run([declaration]) { daemon in
            _ = try await daemon.subscribe()
            var activities: [any Peer] = []
            func begin() async throws -> any Peer {
                let peer = try await daemon.connect()
                try await peer.call("Authorization.BeginBackgroundActivity", more: true)
                return peer
            }
            for _ in 0..<64 {
                let activity = try await begin()
                try await activity.expect(#"{"parameters":{"isShown":false},"continues":true}"#)
                activities.append(activity)
            }
            try await begin().expectError(
                "org.locationd.Location.LimitExceeded",
                ["limit": .string("ActivitiesPerUser"), "value": .integer(64)])
            await activities.removeLast().close()
            try await begin().expect(#"{"parameters":{"isShown":false},"continues":true}"#)
        }
    }

    private static var inFlatpak: PeerIdentity {
        var peer = PeerIdentity.agent
        peer.flatpakID = "org.example.Anything"
        return peer
    }

    private static var labelled: PeerIdentity {
        var peer = PeerIdentity.agent
        peer.securityLabel = "example"
        return peer
    }

    /// A sandbox that lets a program run `locationctl` must not let it decide for its user.
    @Test("a sandboxed program is neither an agent nor a manager, whatever it runs", arguments: [inFlatpak, labelled])
    func sandboxed(peer: PeerIdentity) async throws {
        var confined = ClientDeclaration.example("org.example.Confined", policy: ClientPolicy())
        confined.match.executable = nil
        confined.match.securityLabel = "example"
        try await run([.undecided, confined]) { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Location.GetLocation", #"{"timeout":3600}"#)
            let id = try await agent.nextPrompt()
            let other = try await daemon.connect(as: peer)
            for (method, parameters) in [
                ("Agent.Register", "{}"), ("Agent.Answer", #"{"id":\#(id),"choice":"allowWhileUsing"}"#),
                ("Agent.ListPrompts", "{}"),
            ] {
                try await other.call(method, parameters, more: method == "Agent.Register")
                try await other.expectError(
                    "org.locationd.Agent.NotAnAgent", saying: ["runs in the sandbox of org.example."])
            }
            for (method, parameters) in [
                ("SetAuthorization", #"{"client":"org.example.Confined","authorization":"authorizedAlways"}"#),
                ("SetAccuracy", #"{"client":"org.example.Confined","accuracy":"full"}"#),
                ("SetEnabled", #"{"isEnabled":true}"#), ("ListClients", "{}"), ("ListAccess", "{}"),
                ("Explain", #"{"client":"org.example.Confined"}"#),
            ] {
                try await other.call("Manager.\(method)", parameters)
                try await other.expectError("org.locationd.Manager.NotAManager", saying: ["runs in the sandbox of"])
            }
            // Another label is no sandbox of a client's: on some systems everything has one.
            var unrelated = PeerIdentity.agent
            unrelated.securityLabel = "unconfined_t"
            _ = try await daemon.register(as: unrelated)
        }
    }

    @Test("only root can decide, read or switch for another user or for everybody")
    func anotherUser() async throws {
        try await run { daemon in
            let calls = [
                ("SetAuthorization", #"{"client":"org.example.App","authorization":"authorizedAlways","userID":4242}"#),
                ("SetAccuracy", #"{"client":"org.example.App","accuracy":"full","userID":4242}"#),
                ("SetEnabled", #"{"isEnabled":false,"userID":4242}"#),
                ("SetEnabled", #"{"isEnabled":false,"isSystem":true}"#),
                ("ListClients", #"{"userID":4242}"#), ("ListAccess", #"{"userID":4242}"#),
                ("Explain", #"{"client":"org.example.App","userID":4242}"#), ("Explain", #"{"processID":1}"#),
            ]
            let other = try await daemon.connect(as: .example("/usr/bin/locationctl", user: 4343))
            let unlisted = try await daemon.connect()
            for (method, parameters) in calls {
                try await other.call("Manager.\(method)", parameters)
                try await other.expectError("org.varlink.service.PermissionDenied")
                try await unlisted.call("Manager.\(method)", parameters)
                try await unlisted.expectError("org.locationd.Manager.NotAManager")
            }
            let status = try await daemon.connect().ask("Authorization.GetStatus")["parameters"]?["status"]
            #expect(status == .string("notDetermined"))
        }
    }
}
