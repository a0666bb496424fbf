import DaemonTestSupport
import LocationConfiguration
import LocationCore
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import TestSupport
import Testing
import VarlinkIDL

@testable import Varlink

private let notDeclared = "org.locationd.Authorization.ClientNotDeclared"
private let limitExceeded = "org.locationd.Location.LimitExceeded"

/// Who gets in, and what it may have.
@Suite("Admission", .timeLimit(.minutes(10)))
struct AdmissionTests {
    @Test("the error for an undeclared program contains the command that declares it", arguments: Transport.allCases)
    func undeclared(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.connect(as: .example("/usr/bin/other"))
            for method in ["Location.GetLocation", "Location.Subscribe", "Authorization.GetStatus"] {
                try await peer.call(method, more: true)
                try await peer.expectError(
                    notDeclared, ["executable": .string("/usr/bin/other")],
                    saying: ["locationctl clients add --executable /usr/bin/other --when-in-use '"])
            }
        }
    }

    @Test(
        "an undeclared script gets the advice to declare its unit, never its interpreter",
        arguments: [
            (nil, nil, "clients add --user-unit NAME --when-in-use"),
            ("where.service", nil, "sudo locationctl clients add --user-unit where.service --when-in-use"),
            ("run-u12.service", nil, "clients add --user-unit NAME"),
            ("app-org.gnome.Terminal-3.scope", nil, "clients add --user-unit NAME"),
            (
                nil, "where-am\\x2di.service",
                "sudo locationctl clients add --system-unit 'where-am\\x2di.service' --when"
            ),
        ] as [(String?, String?, String)])
    func undeclaredScript(userUnit: String?, systemUnit: String?, advice: String) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            var script = PeerIdentity.example("/usr/bin/python3.11")
            script.session = nil
            (script.userUnit, script.systemdUnit) = (userUnit, systemUnit)
            let peer = try await daemon.connect(as: script)
            try await peer.call("Location.GetLocation")
            try await peer.expectError(
                notDeclared, saying: ["/usr/bin/python3.11 runs it, and all other Python programs", advice])
        }
    }

    @Test("an unidentified program can be declared by its unit only", arguments: Transport.allCases)
    func unidentifiedProgram(transport: Transport) async throws {
        var declaration = ClientDeclaration.example()
        declaration.match.executable = nil
        declaration.match.systemdUnit = "weather.service"
        try await DaemonUnderTest.run(transport, clients: [declaration]) { daemon in
            let stranger = try await daemon.connect(as: .example(nil))
            try await stranger.call("Location.GetLocation")
            try await stranger.expectError(notDeclared, saying: ["process 77", "could not be identified"])
            var peer = PeerIdentity.example(nil)
            peer.systemdUnit = "weather.service"
            #expect(
                try await daemon.connect(as: peer).ask("Authorization.GetStatus")["parameters"]?["client"]
                    == .string("org.example.App"))
        }
    }

    @Test(
        "a program outside the daemon's namespaces gets the reason, and the log contains it once",
        arguments: Transport.allCases)
    func unseenProgram(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            var peer = PeerIdentity.example(nil)
            // Its own word: it is the path of the declared one.
            peer.unverifiedExecutable = UnverifiedExecutable(path: "/usr/bin/example", reason: .closedDirectory)
            for _ in 1...2 {
                let stranger = try await daemon.connect(as: peer)
                try await stranger.call("Location.GetLocation")
                try await stranger.expectError(
                    notDeclared,
                    saying: ["SystemdUnit", "the service's user may not enter a directory on the way to it"])
            }
            let told = daemon.log.lines.filter { $0.contains("of user 4242 runs /usr/bin/example, which cannot be") }
            #expect(told.count == 1)
        }
    }

    @Test("a program whose file was replaced gets the advice to restart, and not to declare anything")
    func replacedProgram() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            var peer = PeerIdentity.example(nil)
            peer.systemdUnit = "user@1000.service"
            peer.unverifiedExecutable = UnverifiedExecutable(path: "/usr/bin/example", reason: .replaced)
            let stranger = try await daemon.connect(as: peer)
            let said = ["/usr/bin/example was replaced while this program was running", "Start it again."]
            try await stranger.call("Location.GetLocation")
            try await stranger.expectError(notDeclared, saying: said)
            try await stranger.call("Agent.Register", more: true)
            try await stranger.expectError("org.locationd.Agent.NotAnAgent", saying: said)
        }
    }

    @Test("the error for a program that two declarations match equally well names both", arguments: Transport.allCases)
    func ambiguous(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport, clients: [.example("org.example.A"), .example("org.example.B")]) {
            daemon in
            let peer = try await daemon.connect()
            try await peer.call("Location.GetLocation")
            try await peer.expectError(
                notDeclared, saying: ["/clients.d/org.example.A.plist", "/clients.d/org.example.B.plist"])
        }
    }

    static let policies: [(policy: ClientPolicy, status: String, accuracy: String)] = [
        (.preset(.always), "authorizedAlways", "full"),
        (.preset(.whenInUse), "authorizedWhenInUse", "full"),
        (.preset(.always, upTo: .whenInUse), "authorizedWhenInUse", "full"),
        (.preset(.always, accuracy: .reduced), "authorizedAlways", "reduced"),
        (.restricted, "restricted", "full"),
        (ClientPolicy(), "notDetermined", "full"),
    ]

    @Test(
        "GetStatus returns the client and the status of the declaration that matches the caller",
        arguments: Transport.allCases)
    func statusOfMatchingDeclaration(transport: Transport) async throws {
        for (policy, status, accuracy) in Self.policies {
            try await DaemonUnderTest.run(transport, clients: [.example(policy: policy)]) { daemon in
                let peer = try await daemon.connect()
                try await peer.call("Authorization.GetStatus")
                try await peer.expect(
                    #"{"parameters":{"client":"org.example.App","status":"\#(status)","accuracy":"\#(accuracy)"}}"#)
            }
        }
    }

    @Test("a restricted client gets one diagnostic and no location", arguments: Transport.allCases)
    func restricted(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport, clients: [.example(policy: .restricted)]) { daemon in
            let asking = try await daemon.connect()
            try await asking.call("Location.GetLocation")
            try await asking.expectError(
                "org.locationd.Authorization.NotAuthorized",
                ["client": .string("org.example.App"), "status": .string("restricted")],
                saying: ["/clients.d/org.example.App.plist", "Policy.Restricted"])
            let peer = try await daemon.subscribe()
            try await daemon.emit(Fix(number: 1).event, .unavailable(.silent), Fix(number: 2).event)
            try await peer.expect(diagnostic("authorizationRestricted"))
            try await daemon.reload { $0.clients = [.example()] }
            try await daemon.emit(Fix(number: 3).event)
            try await peer.expect(Fix(number: 3).delivery())
        }
    }

    /// Whatever else such a client is told meanwhile, and whenever: its stream is read to its end.
    @Test(
        "in the background, or with full accuracy for a reduced client, no location passes",
        arguments: Transport.allCases)
    func nothingPasses(transport: Transport) async throws {
        for policy in [ClientPolicy.preset(.whenInUse), .preset(.always, accuracy: .reduced)] {
            try await DaemonUnderTest.run(transport, clients: [.example(policy: policy)]) { daemon in
                try await daemon.setInUse(false)
                let peer = try await daemon.subscribe()
                for number in 1...50 { try await daemon.emit(Fix(number: number).event) }
                try await daemon.reload { $0.clients = [] }
                var reply: JSONValue
                repeat {
                    reply = try await peer.next()
                    for number in 1...50 {
                        #expect(reply["parameters"]?["location"]?["latitude"] != .number(Fix(number: number).latitude))
                    }
                } while reply["error"] == nil
                #expect(reply["error"] == .string(notDeclared))
            }
        }
    }

    @Test("a peer that cannot be identified is refused, and that is logged", arguments: Transport.allCases)
    func unidentified(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.connect(as: nil)
            try await peer.expectError("org.varlink.service.PermissionDenied")
            #expect(daemon.log.lines.contains { $0.contains("could not be identified: it wears a mask") })
        }
    }

    @Test(
        "a connection beyond ConnectionsPerUser is refused, and one more is accepted after another is closed",
        arguments: Transport.allCases)
    func connectionsPerUser(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport, limits: { $0.connectionsPerUser = 2 }) { daemon in
            let peers = [try await daemon.connect(), try await daemon.connect()]
            for peer in peers { _ = try await peer.ask("Authorization.GetStatus") }
            let third = try await daemon.connect()
            let limit: [String: JSONValue] = ["limit": .string("ConnectionsPerUser"), "value": .integer(2)]
            // The process of both, and how to end it.
            try await third.expectError(
                limitExceeded, limit, saying: ["user 4242: example (process 77) has 2 of 2", "run: kill 77"])
            #expect(try await third.receive() == nil)
            // Another user is not concerned, and a place that is given up can be taken.
            _ = try await daemon.connect(as: .example(user: 1)).ask("Authorization.GetStatus")
            try await daemon.wait(connections: 2) { await peers[0].close() }
            #expect(try await daemon.connect().ask("Authorization.GetStatus")["error"] == nil)
        }
    }

    @Test(
        "programs cannot keep their user from deciding: each front end is counted separately, and agents have a share of their own"
    )
    func shares() async throws {
        try await DaemonUnderTest.run(.inProcess, limits: { $0.connectionsPerUser = 2 }) { daemon in
            for number in 0..<2 { _ = try await daemon.connectUndeclared("/usr/bin/undeclared\(number)", user: 4242) }
            await #expect(throws: Refusal.self) {
                _ = try await daemon.connectUndeclared("/usr/bin/undeclared", user: 4242)
            }
            for _ in 0..<2 { #expect(try await daemon.connect().ask("Authorization.GetStatus")["error"] == nil) }
            try await daemon.connect().expectError(
                limitExceeded, ["limit": .string("ConnectionsPerUser"), "value": .integer(2)])
            // Those of the share, and no more.
            for _ in 0..<16 {
                let agent = try await daemon.connect(as: .agent)
                // It is no client; but it is answered.
                #expect(try await agent.ask("Authorization.GetStatus")["error"] == .string(notDeclared))
            }
            try await daemon.connect(as: .agent).expectError(
                limitExceeded, ["limit": .string("ConnectionsPerUser"), "value": .integer(2)])
        }
    }

    @Test("a subscription beyond SubscriptionsPerUser is refused with the limit", arguments: Transport.allCases)
    func subscriptionsPerUser(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport, limits: { $0.subscriptionsPerUser = 1 }) { daemon in
            let first = try await daemon.subscribe()
            let second = try await daemon.connect()
            try await second.call("Location.Subscribe", more: true)
            try await second.expectError(
                limitExceeded, ["limit": .string("SubscriptionsPerUser"), "value": .integer(1)])
            _ = try await daemon.subscribe(as: .example(user: 1))
            try await daemon.wait(subscriptions: 1) { await first.close() }
            try await daemon.wait(subscriptions: 2) { try await second.call("Location.Subscribe", more: true) }
            try await daemon.emit(Fix(number: 1).event)
            try await second.expect(Fix(number: 1).delivery())
        }
    }

    @Test("a connection that exceeds BytesPerUser is closed with the limit", arguments: Transport.allCases)
    func bytesPerUser(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport, limits: { $0.bytesPerUser = 1000 }) { daemon in
            let first = try await daemon.connect()
            try await first.send(String(repeating: " ", count: 600))
            let second = try await daemon.connect()
            // One user's room is not another's.
            let other = try await daemon.connect(as: .example(user: 1))
            let call = #"{"method":"org.locationd.Authorization.GetStatus"}"# + "\0"
            try await other.send(String(repeating: " ", count: 600))
            _ = try await second.ask("Authorization.GetStatus")
            try await second.send(String(repeating: " ", count: 600))
            let limit: [String: JSONValue] = ["limit": .string("BytesPerUser"), "value": .integer(1000)]
            try await second.expectError(limitExceeded, limit)
            #expect(try await second.receive() == nil)
            for peer in [first, other] {
                try await peer.send(call)
                #expect(try await peer.next()["parameters"]?["status"] != nil)
            }
            // More room is there as soon as the configuration says so.
            try await daemon.reload { $0.daemon.limits.bytesPerUser = 5000 }
            let third = try await daemon.connect()
            try await third.send(String(repeating: " ", count: 2000) + call)
            #expect(try await third.next()["parameters"]?["status"] != nil)
        }
    }

    @Test("a message longer than MessageSize is refused with the limit", arguments: Transport.allCases)
    func messageSize(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport, limits: { $0.messageSize = 4096 }) { daemon in
            let long = try await daemon.connect()
            try await long.send(String(repeating: " ", count: 4097))
            try await long.expectError(limitExceeded, ["limit": .string("MessageSize"), "value": .integer(4096)])
            #expect(try await long.receive() == nil)
        }
    }

    @Test("all calls that a client sends without waiting are answered in order", arguments: Transport.allCases)
    func pipelinedCalls(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let eager = try await daemon.connect()
            let call = #"{"method":"org.locationd.Location.GetLocation"}"# + "\0"
            var needs = daemon.source.needs.makeAsyncIterator()
            let status = #"{"method":"org.locationd.Authorization.GetStatus"}"# + "\0"
            try await eager.send(String(repeating: call, count: 3) + String(repeating: status, count: 1000))
            #expect(await needs.next() == true)
            for number in 1...3 {
                try await daemon.emit(Fix(number: number).event)
                let answer = try await eager.next()
                #expect(answer["parameters"]?["location"] != nil)
            }
            for _ in 0..<1000 { #expect(try await eager.next()["parameters"]?["status"] != nil) }
        }
    }

    /// GeoClue believes any program's word about its name; there is nothing here that a name could be told to.
    @Test("a client name in the parameters is ignored")
    func claimedClientNameIsIgnored() async throws {
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
            _ = try await daemon.decide("authorizedAlways")
            let liar = try await daemon.connect(as: .example("/tmp/liar"))
            try await liar.call(
                "Location.Subscribe", #"{"client":"org.example.App","CFBundleIdentifier":"org.example.App"}"#,
                more: true)
            try await liar.expectError("org.locationd.Authorization.ClientNotDeclared", saying: ["/tmp/liar"])
        }
    }

    @Test(
        "whatever an undeclared program sends, the error is that it is undeclared, and never about its parameters",
        arguments: [LocationInterface.text, AuthorizationInterface.text, MonitorInterface.text])
    func declarationComesFirst(interface: String) async throws {
        let interface = try InterfaceDescription(interface)
        let broken = """
            {"timeout":"x","rate":-1,"distanceFilter":-1,"monitor":[],"identifier":"","purposeKey":3,\
            "condition":{"polygon":[{"latitude":100,"longitude":0}]},"assuming":"there"}
            """
        try await DaemonUnderTest.run(.socket, clients: [.undecided]) { daemon in
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
}
