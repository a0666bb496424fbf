import DaemonTestSupport
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

@Suite("Causes of receiving nothing", .timeLimit(.minutes(10)))
struct CauseTests {
    private static let declaration = ClientDeclaration.example(policy: .preset(.whenInUse))

    private static func evidence(
        _ place: UsageEvidence.Place, _ terminal: UsageEvidence.Terminal = .none
    ) -> UsageEvidence {
        UsageEvidence(place: place, terminal: terminal)
    }

    private static func session(_ change: (inout LoginSession) -> Void = { _ in }) -> LoginSession {
        var session = LoginSession(isActive: true)
        change(&session)
        return session
    }

    /// The evidence, the reason that programs get, and a part of what people read.
    static let rows: [(UsageEvidence, LocationInterface.Reason, String)] = [
        (evidence(.unknown), .noLogind, "systemd-logind is not running"),
        (evidence(.background), .noSession, "outside of any login session"),
        (evidence(.session(session()), .background), .backgroundJob, "Bring it to the foreground (fg)"),
        (evidence(.session(session { $0.isLocked = true })), .sessionLocked, "Unlock it"),
        (evidence(.session(session { $0.isClosing = true })), .sessionClosing, "Log in and start it again"),
        (evidence(.session(session { $0.isActive = false })), .sessionNotActive, "Switch back"),
        (evidence(.session(session { $0.isOfPerson = false })), .sessionNotOfPerson, "login screen"),
        (evidence(.application(shownIn: nil)), .noDesktop, "no graphical session"),
    ]

    @Test(
        "the cause for a client that is a unit contains the command that allows it always: a unit is never in use",
        arguments: [true, false])
    func unitIsAllowedAlways(isUnit: Bool) async throws {
        var declaration = ClientDeclaration.example(policy: ClientPolicy())
        declaration.whenInUseUsageDescription = "Tests."
        if isUnit { declaration.match.userUnit = "example.service" }
        var peer = PeerIdentity.example()
        peer.userUnit = "example.service"
        try await DaemonUnderTest.run(.inProcess, clients: [declaration]) { [peer] daemon in
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            let set = #"{"client":"org.example.App","authorization":"denied"}"#
            try await manager.call("Manager.SetAuthorization", set)
            try await daemon.finishDiskWork()
            #expect(try await manager.next()["error"] == nil)
            let client = try await daemon.connect(as: peer)
            let refused = try await client.ask("Location.GetLocation")
            guard case .string(let message)? = refused["parameters"]?["message"] else {
                throw AwaitedInVain("a message")
            }
            #expect(message.hasSuffix("run: locationctl allow \(isUnit ? "--always " : "")org.example.App"))
        }
    }

    @Test("explain reports that no agent runs that could ask the user")
    func explainWithoutAgent() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [.undecided]) { daemon in
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            func explained() async throws -> String {
                "\(try await manager.ask("Manager.Explain", #"{"client":"org.example.App"}"#))"
            }
            #expect(try await explained().contains("no agent is running that could ask the user"))
            _ = try await daemon.register()
            let text = try await explained()
            #expect(text.contains("the user is asked when the program asks") && !text.contains("no agent"))
        }
    }

    @Test("a subscription, GetStatus, GetLocation and explain name the same evidence", arguments: rows.indices)
    func evidence(row: Int) async throws {
        let (evidence, reason, words) = Self.rows[row]
        try await DaemonUnderTest.run(.inProcess, clients: [Self.declaration]) { daemon in
            try await daemon.setEvidence(evidence)
            let peer = try await daemon.subscribe()
            let told = try await peer.next()["parameters"]
            #expect(told?["diagnostic"] == .string("insufficientlyInUse"))
            try expect(told?["cause"], reason, words)

            let other = try await daemon.connect()
            try expect(try await other.ask("Authorization.GetStatus")["parameters"]?["cause"], reason, words)
            let refused = try await other.ask("Location.GetLocation")
            #expect(refused["error"] == .string("org.locationd.Authorization.NotAuthorized"))
            try expect(refused["parameters"], reason, words)

            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            let steps = try await manager.ask("Manager.Explain", #"{"client":"org.example.App"}"#)["parameters"]?[
                "steps"]
            guard case .array(let list)? = steps, case .string(let found)? = list.last?["found"] else {
                Issue.record("no steps")
                return
            }
            #expect(found.contains(words))
        }
    }

    private func expect(
        _ cause: JSONValue?, _ reason: LocationInterface.Reason, _ words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(cause?["reason"] == .string(reason.rawValue), sourceLocation: sourceLocation)
        guard case .string(let message)? = cause?["message"] else {
            Issue.record("no message", sourceLocation: sourceLocation)
            return
        }
        #expect(message.contains(words), sourceLocation: sourceLocation)
        #expect(message.contains("locationctl allow --always org.example.App"), sourceLocation: sourceLocation)
    }

    @Test("switched-off services differ from a denial, and name whose switch it is")
    func servicesOff() async throws {
        // Over a socket, since the disk answers in its own time.
        try await DaemonUnderTest.run(.socket) { daemon in
            let peer = try await daemon.subscribe()
            for (isSystem, reason) in [(false, "servicesOffForUser"), (true, "servicesOffForMachine")] {
                let manager = try await daemon.connect(as: .example("/usr/bin/locationctl", user: isSystem ? 0 : 4242))
                let parameters = #"{"isEnabled":false,"isSystem":\#(isSystem)}"#
                #expect(try await manager.ask("Manager.SetEnabled", parameters)["error"] == nil)
                let told = try await peer.next()["parameters"]
                #expect(told?["diagnostic"] == .string("authorizationDenied"))
                #expect(told?["cause"]?["reason"] == .string(reason))
            }
        }
    }

    @Test("significant changes with while in use report that always is missing")
    func needsAlways() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: [Self.declaration]) { daemon in
            let peer = try await daemon.subscribe(#"{"significantChanges":true}"#)
            let told = try await peer.next()["parameters"]
            #expect(told?["diagnostic"] == .string("authorizationDenied"))
            #expect(told?["cause"]?["reason"] == .string("needsAlways"))
        }
    }

    @Test("an unanswered prompt ends a subscription with that error, not with a denial")
    func unanswered() async throws {
        var declaration = ClientDeclaration.example(policy: ClientPolicy())
        declaration.whenInUseUsageDescription = "For a test."
        try await DaemonUnderTest.run(.inProcess, clients: [declaration]) { daemon in
            let peer = try await daemon.subscribe()
            try await peer.expect(diagnostic("authorizationRequestInProgress"))
            await daemon.turnClock(by: .seconds(61))
            try await peer.expectError("org.locationd.Authorization.NoAgent", saying: ["locationctl agent"])
        }
    }

    @Test("without an agent streams and requests name the cause at once, and a new agent shows the prompt")
    func hiddenPrompt() async throws {
        var declaration = ClientDeclaration.example(policy: ClientPolicy())
        declaration.whenInUseUsageDescription = "For a test."
        try await DaemonUnderTest.run(.inProcess, clients: [declaration]) { daemon in
            let cause = try json(
                #"{"reason":"noAgent","message":"The prompt about org.example.App cannot be shown, because no agent is "#
                    + #"running. To show prompts in a terminal, run: locationctl agent; or to allow it, run: locationctl "#
                    + #"allow org.example.App"}"#)
            let stream = try await daemon.subscribe()
            let told = try await stream.next()["parameters"]
            #expect(told?["diagnostic"] == .string("authorizationRequestInProgress"))
            #expect(told?["cause"] == cause)
            let request = try await daemon.connect()
            try await request.call("Authorization.RequestWhenInUse", more: true)
            let pending = try await request.next()
            #expect(pending["continues"] == .bool(true))
            #expect(pending["parameters"]?["status"] == .string("notDetermined"))
            #expect(pending["parameters"]?["cause"] == cause)
            let plain = try await daemon.connect()
            try await plain.call("Authorization.RequestWhenInUse")
            #expect(try await plain.receive() == nil, "it has one reply only")

            await daemon.turnClock(by: .seconds(30))
            let agent = try await daemon.register()
            let id = try await agent.nextPrompt()
            let shown = try await stream.next()["parameters"]
            #expect(shown?["diagnostic"] == .string("authorizationRequestInProgress") && shown?["cause"] == nil)
            let answering = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            try await answering.call("Agent.Answer", #"{"id":\#(id),"choice":"dontAllow"}"#)
            try await daemon.finishDiskWork()
            for peer in [request, plain] {
                let answer = try await peer.next()
                #expect(answer["continues"] == nil && answer["parameters"]?["status"] == .string("denied"))
            }
            #expect(try await stream.next()["parameters"]?["diagnostic"] == .string("authorizationDenied"))
        }
    }

    @Test("temporary full accuracy of a program that is not in use stays reduced, with the cause")
    func temporaryAccuracyWithoutUse() async throws {
        var declaration = ClientDeclaration.example(policy: .preset(.always))
        declaration.isReducedAccuracyDefault = true
        declaration.temporaryFullAccuracyPurposes = ["radar": "Finds the shower."]
        try await DaemonUnderTest.run(.inProcess, clients: [declaration]) { daemon in
            try await daemon.setEvidence(Self.evidence(.background))
            let agent = try await daemon.register()
            let client = try await daemon.connect()
            try await client.call("Authorization.RequestTemporaryFullAccuracy", #"{"purposeKey":"radar"}"#)
            let prompt = try await agent.nextPrompt()
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            _ = try await manager.ask("Agent.Answer", #"{"id":\#(prompt),"choice":"allowOnce"}"#)
            try await daemon.settle()
            let answer = try await client.next()["parameters"]
            #expect(answer?["accuracy"] == .string("reduced"))
            #expect(answer?["cause"]?["reason"] == .string("noSession"))
        }
    }

    @Test("missing headings have a cause, reported once")
    func noCompass() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peer = try await daemon.subscribe(#"{"headingOnly":true}"#)
            try await daemon.emit(Fix(number: 1).event)
            await daemon.turnClock(by: .seconds(5))
            #expect(try await peer.receive() == nil)
            try await daemon.emit(Fix(number: 2).event)
            await daemon.turnClock(by: .seconds(1))
            let told = try await peer.next()["parameters"]
            #expect(told?["diagnostic"] == .string("locationUnavailable"))
            #expect(
                told?["cause"]
                    == (try json(
                        #"{"reason":"noCompass","message":"Neither a receiver nor this machine has a compass."}"#)))
            try await daemon.emit(heading(95))
            #expect(try await peer.next()["parameters"]?["heading"]?["trueHeading"]?.number == 95)
        }
    }

    @Test("headings are delivered without locations")
    func headingOnly() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let peer = try await daemon.subscribe(#"{"headingOnly":true}"#)
            try await daemon.emit(Fix(number: 1).event, heading(90), Fix(number: 2).event)
            #expect(try await peer.next()["parameters"]?["heading"]?["trueHeading"]?.number == 90)
            try await daemon.emit(heading(95))
            #expect(try await peer.next()["parameters"]?["heading"]?["trueHeading"]?.number == 95)
        }
    }

    private func heading(_ degrees: Double) -> SourceEvent {
        .heading(Heading(trueHeading: degrees, timestamp: Timestamp("2026-11-21T08:30:00Z")!))
    }

    @Test("an unknown client is answered with the likely one")
    func suggestion() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            for name in ["app", "org.example.Ap", "Org.Example.App"] {
                let reply = try await manager.ask("Manager.Explain", #"{"client":"\#(name)"}"#)
                #expect(reply["parameters"]?["suggestion"] == .string("org.example.App"), "\(name)")
            }
            let reply = try await manager.ask("Manager.Explain", #"{"client":"elsewhere"}"#)
            #expect(reply["error"] != nil && reply["parameters"]?["suggestion"] == nil)
        }
    }
}
