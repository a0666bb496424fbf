import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

/// Requests of clients, prompts and their answers. With a store on disk, so over a socket.
@Suite("Requests for authorization", .timeLimit(.minutes(10))) struct AuthorizationTests {
    @Test("a subscription of an undecided client opens a prompt and receives locations after the answer")
    func subscriptionPromptsAndResumes() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Location.Subscribe", more: true)
            try await client.expect(diagnostic("authorizationRequestInProgress"))
            let prompt = try await agent.next()["parameters"]?["prompt"]
            #expect(prompt?["displayName"] == .string("Example"))
            #expect(prompt?["usageDescription"] == .string("Shows where you are."))
            #expect(prompt?["executable"] == .string("/usr/bin/example"))
            #expect(
                prompt?["choices"]
                    == .array([.string("allowWhileUsing"), .string("allowOnce"), .string("dontAllow")]))
            let id = try #require(prompt?["id"]?.integer)
            try await daemon.emit(Fix(number: 1).event)
            try await daemon.waitForSource {
                let answer = try await daemon.answer(id, "allowWhileUsing")
                #expect(answer["error"] == nil)
                try await agent.expect(#"{"parameters":{"withdrawn":\#(id)},"continues":true}"#)
            }
            try await daemon.emit(Fix(number: 2).event)
            #expect(try await locationTime(client) == Fix(number: 2).time, "and none from before the answer")
        }
    }

    @Test("the recipients in a declaration appear in its prompt, the list of clients, an explanation and the history")
    func recipientsAreShown() async throws {
        var declaration = ClientDeclaration.undecided
        declaration.recipients = ["The office"]
        let expected = JSONValue.array([.string("The office")])
        try await DaemonUnderTest.run(.socket, clients: [declaration]) { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Location.Subscribe", more: true)
            try await client.expect(diagnostic("authorizationRequestInProgress"))
            let prompt = try await agent.next()["parameters"]?["prompt"]
            #expect(prompt?["recipients"] == expected)
            let id = try #require(prompt?["id"]?.integer)
            try await daemon.waitForSource {
                let answer = try await daemon.answer(id, "allowWhileUsing")
                #expect(answer["error"] == nil)
            }
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            func first(_ method: String, _ key: String, _ parameters: String = "{}") async throws -> JSONValue? {
                guard case .array(let elements)? = try await daemon.manage(method, parameters)["parameters"]?[key]
                else { return nil }
                return key == "steps" ? elements.last : elements.first
            }
            #expect(try await first("ListClients", "clients")?["recipients"] == expected)
            #expect(try await first("ListAccess", "sessions")?["recipients"] == expected)
            let step = try await first("Explain", "steps", #"{"client":"\#(declaration.identifier)"}"#)
            #expect(step?["found"] == .string("as its declaration states, The office"))
            #expect(step?["keyPath"] == .string("Recipients"))
        }
    }

    @Test("a denied client receives a diagnostic and no location")
    func denied() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Location.GetLocation")
            let id = try await agent.nextPrompt()
            #expect(try await daemon.answer(id, "dontAllow")["error"] == nil)
            try await client.expectError("org.locationd.Authorization.NotAuthorized", ["status": .string("denied")])
            try await client.call("Authorization.RequestWhenInUse")
            let status = try await client.next()["parameters"]?["status"]
            #expect(status == .string("denied"), "and nobody is asked again")
        }
    }

    /// The clock is turned, so in process.
    @Test("without an agent a request fails after the prompt timeout")
    func requestWithoutAgentTimesOut() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.undecided]) { daemon in
            let client = try await daemon.connect()
            try await client.call("Location.GetLocation", #"{"timeout":3600}"#)
            await daemon.turnClock(by: .seconds(59))
            #expect(try await client.receive() == nil)
            await daemon.turnClock(by: .seconds(1))
            try await client.expectError(
                "org.locationd.Authorization.NoAgent", ["seconds": .integer(60)], saying: ["locationctl agent"])
        }
    }

    @Test("a missing usage description is an error that names the file and the key")
    func missingUsageDescriptionNamesFileAndKey() async throws {
        var mute = ClientDeclaration.undecided
        mute.whenInUseUsageDescription = nil
        try await DaemonUnderTest.run(.socket, clients: [mute]) { daemon in
            let client = try await daemon.connect()
            try await client.call("Location.Subscribe", more: true)
            try await client.expectError(
                "org.locationd.Authorization.MissingUsageDescription",
                [
                    "key": .string("NSLocationWhenInUseUsageDescription"),
                    "file": .string("/etc/locationd/clients.d/org.example.App.plist"),
                ])
        }
    }

    @Test("the prompts of an agent that disconnects move to another one")
    func anotherAgentTakesOver() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
            let first = try await daemon.register()
            let second = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Authorization.RequestWhenInUse")
            let id = try await first.nextPrompt()
            await first.close()
            #expect(try await second.nextPrompt() == id)
            #expect(try await daemon.answer(id, "allowOnce")["error"] == nil)
            #expect(try await client.next()["parameters"]?["status"] == .string("authorizedWhenInUse"))
        }
    }

    @Test("a prompt is withdrawn when its client disconnects")
    func promptIsWithdrawnWithClient() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Location.Subscribe", more: true)
            let id = try await agent.nextPrompt()
            await client.close()
            try await agent.expect(#"{"parameters":{"withdrawn":\#(id)},"continues":true}"#)
            #expect(
                try await daemon.answer(id, "allowWhileUsing")["error"] == .string("org.locationd.Agent.NoSuchPrompt"))
        }
    }

    @Test("only listed programs of the same user can answer a prompt")
    func onlyListedProgramsOfSameUserCanAnswer() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
            let liar = try await daemon.connect(as: .example("/tmp/locationctl"))
            try await liar.call("Agent.Register", more: true)
            try await liar.expectError("org.locationd.Agent.NotAnAgent", saying: ["/tmp/locationctl", "Agents"])
            let stranger = try await daemon.register(as: .agentOfAnother)
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Location.Subscribe", more: true)
            let id = try await agent.nextPrompt()
            let noSuchPrompt = JSONValue.string("org.locationd.Agent.NoSuchPrompt")
            #expect(try await daemon.answer(id, "allowWhileUsing", as: .agentOfAnother)["error"] == noSuchPrompt)
            let ownPrompts = try await daemon.connect(as: .agentOfAnother).ask("Agent.ListPrompts")
            #expect(ownPrompts["parameters"]?["prompts"] == .array([]))
            #expect(
                try await daemon.answer(id, "allowWhileUsing", as: .example("/tmp/x"))["error"]
                    == .string("org.locationd.Agent.NotAnAgent"))
            #expect(
                try await daemon.answer(id, "changeToAlways")["error"]
                    == .string("org.locationd.Agent.ChoiceNotOffered"))
            // Root answers for anyone, with any program.
            #expect(try await daemon.answer(id, "allowWhileUsing", as: .example("/bin/sh", user: 0))["error"] == nil)
            await stranger.close()
        }
    }

    @Test(
        "a reload that removes the declaration answers all that have a prompt open",
        arguments: [
            ("Authorization.RequestWhenInUse", false), ("Authorization.RequestAlways", false),
            ("Location.GetLocation", false), ("Location.Subscribe", true),
        ])
    func promptEndsWithDeclaration(method: String, isStream: Bool) async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call(method, more: isStream)
            let prompt = try await agent.nextPrompt()
            if isStream { try await client.expect(diagnostic("authorizationRequestInProgress")) }
            try await daemon.reload { $0.clients = [] }
            try await client.expectError("org.locationd.Authorization.ClientNotDeclared")
            try await agent.expect(#"{"parameters":{"withdrawn":\#(prompt)},"continues":true}"#)
        }
    }

    @Test("a program that is now declared as another client has its prompt withdrawn, and a new one opened")
    func declaredAnew() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Location.Subscribe", more: true)
            let prompt = try await agent.nextPrompt()
            try await client.expect(diagnostic("authorizationRequestInProgress"))
            var other = ClientDeclaration.example("org.example.Other", policy: ClientPolicy())
            other.whenInUseUsageDescription = "Another reason."
            try await daemon.reload { [other] in $0.clients = [other] }
            _ = try await client.next()
            try await agent.expect(#"{"parameters":{"withdrawn":\#(prompt)},"continues":true}"#)
            #expect(
                try await daemon.answer(prompt, "allowWhileUsing")["error"]
                    == .string("org.locationd.Agent.NoSuchPrompt"))
            let again = try await daemon.connect()
            try await again.call("Location.Subscribe", more: true)
            let next = try await agent.next()["parameters"]?["prompt"]
            #expect(next?["client"] == .string("org.example.Other"))
            #expect(next?["usageDescription"] == .string("Another reason."))
        }
    }

    @Test("after a restart of the service with an open prompt the prompt is opened again")
    func askedAgainAfterRestart() async throws {
        let directory = try TemporaryDirectory()
        for _ in 0..<3 {
            try await DaemonUnderTest.run(.socket, clients: [.undecided], in: directory) { daemon in
                let agent = try await daemon.register()
                let client = try await daemon.connect()
                try await client.call("Location.Subscribe", more: true)
                try await client.expect(diagnostic("authorizationRequestInProgress"))
                _ = try await agent.nextPrompt()
                #expect(try await daemon.stored().records.isEmpty)
            }
        }
    }
}
