import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import Testing

@testable import LocationCore
@testable import Varlink

/// Answers and decisions while the disk is still at an earlier one.
@Suite("Decisions that are being saved", .timeLimit(.minutes(10))) struct SavedAnswerTests {
    @Test("an answer that is saved late does not count for the next prompt")
    func lateSavedAnswerDoesNotAnswerNextPrompt() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
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

    @Test("a second answer to a prompt, while the first is saved or later, does not count for the next prompt")
    func answerCountsForItsOwnPromptOnly() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
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
            #expect(try await client.next()["parameters"]?["status"] == .string("authorizedWhenInUse"))
            try await agent.expect(#"{"parameters":{"withdrawn":\#(first)},"continues":true}"#)
            let second = try await agent.nextPrompt()
            #expect(
                try await daemon.answer(first, "dontAllow")["error"] == .string("org.locationd.Agent.NoSuchPrompt"))
            #expect(
                try await daemon.answer(second, "changeToAlways")["error"] == nil, "the following prompt is still open")
            #expect(try await another.next()["parameters"]?["status"] == .string("authorizedAlways"))
        }
    }

    @Test("a denial by command refuses at once while another decision is being saved, and outlives it")
    func denialDoesNotWaitForAnotherSave() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
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
}
