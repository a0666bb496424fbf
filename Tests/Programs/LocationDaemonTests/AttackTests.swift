import DaemonTestSupport
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import Testing

@testable import LocationCore
@testable import LocationDaemon
@testable import PeerIdentification
@testable import Varlink
@testable import VarlinkFrontEnd

/// Attacks on the service that once succeeded, each as it was found.
@Suite(.timeLimit(.minutes(10))) struct AttackTests {
    /// What takes the exact location from a client while its request waits for a more exact one.
    enum Lowering: CaseIterable, Sendable {
        case decision, policy, endOfTemporaryFullAccuracy
    }

    @Test("a request that waits gets nothing exact after that was taken away", arguments: Lowering.allCases)
    func exactAfterReduced(lowering: Lowering) async throws {
        var declaration = ClientDeclaration.example(policy: .preset(.whenInUse))
        declaration.whenInUseUsageDescription = "Shows the weather."
        declaration.temporaryFullAccuracyPurposes = ["radar": "Finds the shower."]
        declaration.isReducedAccuracyDefault = lowering == .endOfTemporaryFullAccuracy
        let exact = Fix(number: 1, accuracy: 8)
        try await DaemonUnderTest.run(.inProcess, clients: [declaration]) { [declaration] daemon in
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            if lowering == .endOfTemporaryFullAccuracy {
                let agent = try await daemon.register()
                let asking = try await daemon.connect()
                try await asking.call("Authorization.RequestTemporaryFullAccuracy", #"{"purposeKey":"radar"}"#)
                let prompt = try await agent.nextPrompt()
                _ = try await manager.ask("Agent.Answer", #"{"id":\#(prompt),"choice":"allowOnce"}"#)
                #expect(try await asking.next()["parameters"]?["accuracy"] == .string("full"))
            }
            let client = try await daemon.connect()
            try await client.call("Location.GetLocation", #"{"timeout":4,"desiredAccuracy":0.5}"#)
            try await daemon.settle()
            try await daemon.emit(exact.event)
            #expect(try await client.receive() == nil, "it waits for a more exact one")
            switch lowering {
            case .decision:
                try await manager.call("Manager.SetAccuracy", #"{"client":"org.example.App","accuracy":"reduced"}"#)
                try await daemon.finishDiskWork()
                #expect(try await manager.next()["error"] == nil)
            case .policy:
                try await daemon.reload { configuration in
                    configuration.clients = [declaration]
                    configuration.clients[0].policy.maximumAccuracy = .reduced
                }
            case .endOfTemporaryFullAccuracy: try await daemon.setInUse(false)
            }
            await daemon.turnClock(by: .seconds(4))
            for _ in 0..<3 { try await daemon.finishDiskWork() }
            let answer = try await client.next()
            #expect(answer["parameters"]?["location"]?["latitude"]?.number != exact.latitude)
            #expect(answer["parameters"]?["location"]?["speed"] == nil)
        }
    }

    @Test("a request with reduced accuracy is answered when the secret of its grid arrives, without a further fix")
    func secretArrives() async throws {
        let reduced = ClientDeclaration.example(policy: .preset(.always, accuracy: .reduced))
        try await DaemonUnderTest.run(.inProcess, clients: [.example("org.example.B", executable: "/b"), reduced]) {
            daemon in
            let other = try await daemon.subscribe(as: .example("/b"))
            try await daemon.emit(Fix(number: 1).event)
            try await other.expect(Fix(number: 1).delivery())
            let client = try await daemon.connect()
            try await client.call("Location.GetLocation")
            for _ in 0..<3 { try await daemon.finishDiskWork() }
            let location = try await client.next()["parameters"]?["location"]
            #expect(location?["latitude"] != nil)
            #expect(location?["latitude"]?.number != Fix(number: 1).latitude)
        }
    }

    @Test("a request that waits while the accuracy gets worse is not answered with an old location")
    func oldAsNew() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let client = try await daemon.connect()
            try await client.call("Location.GetLocation", #"{"timeout":65,"desiredAccuracy":3}"#)
            try await daemon.settle()
            for second in 1...64 {
                await daemon.turnClock(by: .seconds(1))
                try await daemon.emit(Fix(number: second, accuracy: 4 + Double(second) / 10).event)
            }
            await daemon.turnClock(by: .seconds(1))
            let location = try await client.next()["parameters"]?["location"]
            let number = try #require((1...64).first { location?["latitude"]?.number == Fix(number: $0).latitude })
            #expect(number >= 62, "it is \(65 - number) s old")
        }
    }

    @Test("no state remains of users and clients without decisions after they disconnect")
    func nothingStays() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let before = try await daemon.knownUsersAndClients()
            for user in 10_000..<10_200 as Range<UInt32> {
                let peer = try await daemon.connect(as: .example(user: user))
                #expect(try await peer.ask("Authorization.GetStatus")["error"] == nil)
                let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: user))
                #expect(try await manager.ask("Manager.Explain", #"{"client":"org.example.App"}"#)["error"] == nil)
                await peer.close()
                await manager.close()
            }
            try await daemon.settle()
            #expect(try await daemon.knownUsersAndClients() == before)
        }
    }

    @Test("a client that had a location is forgotten a minute later, once that is in the history")
    func forgottenAfterAccess() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peer = try await daemon.subscribe(as: .example(user: 5000))
            try await daemon.emit(Fix(number: 1).event)
            try await peer.expect(Fix(number: 1).delivery())
            await peer.close()
            try await daemon.settle()
            #expect(try await daemon.knownUsersAndClients() == [1, 1])
            daemon.setClock(ahead: .seconds(120))
            await daemon.turnClock(by: .seconds(120))
            #expect(try await daemon.knownUsersAndClients() == [0, 0])
        }
    }

    @Test("under temporary full accuracy the explanation names the accuracy that is delivered")
    func explanationAgrees() async throws {
        var declaration = ClientDeclaration.example(policy: .preset(.whenInUse))
        declaration.isReducedAccuracyDefault = true
        declaration.temporaryFullAccuracyPurposes = ["radar": "Finds the shower."]
        try await DaemonUnderTest.run(.inProcess, clients: [declaration]) { daemon in
            let agent = try await daemon.register()
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            let client = try await daemon.connect()
            func accuracyStep() async throws -> JSONValue? {
                let explanation = try await manager.ask("Manager.Explain", #"{"client":"org.example.App"}"#)
                guard case .array(let steps) = explanation["parameters"]?["steps"] else { return nil }
                return steps.first { $0["rule"] == .string("How exactly?") }?["found"]
            }
            try await client.call("Authorization.RequestTemporaryFullAccuracy", #"{"purposeKey":"radar"}"#)
            let prompt = try await agent.nextPrompt()
            #expect(try await accuracyStep() == .string("reduced"))
            _ = try await manager.ask("Agent.Answer", #"{"id":\#(prompt),"choice":"allowOnce"}"#)
            #expect(try await client.next()["parameters"]?["accuracy"] == .string("full"))
            #expect(try await accuracyStep() == .string("full, until it is no longer in use"))
            try await client.call("Location.Subscribe", more: true)
            try await daemon.settle()
            try await daemon.emit(Fix(number: 1).event)
            try await client.expect(Fix(number: 1).delivery())
        }
    }
}
