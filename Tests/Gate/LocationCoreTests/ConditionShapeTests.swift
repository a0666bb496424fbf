import DaemonTestSupport
import Glibc
import LocationConfiguration
import LocationModel
import LocationPolicy
import LocationSources
import Testing

@testable import LocationCore
@testable import Varlink

/// The conditions that programs may add, and the refusals.
@Suite("Shapes and names of conditions", .timeLimit(.minutes(10))) struct ConditionShapeTests {
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
            try await stream.expectEvent(isInside ? "satisfied" : "unsatisfied", date)
        }
    }

    @Test("a polygon of 1,000 points is accepted with all digits and with white space in its JSON")
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

    @Test("the limits of one client, of all, and of a client's polygons are errors that name them")
    func limits() async throws {
        try await DaemonUnderTest.run(
            .inProcess, clients: .watching, limits: { ($0.conditionsPerClient, $0.conditions) = (2, 3) }
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

    @Test("monitors and clients have separate conditions, and one with the same name replaces the last")
    func names() async throws {
        try await DaemonUnderTest.run(.inProcess, clients: .watching) { daemon in
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
            try await stream.expectEvent("satisfied", entry)
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
