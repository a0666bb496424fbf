import LocationConfiguration
import LocationModel
package import LocationPolicy
package import LocationSources
import Testing

extension ClientDeclaration {
    /// A client that may have the location at any time; ``PeerIdentity/map`` is its program.
    package static let map = always("org.example.Map")
    /// Another one; ``PeerIdentity/doorbell`` is its program.
    package static let doorbell = always("org.example.Doorbell")

    private static func always(_ identifier: String) -> ClientDeclaration {
        var declaration = example(identifier, executable: "/usr/bin/\(identifier)")
        declaration.whenInUseUsageDescription = "Why."
        return declaration
    }
}

extension PeerIdentity {
    package static let map = example("/usr/bin/org.example.Map")
    package static let doorbell = example("/usr/bin/org.example.Doorbell")
}

extension SourceEvent {
    /// A fix so many metres north of home.
    package static func fix(_ metres: Double, second: Int64) -> SourceEvent {
        var location = Location(
            coordinate: Coordinate(latitude: 48 + metres / 111_200, longitude: 11.5)!,
            timestamp: Timestamp(nanosecondsSince1970: 1_795_000_000_000_000_000 + second * 1_000_000_000))
        location.horizontalAccuracy = 5
        return .location(location)
    }
}

extension DaemonUnderTest {
    /// Calls a method that ends once its change is on disk.
    package func change(_ method: String, _ parameters: String, by manager: any Peer) async throws {
        try await manager.call("Manager.\(method)", parameters)
        try await finishDiskWork()
        let reply = try await manager.next()
        #expect(reply["error"] == nil, "\(reply)")
    }

    /// Adds the place of rules, a circle of 300 m.
    package func addHome(by manager: any Peer) async throws {
        try await change(
            "AddPlace", #"{"place":{"name":"home","latitude":48,"longitude":11.5,"radius":300}}"#, by: manager)
    }

    package func addRule(_ rule: String, by manager: any Peer) async throws {
        try await change("AddRule", #"{"rule":\#(rule)}"#, by: manager)
    }
}

extension Peer {
    /// All that it is sent until nothing is pending.
    package func messages() async throws -> [String] {
        var all: [String] = []
        while let message = try await receive() { all.append(message) }
        return all
    }
}

extension String {
    /// The text without the digits of coordinates, in JSON and in NMEA 0183 with its checksums.
    package var withoutCoordinates: String {
        replacing(/"(lat|lon|latitude|longitude)":-?[0-9.]+/) { "\"\($0.1)\"" }
            .replacing(/\d{4}\.\d{4},[NS],\d{5}\.\d{4},[EW]/, with: "N,E").replacing(/\*[0-9A-F]{2}/, with: "")
    }
}

extension StringProtocol {
    /// The line of a report without the spaces that give all reports one length.
    package var withoutPadding: String { String(self).replacing(/\ +}/, with: "}") }
}
