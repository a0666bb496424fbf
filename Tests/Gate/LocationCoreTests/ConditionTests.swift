import DaemonTestSupport
import Glibc
import LocationConditions
import LocationConfiguration
import LocationInterface
import LocationModel
import LocationPolicy
import LocationSources
import LocationStore
import NIOCore
import TestSupport
import Testing

@testable import LocationCore
@testable import Varlink

extension DaemonUnderTest {
    /// Two fixes at a place, a second apart: certain evidence. A number is 111 m. Returns the time of the second one.
    @discardableResult
    func stay(at number: Int, from later: Int64) async throws -> String {
        try await emit(Fix(number: number, later: later).event)
        await turnClock(by: .seconds(1))
        try await emit(Fix(number: number, later: later + 1).event)
        try await finishDiskWork()
        return Fix(number: number, later: later + 1).time
    }

    /// Adds a circle of 100 m around the fix 0, unless it is another one.
    func addCondition(
        _ identifier: String = "home", monitor: String = "m", shape: String = circle(0),
        as peer: PeerIdentity = .example()
    ) async throws -> JSONValue {
        let connection = try await connect(as: peer)
        try await connection.call(
            "Monitor.AddCondition",
            #"{"monitor":"\#(monitor)","identifier":"\#(identifier)","condition":\#(shape)}"#)
        try await finishDiskWork()
        let reply = try await connection.next()
        await connection.close()
        return reply
    }

    /// Opens a stream of a monitor, past its first reply.
    func watchConditions(monitor: String = "m", as peer: PeerIdentity = .example()) async throws -> any Peer {
        let stream = try await connect(as: peer)
        try await stream.call("Monitor.WatchConditions", #"{"monitor":"\#(monitor)"}"#, more: true)
        try await stream.expect(watched)
        return stream
    }

    /// Lets the user decide about the example client.
    func setAuthorization(_ authorization: String, user: UInt32 = 4242) async throws {
        let manager = try await connect(as: .example("/usr/bin/locationctl", user: user))
        try await manager.call(
            "Manager.SetAuthorization", #"{"client":"org.example.App","authorization":"\#(authorization)"}"#)
        try await finishDiskWork()
        _ = try await manager.next()
        await manager.close()
    }
}

/// A circle of 100 m around a fix.
func circle(_ number: Int, radius: Double = 100) -> String {
    #"{"circle":{"latitude":\#(Fix(number: number).latitude),"longitude":11.5,"radius":\#(radius)}}"#
}

/// The reply that says that conditions are watched.
private let watched = #"{"parameters":{},"continues":true}"#

private func event(_ state: String, _ date: String, of identifier: String = "home") -> String {
    #"{"parameters":{"event":{"identifier":"\#(identifier)","state":"\#(state)","date":"\#(date)"}},"continues":true}"#
}

/// Watched places at the daemon's border, on a clock that the tests turn.
@Suite("Watched places", .timeLimit(.minutes(2))) struct ConditionTests {
    private static let clients: [ClientDeclaration] = [
        .example(),
        .example("org.example.Part", executable: "/part", policy: .preset(.whenInUse)),
        .example("org.example.Reduced", executable: "/reduced", policy: .preset(.always, accuracy: .reduced)),
    ]

    @Test("entering and leaving are told once each, with the state, and the last state can be asked for")
    func isTold() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            #expect(try await daemon.addCondition() == json(#"{"parameters":{}}"#))
            let stream = try await daemon.watchConditions()
            let entry = try await daemon.stay(at: 0, from: 0)
            try await stream.expect(event("satisfied", entry))
            await daemon.turnClock(by: .seconds(120))
            let exit = try await daemon.stay(at: 5, from: 200)
            try await stream.expect(event("unsatisfied", exit))
            try await daemon.stay(at: 6, from: 300)
            #expect(try await stream.receive() == nil)
            let asking = try await daemon.connect()
            let last = #"{"identifier":"home","state":"unsatisfied","date":"\#(exit)"}"#
            #expect(
                try await asking.ask("Monitor.ListConditions", #"{"monitor":"m"}"#)
                    == json(#"{"parameters":{"conditions":[\#(last)]}}"#))
            #expect(
                try await asking.ask("Monitor.GetCondition", #"{"monitor":"m","identifier":"home"}"#)
                    == json(#"{"parameters":{"condition":\#(circle(0)),"event":\#(last)}}"#))
            #expect(
                try await asking.ask("Monitor.GetCondition", #"{"monitor":"other","identifier":"home"}"#)
                    == json(#"{"parameters":{}}"#))
        }
    }

    @Test("what changed while nobody was connected is told on the next connection, once")
    func isToldLater() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            try await daemon.stay(at: 0, from: 0)
            await daemon.turnClock(by: .seconds(120))
            let exit = try await daemon.stay(at: 5, from: 200)
            let stream = try await daemon.connect()
            try await stream.call("Monitor.WatchConditions", #"{"monitor":"m"}"#, more: true)
            try await stream.expect(watched)
            try await stream.expect(event("unsatisfied", exit))
            await stream.close()
            let next = try await daemon.watchConditions()
            #expect(try await next.receive() == nil)
        }
    }

    @Test("conditions, states and what is untold survive a restart of the service, which watches without a client")
    func survivesRestart() async throws {
        let directory = try TemporaryDirectory()
        var entry = ""
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            _ = try await daemon.addCondition()
            entry = try await daemon.stay(at: 0, from: 0)
        }
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            #expect(try await daemon.demand() == .continuous, "it is watched at once")
            #expect(try await !daemon.isIdle())
            // Still there: no event.
            try await daemon.stay(at: 0, from: 100)
            let stream = try await daemon.connect()
            try await stream.call("Monitor.WatchConditions", #"{"monitor":"m"}"#, more: true)
            try await stream.expect(watched)
            try await stream.expect(event("satisfied", entry))
            try await daemon.finishDiskWork()
        }
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            let stream = try await daemon.watchConditions()
            #expect(try await stream.receive() == nil, "it was told before")
            let exit = try await daemon.stay(at: 5, from: 200)
            try await stream.expect(event("unsatisfied", exit))
        }
    }

    @Test("an event that the disk has not taken is told after it has, and after a denial not at all until allowed")
    func revocation() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            let release = await daemon.holdDisk()
            try await daemon.emit(Fix(number: 0).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 1).event)
            #expect(try await stream.receive() == nil, "it is not on disk")
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            try await manager.call(
                "Manager.SetAuthorization", #"{"client":"org.example.App","authorization":"denied"}"#)
            try await stream.expect(diagnostic("authorizationDenied"))
            release()
            try await daemon.finishDiskWork()
            #expect(try await stream.receive() == nil, "it is denied now")
            #expect(try await daemon.demand() == .off)
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 5, from: 200)
            #expect(try await stream.receive() == nil)
            try await daemon.setAuthorization("authorizedAlways")
            try await stream.expect(watched)
            try await stream.expect(event("satisfied", Fix(number: 0, later: 1).time))
        }
    }

    @Test("a denial ends the evidence of an entry: the next fix decides nothing")
    func revocationBeforeTheNextFix() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            try await daemon.emit(Fix(number: 0).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.setAuthorization("denied")
            try await stream.expect(diagnostic("authorizationDenied"))
            try await daemon.emit(Fix(number: 0, later: 1).event)
            try await daemon.finishDiskWork()
            #expect(try await stream.receive() == nil)
            let asking = try await daemon.connect()
            let reply = try await asking.ask("Monitor.GetCondition", #"{"monitor":"m","identifier":"home"}"#)
            #expect(reply["parameters"]?["event"]?["state"] == .string("unknown"))
        }
    }

    @Test(
        "a replayed location without an accuracy counts as exact, and a receiver's as 100 m", arguments: [true, false])
    func withoutAccuracy(isSimulated: Bool) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            func stay(at number: Int, from later: Int64) async throws -> String {
                for second in 0...1 {
                    let fix = Fix(number: number, accuracy: nil, later: later + Int64(second))
                    guard case .location(var location) = fix.event else { continue }
                    location.sourceInformation = .init(kind: .receiver, isSimulated: isSimulated)
                    try await daemon.emit(.location(location))
                    await daemon.turnClock(by: .seconds(1))
                }
                try await daemon.finishDiskWork()
                return Fix(number: number, later: later + 1).time
            }
            let entry = try await stay(at: 0, from: 0)
            if isSimulated { try await stream.expect(event("satisfied", entry)) }
            await daemon.turnClock(by: .seconds(60))
            let exit = try await stay(at: 9, from: 70)
            try await stream.expect(event("unsatisfied", exit))
        }
    }

    @Test("with reduced accuracy nothing is watched, and a diagnostic says so")
    func reduced() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: Self.clients) { daemon in
            _ = try await daemon.addCondition(as: .example("/reduced"))
            #expect(try await daemon.demand() == .off)
            #expect(try await daemon.onLoop { !$0.publisher.conditions.isNeeded })
            let stream = try await daemon.connect(as: .example("/reduced"))
            try await stream.call("Monitor.WatchConditions", #"{"monitor":"m"}"#, more: true)
            try await stream.expect(diagnostic("accuracyLimited"))
            try await daemon.stay(at: 0, from: 0)
            #expect(try await stream.receive() == nil)
        }
    }

    @Test("when-in-use watches while the client is in use; what it missed meanwhile is found out afterwards")
    func whenInUse() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: Self.clients) { daemon in
            _ = try await daemon.addCondition(as: .example("/part"))
            #expect(try await daemon.demand() == .off, "nobody is connected")
            let stream = try await daemon.connect(as: .example("/part"))
            try await stream.call("Monitor.WatchConditions", #"{"monitor":"m"}"#, more: true)
            try await daemon.settle()
            try await stream.expect(watched)
            #expect(try await daemon.demand() == .continuous)
            try await daemon.setInUse(false)
            try await stream.expect(diagnostic("insufficientlyInUse"))
            #expect(try await daemon.demand() == .off)
            try await daemon.stay(at: 0, from: 0)
            #expect(try await stream.receive() == nil)
            try await daemon.setInUse(true)
            try await stream.expect(watched)
            let entry = try await daemon.stay(at: 0, from: 10)
            try await stream.expect(event("satisfied", entry))
        }
    }

    @Test("a reset of the decisions deletes what was watched, on disk too")
    func reset() async throws {
        let directory = try TemporaryDirectory()
        try await DaemonUnderTest.run(.inProcess, in: directory) { daemon in
            _ = try await daemon.addCondition()
            _ = try await daemon.addCondition("other", monitor: "n")
            try await daemon.stay(at: 0, from: 0)
            try await daemon.setAuthorization("notDetermined")
            let asking = try await daemon.connect()
            #expect(
                try await asking.ask("Monitor.ListConditions", #"{"monitor":"m"}"#)
                    == json(#"{"parameters":{"conditions":[]}}"#))
            #expect(try await daemon.demand() == .off)
        }
        let store = try LocationStore.open(directory: directory.path, now: .now()).store
        #expect(try store.conditions().isEmpty)
        #expect(!store.isMarked)
    }

    @Test("monitors and clients have conditions of their own, and one of the same name takes the place of the last")
    func names() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: Self.clients) { daemon in
            _ = try await daemon.addCondition()
            _ = try await daemon.addCondition(monitor: "n")
            _ = try await daemon.addCondition(shape: circle(7))
            let asking = try await daemon.connect()
            let moved = try await asking.ask("Monitor.GetCondition", #"{"monitor":"m","identifier":"home"}"#)
            #expect(moved["parameters"]?["condition"] == (try json(circle(7))))
            let stranger = try await daemon.connect(as: .example("/part"))
            #expect(
                try await stranger.ask("Monitor.ListConditions", #"{"monitor":"m"}"#)
                    == json(#"{"parameters":{"conditions":[]}}"#))
            for _ in 0..<2 {
                try await asking.call("Monitor.RemoveCondition", #"{"monitor":"m","identifier":"home"}"#)
                try await daemon.finishDiskWork()
                #expect(try await asking.next() == json(#"{"parameters":{}}"#))
            }
            #expect(try await daemon.onLoop { $0.publisher.conditions.count } == 1)
            let stream = try await daemon.watchConditions(monitor: "n")
            let entry = try await daemon.stay(at: 0, from: 0)
            try await stream.expect(event("satisfied", entry))
        }
    }

    @Test("a polygon of 1,000 points is taken with all digits and with the spaces of a person's JSON")
    func largestPolygon() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let points = (0..<1000).map { index in
                let angle = Double(index) / 1000 * 2 * Double.pi
                let (latitude, longitude) = (48 + 0.0312345678901 * sin(angle), 11 + 0.0412345678901 * cos(angle))
                return "        { \"latitude\" : \(latitude), \"longitude\" : \(longitude) }"
            }
            let shape = "{ \"polygon\" : { \"ring\" : [\n\(points.joined(separator: ",\n"))\n] } }"
            #expect(shape.utf8.count > 70_000)
            let reply = try await daemon.addCondition(shape: shape)
            #expect(reply["error"] == nil, "\(reply)")
        }
    }

    @Test("the limits of one client, of all, and of a client's polygons are errors that name them")
    func limits() async throws {
        try await DaemonUnderTest.run(
            .inProcess, clients: Self.clients, limits: { ($0.conditionsPerClient, $0.conditions) = (2, 3) }
        ) { daemon in
            func limit(_ identifier: String, as peer: PeerIdentity = .example()) async throws -> JSONValue? {
                try await daemon.addCondition(identifier, as: peer)["parameters"]?["limit"]
            }
            try await daemon.settle()
            for name in ["a", "b", "b"] { #expect(try await limit(name) == nil) }
            #expect(try await limit("c") == .string("ConditionsPerClient"))
            #expect(try await limit("a", as: .example("/part")) == nil)
            #expect(try await limit("b", as: .example("/part")) == .string("Conditions"))
        }
    }

    /// Shapes, and the reasons of their refusals.
    private static let invalidShapes = [
        ("{}", "notOneShape"),
        (#"{"circle":{"latitude":0,"longitude":0,"radius":5},"polygon":{"ring":[]}}"#, "notOneShape"),
        (#"{"circle":{"latitude":91,"longitude":0,"radius":5}}"#, "invalidCoordinate"),
        (#"{"circle":{"latitude":0,"longitude":180.1,"radius":5}}"#, "invalidCoordinate"),
        (#"{"circle":{"latitude":0,"longitude":0,"radius":0}}"#, "invalidRadius"),
        (#"{"circle":{"latitude":0,"longitude":0,"radius":10000001}}"#, "invalidRadius"),
        (#"{"circle":{"latitude":0,"longitude":0,"radius":-1}}"#, "invalidRadius"),
        (ring([(0, 0), (0, 1)]), "tooFewPoints"), (ring([]), "tooFewPoints"),
        (ring([(0, 0), (0, 0), (0, 0), (0, 0)]), "tooFewPoints"),
        (ring([(0, 0), (1, 1), (0, 1), (1, 0)]), "selfCrossing"),
        (ring([(0, 0), (0, 120), (0, -120)]), "tooLarge"),
        (ring([(0, 0), (0, 4), (4, 4), (4, 0)], holes: [[(9, 9), (9, 8), (8, 8)]]), "holeOutside"),
        (ring([(0, 0), (0, 4), (4, 4), (4, 0)], holes: [[(1, 1), (1, 5), (2, 2)]]), "ringsCross"),
        (ring(Array(repeating: (0, 0), count: 1001)), "tooManyPoints"),
    ]

    @Test("a shape that is not valid is refused with the reason", arguments: invalidShapes)
    func refusedShape(shape: String, reason: String) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            let reply = try await daemon.addCondition(shape: shape)
            #expect(reply["error"] == .string("org.locationd.Monitor.InvalidCondition"))
            #expect(reply["parameters"]?["reason"] == .string(reason))
            #expect(try await daemon.onLoop { $0.publisher.conditions.count } == 0)
        }
    }

    @Test(
        "a clockwise ring, one around a pole, one across the 180th meridian and the largest circle are watched",
        arguments: [
            ring([(47, 11), (49, 11), (49, 12), (47, 12), (47, 11)]), ring([(80, 0), (80, 120), (80, -120)]),
            ring([(-1, 179), (-1, -179), (1, -179), (1, 179)]),
            #"{"circle":{"latitude":48,"longitude":11.5,"radius":10000000}}"#,
            #"{"circle":{"latitude":90,"longitude":0,"radius":1}}"#,
        ])
    func acceptedShape(shape: String) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            #expect(try await daemon.addCondition(shape: shape) == json(#"{"parameters":{}}"#))
            let stream = try await daemon.watchConditions()
            let date = try await daemon.stay(at: 0, from: 0)
            let isInside = shape.contains("47") || shape.contains("10000000")
            try await stream.expect(event(isInside ? "satisfied" : "unsatisfied", date))
        }
    }

    @Test("names and parameters that are not valid are refused", arguments: Transport.allCases)
    func refusedNames(transport: Transport) async throws {
        try await DaemonUnderTest.run(transport) { daemon in
            let peer = try await daemon.connect()
            let long = String(repeating: "n", count: 256)
            for (monitor, identifier, parameter) in [
                ("", "a", "monitor"), (long, "a", "monitor"), ("m", "", "identifier"), ("m", #"a\u0000"#, "identifier"),
            ] {
                try await peer.call(
                    "Monitor.AddCondition",
                    #"{"monitor":"\#(monitor)","identifier":"\#(identifier)","condition":\#(circle(0))}"#)
                try await peer.expectError(
                    "org.varlink.service.InvalidParameter", ["parameter": .string(parameter)])
            }
            try await peer.call("Monitor.WatchConditions", #"{"monitor":"m"}"#)
            try await peer.expectError("org.varlink.service.ExpectedMore")
            let stranger = try await daemon.connect(as: .example("/undeclared"))
            try await stranger.call("Monitor.WatchVisits", more: true)
            try await stranger.expectError("org.locationd.Authorization.ClientNotDeclared")
        }
    }

    @Test("a peer that does not read gets the last state of each condition when it reads again")
    func slowReader() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            try await stream.stopReading()
            try await daemon.stay(at: 0, from: 0)
            await daemon.turnClock(by: .seconds(120))
            let exit = try await daemon.stay(at: 5, from: 200)
            #expect(try await stream.receive() == nil)
            try await stream.resumeReading()
            try await stream.expect(event("unsatisfied", exit))
            #expect(try await stream.receive() == nil)
        }
    }

    @Test("the conditions of a client that is no longer declared are kept and not watched, until it is declared again")
    func declaration() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            #expect(try await daemon.demand() == .continuous)
            try await daemon.reload { $0.clients = [] }
            #expect(try await daemon.demand() == .off)
            #expect(try await daemon.isIdle())
            try await daemon.stay(at: 0, from: 0)
            try await daemon.reload { $0.clients = [.example()] }
            #expect(try await daemon.demand() == .continuous)
            let stream = try await daemon.watchConditions()
            let entry = try await daemon.stay(at: 0, from: 10)
            try await stream.expect(event("satisfied", entry))
        }
    }

    @Test("under a rule with an interval an event is a delivery: the next one is not told before its end")
    func interval() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            var limit = AccessRule.Limit()
            limit.minimumInterval = .seconds(3600)
            try await daemon.reload { [limit] in $0.daemon.defaultRules = [AccessRule(.init(.machine, 1), limit: limit)]
            }
            let entry = try await daemon.stay(at: 0, from: 0)
            try await stream.expect(event("satisfied", entry))
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 5, from: 200)
            #expect(try await stream.receive() == nil)
            try await daemon.reload { $0.daemon.defaultRules = [] }
            let exit = try await daemon.stay(at: 5, from: 300)
            try await stream.expect(event("unsatisfied", exit))
        }
    }

    @Test("where a rule about a place denies, nothing is decided and nothing said; its removal tells where the user is")
    func placeOfARule() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            try await daemon.addHome(by: manager)
            try await daemon.addRule(#"{"inside":"home","deny":true}"#, by: manager)
            let away = try await daemon.stay(at: 100, from: 0)
            try await stream.expect(event("unsatisfied", away))
            // Home and away again.
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 0, from: 200)
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 100, from: 400)
            #expect(try await stream.receive() == nil)
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 0, from: 600)
            #expect(try await stream.receive() == nil)
            try await daemon.change("RemoveRule", #"{"id":"1"}"#, by: manager)
            let home = try await daemon.stay(at: 0, from: 700)
            try await stream.expect(event("satisfied", home))
        }
    }

    /// Adds a place of 300 m around the fix 0, and a rule about it.
    private func addHome(_ limit: String, _ daemon: DaemonUnderTest) async throws {
        let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
        for (method, parameters) in [
            ("AddPlace", #"{"place":{"name":"home","latitude":48,"longitude":11.5,"radius":300}}"#),
            ("AddRule", #"{"rule":{"inside":"home",\#(limit)}}"#),
        ] {
            try await manager.call("Manager.\(method)", parameters)
            try await daemon.finishDiskWork()
            #expect(try await manager.next()["error"] == nil)
        }
    }

    private static let placeLimits = [#""deny":true"#, #""reducedAccuracy":true"#, #""whileInUse":true"#]

    @Test(
        "where a rule about a place withholds, the receiver is started in time to report an event 30 s after its border",
        arguments: placeLimits)
    func leavingThePlaceOfARule(limit: String) async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            try await addHome(limit, daemon)
            try await daemon.setInUse(false)
            _ = try await daemon.addCondition(shape: circle(100))
            let stream = try await daemon.watchConditions()
            #expect(try await daemon.demand() == .continuous, "without a fix the place is in doubt")
            try await daemon.stay(at: 100, from: 0)
            #expect(try await stream.next()["parameters"]?["event"]?["state"] == .string("satisfied"))
            // So often that no start of the receiver counts as a slow one.
            for step in 1...12 {
                await daemon.turnClock(by: .seconds(10))
                try await daemon.emit(Fix(number: 100, later: Int64(step) * 10).event)
            }
            try await daemon.stay(at: 0, from: 200)
            // The program's access is reviewed, too.
            try await daemon.setInUse(true)
            try await daemon.setInUse(false)
            try await daemon.emit(Fix(number: 0, later: 202).event)
            #expect(try await daemon.demand() == .off, "the border is 300 to 540 m away")
            await daemon.turnClock(by: .seconds(20))
            #expect(try await daemon.demand() == .off)
            await daemon.turnClock(by: .seconds(9))
            #expect(try await daemon.demand() == .continuous)
            #expect(try await stream.receive() == nil, "nothing says where the user was")
            let away = try await daemon.stay(at: 50, from: 231)
            try await stream.expect(event("unsatisfied", away))
        }
    }

    @Test("an event that reaches the disk after the place of a rule was entered is sent once it is left")
    func enteringBeforeTheDisk() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            try await addHome(#""deny":true"#, daemon)
            _ = try await daemon.addCondition(shape: circle(100))
            let stream = try await daemon.watchConditions()
            let release = await daemon.holdDisk()
            try await daemon.emit(Fix(number: 100).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 100, later: 1).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 2).event)
            release()
            try await daemon.finishDiskWork()
            #expect(try await stream.receive() == nil)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 100, later: 3).event)
            try await stream.expect(event("satisfied", Fix(number: 100, later: 1).time))
        }
    }

    /// All that a program is sent about a place, with the minute, while a rule about another place withholds locations, or while
    /// there is no fix, for three quarters of an hour; and after it.
    private func eventsAroundAbsence(_ limit: String, isWithheld: Bool) async throws -> [String] {
        var sent: [String] = []
        let other = ClientDeclaration.example("org.example.Other", executable: "/other")
        try await DaemonUnderTest.run(.inProcess, clients: [.example(), other]) { daemon in
            // Keeps the sources at work in both situations.
            _ = try await daemon.subscribe(as: .example("/other"))
            try await daemon.setInUse(false)
            try await addHome(limit + #","clients":["org.example.App"]"#, daemon)
            _ = try await daemon.addCondition(shape: circle(100))
            _ = try await daemon.addCondition("near", shape: circle(50))
            var streams = [try await daemon.watchConditions()]
            func note(_ minute: Int) async throws {
                try await daemon.finishDiskWork()
                for (index, stream) in streams.enumerated() {
                    while let message = try await stream.receive() {
                        sent.append("\(minute) min, stream \(index): \(message)")
                    }
                }
            }
            try await daemon.stay(at: 100, from: 0)
            try await note(0)
            for minute in 1...45 {
                await daemon.turnClock(by: .seconds(60))
                try await daemon.emit(
                    isWithheld ? Fix(number: 0, later: Int64(minute) * 60).event : .unavailable(.noFix))
                if minute == 10 || minute == 40 { streams.append(try await daemon.watchConditions()) }
                try await note(minute)
            }
            try await daemon.stay(at: 200, from: 3000)
            try await note(50)
            await daemon.turnClock(by: .seconds(120))
            try await daemon.stay(at: 50, from: 3200)
            try await note(53)
        }
        return sent
    }

    @Test(
        "a program is sent the same events at the same time whether a rule about a place withholds or there is no fix",
        arguments: placeLimits)
    func absencesAreAlike(limit: String) async throws {
        let withheld = try await eventsAroundAbsence(limit, isWithheld: true)
        #expect(withheld == (try await eventsAroundAbsence(limit, isWithheld: false)))
        #expect(withheld.contains { $0.hasPrefix("50 min, stream 0") && $0.contains("unsatisfied") })
        #expect(withheld.contains { $0.hasPrefix("53 min, stream 2") && $0.contains("near") })
        #expect(withheld.allSatisfy { $0.hasPrefix("0 min") || $0 >= "50 min" })
    }

    @Test("a denied client is told nothing of a crossing of which another one is told, nor when allowed again")
    func deniedBesideAnother() async throws {
        let other = ClientDeclaration.example("org.example.Other", executable: "/other")
        // Of another user, so that the disk is done with both when it is done.
        let peer = PeerIdentity.example("/other", user: 4243)
        try await DaemonUnderTest.run(.inProcess, clients: Self.clients + [other]) { daemon in
            _ = try await daemon.addCondition()
            _ = try await daemon.addCondition(as: peer)
            let stream = try await daemon.watchConditions()
            let others = try await daemon.watchConditions(as: peer)
            let away = try await daemon.stay(at: 5, from: 0)
            for stream in [stream, others] { try await stream.expect(event("unsatisfied", away)) }
            try await daemon.setAuthorization("denied")
            try await stream.expect(diagnostic("authorizationDenied"))
            await daemon.turnClock(by: .seconds(120))
            let entry = try await daemon.stay(at: 0, from: 200)
            try await others.expect(event("satisfied", entry))
            try await daemon.setAuthorization("authorizedAlways")
            try await stream.expect(watched)
            #expect(try await stream.receive() == nil)
            let asking = try await daemon.connect()
            let reply = try await asking.ask("Monitor.GetCondition", #"{"monitor":"m","identifier":"home"}"#)
            #expect(reply["parameters"]?["event"]?["state"] == .string("unsatisfied"))
            await daemon.turnClock(by: .seconds(120))
            let exit = try await daemon.stay(at: 5, from: 400)
            try await others.expect(event("unsatisfied", exit))
            #expect(try await stream.receive() == nil, "it is where it was told that the user is")
        }
    }

    @Test("while a change is not on disk, no further fix, new stream or change of access tells of it")
    func diskIsHeld() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let streams = [try await daemon.watchConditions(), try await daemon.watchConditions()]
            // One is visited again with each fix, for want of access, once it reads.
            try await daemon.reload {
                $0.daemon.defaultRules = [AccessRule(.init(.machine, 1), limit: AccessRule.Limit())]
            }
            let release = await daemon.holdDisk()
            try await daemon.emit(Fix(number: 0).event)
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 1).event)
            try await streams[1].stopReading()
            try await streams[1].resumeReading()
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 2).event)
            let late = try await daemon.watchConditions()
            try await daemon.reload { $0.daemon.defaultRules = [] }
            await daemon.turnClock(by: .seconds(1))
            try await daemon.emit(Fix(number: 0, later: 3).event)
            for stream in streams + [late] { #expect(try await stream.receive() == nil) }
            release()
            try await daemon.finishDiskWork()
            for stream in streams { try await stream.expect(event("satisfied", Fix(number: 0, later: 1).time)) }
        }
    }

    @Test("all streams of a monitor get each event, and it counts as told once one of them has it")
    func twoStreams() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let streams = [try await daemon.watchConditions(), try await daemon.watchConditions()]
            let entry = try await daemon.stay(at: 0, from: 0)
            for stream in streams {
                try await stream.expect(event("satisfied", entry))
                await stream.close()
            }
            let next = try await daemon.watchConditions()
            #expect(try await next.receive() == nil)
        }
    }

    @Test("history counts the events that a client was told, and lists of clients the places that they have watched")
    func management() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition()
            let stream = try await daemon.watchConditions()
            let entry = try await daemon.stay(at: 0, from: 0)
            try await stream.expect(event("satisfied", entry))
            let manager = try await daemon.connect(as: .example("/usr/bin/locationctl"))
            try await manager.call("Manager.ListAccess")
            try await daemon.finishDiskWork()
            guard case .array(let sessions) = try await manager.next()["parameters"]?["sessions"] else { return }
            #expect(sessions.map { $0["events"]?.number } == [1])
            #expect(sessions.map { $0["count"]?.number } == [0])
            try await manager.call("Manager.ListClients")
            try await daemon.finishDiskWork()
            guard case .array(let clients) = try await manager.next()["parameters"]?["clients"] else { return }
            #expect(clients.map { $0["conditions"]?.number } == [1])
        }
    }

    @Test("no coordinate of a condition is logged")
    func isNotLogged() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            _ = try await daemon.addCondition(shape: circle(77))
            _ = try await daemon.addCondition("bad", shape: #"{"circle":{"latitude":48.077,"longitude":0,"radius":0}}"#)
            try await daemon.stay(at: 77, from: 0)
            #expect(daemon.log.lines.allSatisfy { !$0.contains("48.077") })
        }
    }
}

/// A polygon of latitudes and longitudes.
private func ring(_ points: [(Double, Double)], holes: [[(Double, Double)]] = []) -> String {
    func list(_ points: [(Double, Double)]) -> String {
        "[" + points.map { #"{"latitude":\#($0.0),"longitude":\#($0.1)}"# }.joined(separator: ",") + "]"
    }
    let holes = holes.isEmpty ? "" : #","holes":[\#(holes.map { #"{"ring":\#(list($0))}"# }.joined(separator: ","))]"#
    return #"{"polygon":{"ring":\#(list(points))\#(holes)}}"#
}
