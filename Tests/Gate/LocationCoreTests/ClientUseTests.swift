import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import Testing

@testable import LocationCore
@testable import Varlink

/// Clients in use and in the background. With a store on disk, so over a socket.
@Suite("Use of a client", .timeLimit(.minutes(10))) struct ClientUseTests {
    @Test("a client in the background is suspended, and resumes when it is in use again")
    func backgroundClientIsSuspendedAndResumes() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
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
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
            _ = try await daemon.decide("authorizedWhenInUse")
            let client = try await daemon.connect()
            try await daemon.waitForSource { try await client.call("Location.Subscribe", more: true) }
            try await daemon.emit(Fix(number: 1).event)
            try await client.expect(Fix(number: 1).delivery())
        }
    }

    @Test("allow once ends when the client is no longer in use")
    func onceEndsWithUse() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
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
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
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
            let id = try #require(prompt?["id"]?.integer)
            _ = try await daemon.answer(id, "changeToAlways")
            #expect(try await locationTime(client) == Fix(number: 2).time, "what was due")
        }
    }

    @Test("a background activity keeps a client in use while an agent shows it")
    func shownActivityKeepsClientInUse() async throws {
        var declaration = ClientDeclaration.undecided
        declaration.hasLocationBackgroundMode = true
        try await DaemonUnderTest.run(.socket, clients: [declaration]) { daemon in
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
        try await DaemonUnderTest.run(.socket, clients: [declaration]) { daemon in
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
}
