import DaemonTestSupport
import Glibc
import LinuxPlumbing
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import NIOCore
import TestSupport
import VarlinkIDL
import Testing

@testable import LocationCore
@testable import Varlink

/// Requests of clients, prompts and their answers, and use. With a store on disk, so over a socket.
@Suite(.timeLimit(.minutes(5))) struct AuthorizationTests {
    private func run(
        _ declaration: ClientDeclaration = .undecided, _ test: (DaemonUnderTest) async throws -> Void
    ) async throws {
        try await DaemonUnderTest.run(.socket, clients: [declaration], test)
    }

    @Test("the recipients of a declaration are in its prompt, the list of clients, an explanation and the history")
    func recipientsAreShown() async throws {
        var declaration = ClientDeclaration.undecided
        declaration.recipients = ["The office"]
        let expected = JSONValue.array([.string("The office")])
        try await run(declaration) { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Location.Subscribe", more: true)
            try await client.expect(diagnostic("authorizationRequestInProgress"))
            let prompt = try await agent.next()["parameters"]?["prompt"]
            #expect(prompt?["recipients"] == expected)
            guard case .integer(let id) = prompt?["id"] else { throw Failure.noPrompt }
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

    @Test("a subscription of an undecided client opens a prompt and receives locations after the answer")
    func subscriptionPromptsAndResumes() async throws {
        try await run { daemon in
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
            guard case .integer(let id) = prompt?["id"] else { throw Failure.noPrompt }
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

    private enum Failure: Error {
        case noPrompt
    }

    @Test("a denied client receives a diagnostic and no location")
    func denied() async throws {
        try await run { daemon in
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
        try await run(mute) { daemon in
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

    // MARK: Agents

    @Test("the prompts of an agent that disconnects move to another one")
    func anotherAgentTakesOver() async throws {
        try await run { daemon in
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
        try await run { daemon in
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
        try await run { daemon in
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

    @Test("a client that has exhausted its prompt budget has to wait")
    func exhaustedPromptBudgetDelays() async throws {
        try await run { daemon in
            let agent = try await daemon.register()
            for _ in 1...5 {
                let client = try await daemon.connect()
                try await client.call("Authorization.RequestWhenInUse")
                let id = try await agent.nextPrompt()
                await client.close()
                try await agent.expect(#"{"parameters":{"withdrawn":\#(id)},"continues":true}"#)
            }
            let client = try await daemon.connect()
            try await client.call("Authorization.RequestWhenInUse")
            try await client.expectError("org.locationd.Authorization.TooManyPrompts")
        }
    }

    @Test("a user has eight open prompts at most, and the next one once another is answered")
    func openPromptsOfOneUserAreLimited() async throws {
        let clients = (1...10).map { number in
            var declaration = ClientDeclaration.undecided
            declaration.identifier = "org.example.App\(number)"
            declaration.match.executable = "/usr/bin/example\(number)"
            return declaration
        }
        try await DaemonUnderTest.run(.socket, clients: clients) { daemon in
            let agent = try await daemon.register()
            func request(_ number: Int, user: UInt32 = 4242) async throws -> any Peer {
                let peer = try await daemon.connect(as: .example("/usr/bin/example\(number)", user: user))
                try await peer.call("Authorization.RequestWhenInUse")
                return peer
            }
            var peers: [any Peer] = []
            var prompts: [Int64] = []
            for number in 1...8 {
                peers.append(try await request(number))
                prompts.append(try await agent.nextPrompt())
            }
            // The next prompt of a program takes the place of the answered one.
            let always = try await daemon.connect(as: .example("/usr/bin/example1"))
            try await daemon.wait(requests: 9) { try await always.call("Authorization.RequestAlways") }
            _ = try await daemon.answer(prompts[0], "allowWhileUsing")
            try await agent.expect(#"{"parameters":{"withdrawn":\#(prompts[0])},"continues":true}"#)
            _ = try await agent.nextPrompt()

            let ninth = try await request(9)
            try await ninth.expectError(
                "org.locationd.Authorization.TooManyPrompts", saying: ["8 prompts", "locationctl agent prompts"])
            // A second request of a program joins its prompt, and another user has prompts of their own.
            let second = try await request(8)
            let agentOfAnother = try await daemon.register(as: .agentOfAnother)
            _ = try await request(9, user: 4343)
            _ = try await agentOfAnother.nextPrompt()

            _ = try await daemon.answer(prompts[7], "dontAllow")
            #expect(try await second.next()["parameters"]?["status"] == .string("denied"))
            try await agent.expect(#"{"parameters":{"withdrawn":\#(prompts[7])},"continues":true}"#)
            try await ninth.call("Authorization.RequestWhenInUse")
            _ = try await agent.nextPrompt()
            let tenth = try await request(10)
            try await tenth.expectError("org.locationd.Authorization.TooManyPrompts")
        }
    }

    // MARK: While a decision is being saved

    @Test("an answer that is saved late does not count for the next prompt")
    func lateSavedAnswerDoesNotAnswerNextPrompt() async throws {
        try await run { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Authorization.RequestWhenInUse")
            let first = try await agent.nextPrompt()
            let another = try await daemon.connect()
            try await daemon.wait(requests: 2) { try await another.call("Authorization.RequestAlways") }
            let release = await daemon.holdDisk()
            let manager = try await daemon.connect(as: .agent)
            try await daemon.waitForSaving("org.example.App") {
                try await manager.call("Agent.Answer", #"{"id":\#(first),"choice":"allowWhileUsing"}"#)
            }
            // The first prompt becomes moot, and the other request opens the next one.
            try await daemon.reload { $0.clients[0].policy.presetAuthorization = .whenInUse }
            try await agent.expect(#"{"parameters":{"withdrawn":\#(first)},"continues":true}"#)
            let second = try await agent.nextPrompt()
            release()
            #expect(try await manager.next()["error"] == nil)
            #expect(try await daemon.answer(second, "changeToAlways")["error"] == nil)
            #expect(try await another.next()["parameters"]?["status"] == .string("authorizedAlways"))
        }
    }

    @Test("of two answers to a prompt that are being saved, the later does not count for the next prompt")
    func secondSavedAnswerDoesNotAnswerNextPrompt() async throws {
        try await run { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Authorization.RequestWhenInUse")
            let first = try await agent.nextPrompt()
            let another = try await daemon.connect()
            try await daemon.wait(requests: 2) { try await another.call("Authorization.RequestAlways") }
            let release = await daemon.holdDisk()
            let managers = [try await daemon.connect(as: .agent), try await daemon.connect(as: .agent)]
            try await daemon.waitForSaving("org.example.App") {
                try await managers[0].call("Agent.Answer", #"{"id":\#(first),"choice":"allowWhileUsing"}"#)
            }
            try await daemon.waitForSaving("org.example.App", postponing: 1) {
                try await managers[1].call("Agent.Answer", #"{"id":\#(first),"choice":"allowOnce"}"#)
            }
            release()
            #expect(try await managers[0].next()["error"] == nil)
            #expect(try await managers[1].next()["error"] == .string("org.locationd.Agent.NoSuchPrompt"))
            try await agent.expect(#"{"parameters":{"withdrawn":\#(first)},"continues":true}"#)
            let second = try await agent.nextPrompt()
            #expect(try await daemon.answer(second, "changeToAlways")["error"] == nil)
            #expect(try await another.next()["parameters"]?["status"] == .string("authorizedAlways"))
        }
    }

    @Test("a denial by command refuses at once while another decision is being saved, and outlives it")
    func denialDoesNotWaitForAnotherSave() async throws {
        try await run { daemon in
            _ = try await daemon.decide("authorizedAlways")
            let client = try await daemon.subscribe()
            let release = await daemon.holdDisk()
            let managers = [try await daemon.connect(as: .agent), try await daemon.connect(as: .agent)]
            try await daemon.waitForSaving("org.example.App") {
                try await managers[0].call(
                    "Manager.SetAuthorization", #"{"client":"org.example.App","authorization":"authorizedWhenInUse"}"#)
            }
            try await managers[1].call(
                "Manager.SetAuthorization", #"{"client":"org.example.App","authorization":"denied"}"#)
            try await client.expect(diagnostic("authorizationDenied"))
            release()
            for manager in managers { #expect(try await manager.next()["error"] == nil) }
            await client.close()
            #expect(try await daemon.authorizationStatus() == .string("denied"))
            #expect(try await daemon.stored().records.values.map(\.grant) == [.denied])
        }
    }

    // MARK: In use

    @Test("a client in the background is suspended, and resumes when it is in use again")
    func backgroundClientIsSuspendedAndResumes() async throws {
        try await run { daemon in
            _ = try await daemon.decide("authorizedWhenInUse")
            let client = try await daemon.connect()
            try await daemon.wait(subscriptions: 1) { try await client.call("Location.Subscribe", more: true) }
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            try await daemon.setInUse(false)
            try await client.expect(diagnostic("insufficientlyInUse"))
            try await daemon.emit(Fix(number: 2).event, Fix(number: 3).event)
            try await daemon.waitForSource { try await daemon.setInUse(true) }
            try await daemon.emit(Fix(number: 4).event)
            #expect(try await locationTime(client) == Fix(number: 4).time, "and none from the background")
        }
    }

    /// The evidence takes a moment: meanwhile nobody is told that it is missing.
    @Test("a client in use gets no diagnostic while the evidence is pending")
    func clientInUseGetsNoPendingDiagnostic() async throws {
        try await run { daemon in
            _ = try await daemon.decide("authorizedWhenInUse")
            let client = try await daemon.connect()
            try await daemon.waitForSource { try await client.call("Location.Subscribe", more: true) }
            try await daemon.emit(Fix(number: 1).event)
            try await client.expect(Fix(number: 1).delivery())
        }
    }

    @Test("allow once ends when the client is no longer in use")
    func onceEndsWithUse() async throws {
        try await run { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Authorization.Watch", more: true)
            #expect(try await client.next()["parameters"]?["status"] == .string("notDetermined"))
            let asking = try await daemon.connect()
            try await asking.call("Authorization.RequestWhenInUse")
            _ = try await daemon.answer(try await agent.nextPrompt(), "allowOnce")
            #expect(try await client.next()["parameters"]?["status"] == .string("authorizedWhenInUse"))
            func isOnce() async throws -> JSONValue? {
                guard case .array(let clients)? = try await daemon.manage("ListClients", "{}")["parameters"]?["clients"]
                else {
                    return nil
                }
                return clients.first?["isOnce"]
            }
            #expect(try await isOnce() == .bool(true))
            // It ends with the process, not with the connection that asked.
            await asking.close()
            try await daemon.settle()
            try await daemon.setInUse(false)
            #expect(try await client.next()["parameters"]?["status"] == .string("notDetermined"))
            #expect(try await isOnce() == nil)
        }
    }

    @Test("a provisional always opens a prompt with the first delivery in the background")
    func provisionalAlwaysPromptsAtFirstBackgroundDelivery() async throws {
        try await run { daemon in
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Authorization.RequestAlways")
            let first = try await agent.nextPrompt()
            _ = try await daemon.answer(first, "allowWhileUsing")
            try await agent.expect(#"{"parameters":{"withdrawn":\#(first)},"continues":true}"#)
            #expect(try await client.next()["parameters"]?["status"] == .string("authorizedAlways"))
            try await daemon.wait(subscriptions: 1) { try await client.call("Location.Subscribe", more: true) }
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            try await daemon.setInUse(false)
            try await client.expect(diagnostic("insufficientlyInUse"))
            try await daemon.emit(Fix(number: 2).event)
            let prompt = try await agent.next()["parameters"]?["prompt"]
            #expect(prompt?["kind"] == .string("confirmAlways"))
            #expect(prompt?["usageDescription"] == .string("Warns you of storms."))
            guard case .integer(let id) = prompt?["id"] else { throw Failure.noPrompt }
            _ = try await daemon.answer(id, "changeToAlways")
            #expect(try await locationTime(client) == Fix(number: 2).time, "what was due")
        }
    }

    @Test("a background activity keeps a client in use while an agent shows it")
    func shownActivityKeepsClientInUse() async throws {
        var declaration = ClientDeclaration.undecided
        declaration.hasLocationBackgroundMode = true
        try await run(declaration) { daemon in
            _ = try await daemon.decide("authorizedWhenInUse")
            let client = try await daemon.subscribe()
            let activity = try await daemon.connect()
            try await activity.call("Authorization.BeginBackgroundActivity", more: true)
            try await activity.expect(#"{"parameters":{"isShown":false},"continues":true}"#)
            let agent = try await daemon.register()
            #expect(try await agent.next()["parameters"]?["activities"] != nil)
            try await activity.expect(#"{"parameters":{"isShown":true},"continues":true}"#)
            try await daemon.setInUse(false)
            try await daemon.emit(Fix(number: 1).event)
            #expect(try await locationTime(client) == Fix(number: 1).time)
            await agent.close()
            try await activity.expect(#"{"parameters":{"isShown":false},"continues":true}"#)
            try await client.expect(diagnostic("insufficientlyInUse"))
        }
    }

    @Test("a background activity ends when a reload removes the background mode")
    func activityEndsWithBackgroundMode() async throws {
        var declaration = ClientDeclaration.undecided
        declaration.hasLocationBackgroundMode = true
        try await run(declaration) { daemon in
            _ = try await daemon.decide("authorizedWhenInUse")
            let agent = try await daemon.register()
            let client = try await daemon.subscribe()
            let activity = try await daemon.connect()
            try await activity.call("Authorization.BeginBackgroundActivity", more: true)
            try await activity.expect(#"{"parameters":{"isShown":true},"continues":true}"#)
            #expect(try await agent.next()["parameters"]?["activities"] != .array([]))
            try await daemon.setInUse(false)
            try await daemon.reload { $0.clients = [.undecided] }
            try await activity.expectError("org.locationd.Authorization.BackgroundActivityNotAllowed")
            try await agent.expect(#"{"parameters":{"activities":[]},"continues":true}"#)
            try await client.expect(diagnostic("insufficientlyInUse"))
        }
    }

    @Test(
        "a reload which takes the declaration away answers whoever has the user asked",
        arguments: [
            ("Authorization.RequestWhenInUse", false), ("Authorization.RequestAlways", false),
            ("Location.GetLocation", false), ("Location.Subscribe", true),
        ])
    func promptEndsWithDeclaration(method: String, isStream: Bool) async throws {
        try await run { daemon in
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

    @Test("a program that is declared anew as another client has its prompt withdrawn, and is asked about as that one")
    func declaredAnew() async throws {
        try await run { daemon in
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

    @Test("after a restart of the service with an open prompt the user is asked again")
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

    /// GeoClue believes any program's word about its name; there is nothing here that a name could be told to.
    @Test("a client name in the parameters is ignored")
    func claimedClientNameIsIgnored() async throws {
        try await run { daemon in
            _ = try await daemon.decide("authorizedAlways")
            let liar = try await daemon.connect(as: .example("/tmp/liar"))
            try await liar.call(
                "Location.Subscribe", #"{"client":"org.example.App","CFBundleIdentifier":"org.example.App"}"#,
                more: true)
            try await liar.expectError("org.locationd.Authorization.ClientNotDeclared", saying: ["/tmp/liar"])
        }
    }

    @Test("programs that nobody has declared share a budget of prompts, whatever their names, and declared ones do not")
    func budgetOfUndeclaredPrograms() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.undecided]) { daemon in
            var prompts = 0
            for number in 0..<30 {
                let peer = PeerIdentity.example("/tmp/copy\(number)", user: 4242)
                prompts += try await daemon.onLoop { core in
                    guard let process = WatchedProcess(processID: getpid()), let program = UndeclaredProgram(peer),
                        let connection = try? core.open(
                            peer, process, frontEnd: FrontEndKind(name: "Test", servesUndeclared: true),
                            undeclared: program.declaration())
                    else { return 100 }
                    _ = try? core.subscribe(RecordingFrontEnd(), .init(), connection)
                    // It goes before it is answered.
                    defer { core.close(connection) }
                    return core.prompts.count
                }
            }
            #expect(prompts == 5)
            let declared = try await daemon.connect()
            try await daemon.wait(
                for: "a prompt about a declared program",
                after: { try await declared.call("Authorization.RequestWhenInUse") }, until: { $0.prompts.count == 1 })
        }
    }

    @Test(
        "whatever an undeclared program sends, it is told that it is undeclared, and nothing of its parameters",
        arguments: [LocationInterface.text, AuthorizationInterface.text, MonitorInterface.text])
    func declarationComesFirst(interface: String) async throws {
        let interface = try InterfaceDescription(interface)
        let broken = """
            {"timeout":"x","rate":-1,"distanceFilter":-1,"monitor":[],"identifier":"","purposeKey":3,\
            "condition":{"polygon":[{"latitude":100,"longitude":0}]},"assuming":"there"}
            """
        try await run { daemon in
            let stranger = try await daemon.connect(as: .example("/tmp/stranger"))
            for case .method(let method) in interface.members {
                for isStream in [false, true] {
                    let name = "\(interface.name).\(method.name)".replacing("org.locationd.", with: "")
                    try await stranger.call(name, broken, more: isStream)
                    try await stranger.expectError("org.locationd.Authorization.ClientNotDeclared")
                }
            }
        }
    }

    @Test("a second answer to a prompt is not taken for one to the prompt that follows")
    func answerCountsForItsOwnPromptOnly() async throws {
        try await run { daemon in
            let agent = try await daemon.register()
            let (client, second) = (try await daemon.connect(), try await daemon.connect())
            try await client.call("Authorization.RequestWhenInUse")
            let first = try await agent.nextPrompt()
            // This request needs a prompt of its own, which follows the open one.
            try await daemon.wait(requests: 2) { try await second.call("Authorization.RequestAlways") }
            let (one, other) = (
                try await daemon.connect(as: .agent), try await daemon.connect(as: .agent)
            )
            // The second answer usually arrives while the first is being saved.
            try await one.call("Agent.Answer", #"{"id":\#(first),"choice":"allowWhileUsing"}"#)
            try await other.call("Agent.Answer", #"{"id":\#(first),"choice":"allowOnce"}"#)
            #expect(try await one.next()["error"] == nil)
            #expect(try await other.next()["error"] == .string("org.locationd.Agent.NoSuchPrompt"))
            #expect(try await client.next()["parameters"]?["status"] == .string("authorizedWhenInUse"))
            #expect(try await agent.next()["parameters"]?["withdrawn"] == .integer(first))

            let following = try await agent.nextPrompt()
            try await other.call("Agent.Answer", #"{"id":\#(first),"choice":"dontAllow"}"#)
            #expect(try await other.next()["error"] == .string("org.locationd.Agent.NoSuchPrompt"))
            try await one.call("Agent.Answer", #"{"id":\#(following),"choice":"changeToAlways"}"#)
            #expect(try await one.next()["error"] == nil, "the following prompt is still open")
            #expect(try await second.next()["parameters"]?["status"] == .string("authorizedAlways"))
        }
    }
}
