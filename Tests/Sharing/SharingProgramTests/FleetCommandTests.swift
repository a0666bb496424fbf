import FoundationEssentials
import Glibc
import LocationModel
import LocationSharing
import TestSupport
import Testing

/// A broker with vehicles, and the commands of a person who watches them.
private struct FleetSite {
    /// A message to publish.
    struct Message: Encodable {
        var topic: String
        var payload: String
        var retain = true
        var expiry: Int?
    }

    /// A vehicle as JSON has it.
    struct Vehicle: Decodable {
        var topic: String
        var name: String?
        var state: String
        var latitude: Double
        var speed: Double?
        var course: Double?
        var age: Double
        var until: String?
        var battery: Int?
    }

    let broker: Broker
    let directory: TemporaryDirectory

    init(_ broker: Broker) throws { (self.broker, directory) = (broker, try TemporaryDirectory()) }

    /// A position of a vehicle.
    static func position(of device: String, _ latitude: Double = 47.1, age: Int = 0, with more: String = "") -> Message
    {
        let time = Int(Timestamp.now().secondsSince1970) - age
        return Message(
            topic: "owntracks/fleet/\(device)",
            payload:
                #"{"_type":"location","lat":\#(latitude),"lon":9.5,"tst":\#(time)\#(more.isEmpty ? "" : "," + more)}"#)
    }

    /// Publishes messages; with a user, at the port with TLS.
    func publish(_ messages: [Message], user: String? = nil) async throws {
        let lines = try messages.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) + "\n" }.joined()
        let file = try write(lines, to: "messages")
        let user = user.map { ["--ca", Webhooks.authority, "--user", $0, "--password", "secret"] } ?? []
        let result = try await ChildProcess.run(
            [
                "/usr/bin/python3", Webhooks.directory + "/mqtt-fleet",
                "\(user.isEmpty ? broker.plainPort : broker.port)", file,
            ] + user)
        #expect(result.code == 0, "\(result.errors)")
    }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = directory.path + "/" + name
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// Runs `locationctl fleet`, by default with the broker's socket.
    func fleet(_ arguments: String..., broker address: String? = nil) async throws -> ChildProcess.Result {
        let options = ["--broker", address ?? broker.socket]
        return try await ChildProcess.run(
            [Products.locationctl, "fleet"] + arguments + (address == "" ? [] : options), environment: environment)
    }

    func run(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await ChildProcess.run(arguments, environment: environment)
    }

    var environment: [String: String] {
        [
            "XDG_STATE_HOME": directory.path, "XDG_DATA_HOME": directory.path, "LC_ALL": "C.UTF-8",
            "PATH": "/usr/bin:/bin", "TERM": "xterm",
        ]
    }

    func vehicles(_ arguments: String...) async throws -> [Vehicle] {
        let result = try await run(
            [Products.locationctl, "fleet", "list", "--format", "json", "--broker", broker.socket] + arguments)
        #expect(result.code == 0, "\(result)")
        return try JSONDecoder().decode([Vehicle].self, from: Data(result.output.utf8))
    }
}

@Suite("locationctl fleet", .timeLimit(.minutes(10)))
struct FleetCommandTests {
    @Test("the vehicles are listed by topic with state, speed, course and age")
    func list() async throws {
        let site = try await FleetSite(Broker())
        try await site.publish([
            FleetSite.position(of: "van7", with: #""vel":36,"cog":90,"batt":81"#),
            FleetSite.position(of: "van8", age: 300),
            FleetSite.position(of: "van9", age: 7300),
            FleetSite.position(of: "ended"),
            FleetSite.Message(topic: "owntracks/fleet/ended", payload: ""),
            FleetSite.Message(topic: "owntracks/fleet/van8/info", payload: #"{"_type":"card","name":"Ann"}"#),
            FleetSite.Message(topic: "owntracks/fleet/bad", payload: "{"),
        ])
        let vehicles = try await site.vehicles()
        #expect(vehicles.map(\.topic) == ["van7", "van8", "van9"].map { "owntracks/fleet/\($0)" })
        #expect(vehicles.map(\.state) == ["moving", "stale", "offline"])
        #expect(vehicles.map(\.name) == [nil, "Ann", nil])
        #expect(vehicles[0].speed == 10 && vehicles[0].course == 90 && vehicles[0].battery == 81)
        #expect(vehicles[0].age < 120 && (300..<420).contains(vehicles[1].age) && vehicles[0].until == nil)
        #expect(try await site.vehicles("ANN").map(\.topic) == ["owntracks/fleet/van8"])

        let text = try await site.fleet("list")
        #expect(text.code == 0 && text.errors == "Left out: 1 message without a position that can be read.\n")
        let lines = text.output.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasPrefix("Vehicle"))
        #expect(lines[1].contains("moving   36 km/h  90° E") && lines[1].hasSuffix("47.10000° N, 9.50000° E"))
        #expect(lines[2].hasPrefix("fleet/van8 “Ann”  stale    –        –       5 min"))
        #expect(lines[3].contains("offline") && lines[3].contains("2 h"))

        let features = try await site.fleet("list", "--format", "geojson")
        #expect(features.output.hasPrefix(#"{"features":[{"geometry":{"coordinates":[9.5,47.1],"type":"Point"},"#))
        #expect(features.output.contains(#""type":"FeatureCollection""#))
    }

    @Test("a line for each vehicle that enters or leaves an area, with names as text, also after the broker was away")
    func watch() async throws {
        let site = try await FleetSite(Broker())
        let none = try await site.fleet("watch")
        #expect(none.code == 1 && none.errors.hasPrefix("There are no areas. To draw one, run: locationctl map"))
        try FileManager.default.createDirectory(
            atPath: site.directory.path + "/locationd", withIntermediateDirectories: true)
        let areas = ["Depot", "\u{1B}[2Jevil", "Yard"].enumerated().map { index, name in
            let properties = #"{"name":"\#(name.replacing("\u{1B}", with: "\\u001b"))","radius":200}"#
            return #"{"type":"Feature","id":"a\#(index)","geometry":{"type":"Point","coordinates":[9.5,47.1]},"#
                + #""properties":\#(properties)}"#
        }
        try site.write(
            #"{"type":"FeatureCollection","features":[\#(areas.joined(separator: ","))]}"#,
            to: "locationd/fleet-areas.geojson")
        let unknown = try await site.fleet("watch", "--area", "depot")
        #expect(unknown.code == 1 && unknown.errors.hasPrefix("There is no area “depot”. Give one of: “Depot”, "))

        try await site.publish([
            FleetSite.position(of: "van7", 47.2, age: 20), FleetSite.position(of: "van8", 47.1, age: 20),
        ])
        func start(_ arguments: String...) async throws -> ChildProcess {
            let process = try await ChildProcess(
                [Products.locationctl, "fleet", "watch", "--broker", site.broker.socket] + arguments,
                environment: site.environment)
            try await process.error(containing: "Watching ")
            return process
        }
        let text = try await start("--area", "Depot", "--area", "\u{1B}[2Jevil")
        let json = try await start("--area", "Yard", "--format", "json")
        try await site.publish([FleetSite.position(of: "van7", 47.1, age: 10)])
        let entered = try #require(try await text.output.receive())
        #expect(entered.hasSuffix("Z fleet/van7 entered Depot") && entered.hasPrefix("20"), "\(entered)")
        let hostile = try #require(try await text.output.receive())
        #expect(hostile.contains(" fleet/van7 entered ") && !hostile.contains("\u{1B}"), "\(hostile)")
        struct Line: Decodable {
            var event, area: String
            var vehicle: FleetSite.Vehicle
        }
        let first = try JSONDecoder().decode(Line.self, from: Data(try #require(await json.output.receive()).utf8))
        #expect(first.event == "entered" && first.area == "Yard" && first.vehicle.topic == "owntracks/fleet/van7")
        try await site.broker.restart()
        try await json.error(containing: "Watching ")
        try await site.publish([FleetSite.position(of: "van8", 47.2)])
        let second = try JSONDecoder().decode(Line.self, from: Data(try #require(await json.output.receive()).utf8))
        #expect(second.event == "left" && second.vehicle.topic == "owntracks/fleet/van8")
        for process in [text, json] {
            process.signal(SIGINT)
            _ = try await process.exitCode()
        }
    }

    @Test("one vehicle is shown by its device, its topic or its own name, and a doubtful name is refused")
    func show() async throws {
        let site = try await FleetSite(Broker())
        var ending = FleetSite.position(of: "van7", with: #""vel":36,"cog":90,"acc":4,"alt":455"#)
        ending.expiry = 3600
        var other = FleetSite.position(of: "van8")
        other.topic = "owntracks/ann/van8"
        try await site.publish([
            ending, FleetSite.position(of: "van8"), other,
            FleetSite.Message(topic: "owntracks/fleet/van8/info", payload: #"{"_type":"card","name":"Depot 8"}"#),
        ])
        let shown = try await site.fleet("show", "van7", "--units", "imperial")
        #expect(
            shown.output.hasPrefix("fleet/van7: moving\n  position   47.100000° N, 9.500000° E\n  accuracy   ±13 ft\n"))
        #expect(shown.output.contains("  speed      22 mph\n") && shown.output.contains("\n  until      "))
        #expect(shown.output.hasSuffix("  topic      owntracks/fleet/van7\n"))
        #expect(try await site.fleet("show", "depot 8").output.hasPrefix("fleet/van8 “Depot 8”: stopped\n"))
        let json = try await site.fleet("show", "ann/van8", "--format", "json")
        #expect(
            try JSONDecoder().decode(FleetSite.Vehicle.self, from: Data(json.output.utf8)).topic == "owntracks/ann/van8"
        )
        let doubtful = try await site.fleet("show", "van8")
        #expect(doubtful.code == 1)
        #expect(doubtful.errors == "“van8” is the name of 2 vehicles. Give one of: ann/van8, fleet/van8\n")
        let unknown = try await site.fleet("show", "van9")
        #expect(unknown.code == 1 && unknown.errors.hasPrefix("There is no vehicle “van9” at "))
    }

    @Test("each of 2,500 vehicles is listed, though the broker sends them without a mark of the end")
    func many() async throws {
        let site = try await FleetSite(Broker())
        try await site.publish((0..<2500).map { FleetSite.position(of: "v\($0)", Double($0) / 1000) })
        let vehicles = try await site.vehicles()
        #expect(vehicles.count == 2500)
        #expect(Set(vehicles.map(\.latitude)).count == 2500)
    }

    @Test("the configuration that is shipped lets its viewer read, over TLS with a password from a file")
    func shipped() async throws {
        let site = try await FleetSite(Broker(shippedFor: ["viewer", "van7"]))
        try await site.publish([FleetSite.position(of: "van7")], user: "van7")
        func list(_ account: String, ca: String? = Webhooks.authority) async throws -> ChildProcess.Result {
            let file = try site.write("\(account)\n", to: "account")
            return try await site.fleet(
                "list", "--password-file", file, "--ca", ca ?? "/etc/ssl/certs/ca-certificates.crt",
                broker: site.broker.address)
        }
        let seen = try await list("viewer:secret")
        #expect(seen.code == 0 && seen.output.contains("\nfleet/van7  stopped"), "\(seen)")
        // A vehicle reads nothing.
        let vehicle = try await list("van7:secret")
        #expect(vehicle.code == 0 && vehicle.output == "")
        #expect(
            vehicle.errors.contains("No vehicle shows its position at \(site.broker.address), or this user may not"))
        let wrong = try await list("viewer:wrong")
        #expect(wrong.code == 1 && wrong.errors.contains("does not accept the user and password"))
        let foreign = try await list(
            "viewer:secret", ca: try await Broker.certificate(for: "x", in: site.directory).file)
        #expect(foreign.code == 1 && foreign.errors.contains("--ca FILE"), "\(foreign)")
        try await site.broker.kill()
        let gone = try await list("viewer:secret")
        #expect(gone.code == 1 && gone.errors.contains("cannot be reached"), "\(gone)")
    }

    @Test("a broker that a share has is read without its address, and none or several are an error that names them")
    func configured() async throws {
        let site = try await FleetSite(Broker())
        try await site.publish([FleetSite.position(of: "van7")])
        let none = try await site.fleet("list", broker: "")
        #expect(none.code == 1 && none.errors.hasPrefix("No broker is known. Give its address"))
        func add(_ name: String) async throws {
            let file = try site.write("", to: "empty")
            let added = try await site.run(
                [Products.locationctl, "share", "add", name, "mqtt", site.broker.socket, "--url-file", file])
            #expect(added.code == 0, "\(added)")
        }
        try await add("depot")
        for arguments in [["fleet"], ["fleet", "list", "--broker", "depot"]] {
            let listed = try await site.run([Products.locationctl] + arguments)
            #expect(listed.code == 0 && listed.output.contains("\nfleet/van7  stopped"), "\(listed)")
        }
        try await add("other")
        #expect(try await site.fleet("list", broker: "").errors.contains("Give one with --broker: depot, other."))
        #expect(try await site.fleet("list", broker: "none").errors.contains("or one of: depot, other."))
    }

    @Test("no name of a vehicle controls the terminal or looks like another line", arguments: [80, 200])
    func hostile(width: Int) async throws {
        let site = try await FleetSite(Broker())
        let name = String(repeating: "x", count: 30)
        try await site.publish([
            FleetSite.position(of: "van7", with: #""vel":36,"cog":90"#),
            FleetSite.position(of: "\u{202E}\u{200B}8"),
            FleetSite.Message(
                topic: "owntracks/fleet/van7/info",
                payload: #"{"_type":"card","name":"\u001b[2J\r\nfleet/van9  moving \#(name)"}"#),
        ])
        let command = "stty cols \(width) && \(Products.locationctl) fleet list --broker \(site.broker.socket)"
        let result = try await site.run(["/usr/bin/script", "-qec", command, "/dev/null"])
        #expect(result.code == 0, "\(result)")
        let output = result.output.replacing("\r\n", with: "\n")
        #expect(output.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        #expect(!output.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{200B}" })
        #expect(output.contains(#"\u{202E}\u{200B}8"#) && output.contains(#"\u{1B}[2J"#))
        let lines = output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count < width }, "\(output)")
        #expect(!lines.contains { $0.hasPrefix("fleet/van9") })
        if width == 200 { #expect(lines.count == 3, "\(output)") }
    }
}
