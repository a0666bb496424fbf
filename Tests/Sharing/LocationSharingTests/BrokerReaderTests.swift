import FoundationEssentials
import LocationModel
import Testing

@testable import LocationSharing

/// What the programs that read a broker require of a message, after their sources.
@Suite("Positions for readers of a broker")
struct BrokerReaderTests {
    /// OwnTracks Recorder 1.0: it ignores a location without numbers as coordinates, and takes its own clock without a whole `tst`.
    private struct Recorder: Decodable {
        var _type: String
        var lat: Double
        var lon: Double
        var tst: Int64
    }

    /// Home Assistant's integration OwnTracks: it ignores a location without `acc`, or with 0, and reads `vel` in km/h.
    private struct OwnTracksIntegration: Decodable {
        var _type: String
        var lat: Double
        var lon: Double
        var acc: Double
        var vel: Double?
        var cog: Double?
    }

    /// Home Assistant's integration MQTT: it takes a location from these attributes, if they are numbers.
    private struct MQTTIntegration: Decodable {
        var latitude: Double
        var longitude: Double
        var gps_accuracy: Double
    }

    /// Its description of a tracker: the attributes' topic takes the place of a topic with the state, and a name that is null makes the
    /// tracker's that of its device.
    private struct Configuration: Decodable {
        struct Device: Decodable {
            var identifiers: [String]
            var name: String
        }

        var unique_id: String
        var source_type: String
        var json_attributes_topic: String
        var device: Device
    }

    private static let time = Timestamp(secondsSince1970: 1_800_000_000, nanoseconds: 900_000_000)

    private static let positions: [Location] = {
        let coordinates: [(Double, Double)] = [
            (47.1412345, 9.5), (0, 0), (-0.0000012, 0.0000001), (90, 180), (-89.9999999, -179.9999999),
        ]
        return coordinates.flatMap { latitude, longitude in
            let bare = Location(coordinate: Coordinate(latitude: latitude, longitude: longitude)!, timestamp: time)
            var full = bare
            (full.horizontalAccuracy, full.verticalAccuracy, full.altitude) = (0, 3.2, -12.5)
            (full.speed, full.course) = (0.0001, 359.9)
            return [bare, full]
        }
    }()

    private static func read<Content: Decodable>(_ bytes: [UInt8]) throws -> Content {
        try JSONDecoder().decode(Content.self, from: Data(bytes))
    }

    @Test("each position is valid for every reader", arguments: positions)
    func position(location: Location) throws {
        let record = ShareRecord(location)
        let coordinate = location.coordinate
        func isThere(_ latitude: Double, _ longitude: Double) -> Bool {
            abs(latitude - coordinate.latitude) < 1e-7 && abs(longitude - coordinate.longitude) < 1e-7
        }
        let message = BrokerMessage.position(record)
        let recorder: Recorder = try Self.read(message)
        #expect(recorder._type == "location" && isThere(recorder.lat, recorder.lon) && recorder.tst == 1_800_000_000)
        let integration: OwnTracksIntegration = try Self.read(message)
        #expect(integration._type == "location" && isThere(integration.lat, integration.lon) && integration.acc >= 1)
        #expect((integration.vel != nil) == (location.speed != nil) && (integration.cog ?? 0) <= 360)
        let attributes: MQTTIntegration = try Self.read(HomeAssistantDiscovery.attributes(record))
        #expect(isThere(attributes.latitude, attributes.longitude) && attributes.gps_accuracy >= 1)
    }

    @Test("the topics have the levels that readers expect, and only characters that Home Assistant accepts")
    func topics() throws {
        var generator = SystemRandomNumberGenerator()
        var destination = try Destination(
            name: "depot", service: .mqtt, url: ServiceURL("mqtts://b:1", of: .mqtt, allowsPlain: false), user: "fleet",
            device: "van_7", using: &generator)
        destination.discoveryPrefix = HomeAssistantDiscovery.prefix
        // Recorder ignores shorter ones, and the apps subscribe to these.
        #expect(BrokerMessage.topic(of: destination).split(separator: "/").count == 3)
        let topic = try #require(HomeAssistantDiscovery.topic("config", of: destination))
        let form = #/homeassistant/device_tracker/[a-zA-Z0-9_-]+/[a-zA-Z0-9_-]+/config/#
        #expect(topic.wholeMatch(of: form) != nil)
        let configuration: Configuration = try Self.read(HomeAssistantDiscovery.configuration(of: destination))
        #expect(
            configuration.json_attributes_topic == HomeAssistantDiscovery.topic("attributes", of: destination))
        #expect(configuration.source_type == "gps" && configuration.device.name == "van_7")
        #expect(configuration.device.identifiers == [configuration.unique_id])
    }

    @Test("a test is not a position for any reader")
    func test() throws {
        let message = BrokerMessage.test(at: Self.time)
        #expect(throws: (any Error).self) { let _: Recorder = try Self.read(message) }
        #expect(throws: (any Error).self) { let _: OwnTracksIntegration = try Self.read(message) }
    }
}
