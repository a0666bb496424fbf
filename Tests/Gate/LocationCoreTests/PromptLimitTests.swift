import DaemonTestSupport
import Glibc
import LinuxPlumbing
import LocationConfiguration
import LocationModel
import LocationPolicy
import Testing

@testable import LocationCore
@testable import Varlink

/// The number of prompts that a program and a user may have.
@Suite("Limits of prompts", .timeLimit(.minutes(10))) struct PromptLimitTests {
    @Test("a client that has exhausted its prompt budget has to wait")
    func exhaustedPromptBudgetDelays() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
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

    @Test("undeclared programs share a budget of prompts, whatever their names, and declared ones do not")
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
}
