import FleetModel
import FoundationEssentials
import LocationModel
import NIOCore

/// An area, to and from pages.
private struct WireArea: Codable {
    var id, name, search: String
    var center: WirePosition
    var radius: Double

    init(_ area: FleetArea) {
        (id, name, radius, search) = (area.id, area.name, area.radius, area.search)
        center = WirePosition(area.center)
    }

    /// The area; `nil` if a page sends one that cannot be saved.
    var area: FleetArea? {
        let place = Coordinate(clampingLatitude: center.latitude, wrappingLongitude: center.longitude)
        return FleetArea(id: id, name: name, center: place, radius: radius, search: search)
    }
}

/// The areas, and the alarms that nobody has dismissed, as pages show them.
struct FleetAlarms {
    private struct WireAlarm: Encodable {
        var number: Int
        var kind: FleetAlarm.Kind
        var area, vehicle: String
        var position: WirePosition
        /// In seconds since 1970.
        var time: Int

        init(_ number: Int, _ alarm: FleetAlarm) {
            let location = alarm.vehicle.position.location
            (self.number, kind, area, vehicle) = (number, alarm.kind, alarm.area.name, alarm.vehicle.label)
            position = WirePosition(location.coordinate)
            time = Int(location.timestamp.nanosecondsSince1970 / 1_000_000_000)
        }
    }

    private struct Wire: Encodable {
        var areas: [WireArea]
        var alarms: [WireAlarm]
    }

    /// Increases with each change.
    private(set) var revision = 0
    /// The JSON object for pages.
    private(set) var json = ByteBuffer(string: #"{"areas":[],"alarms":[]}"#)
    /// The areas.
    var areas: [FleetArea] = [] { didSet { if areas != oldValue { encode() } } }
    private var alarms: [(number: Int, alarm: FleetAlarm)] = []
    private var last = 0

    /// Adds alarms. The oldest give way beyond the limit.
    mutating func add(_ new: [FleetAlarm]) {
        guard !new.isEmpty else { return }
        for alarm in new {
            last += 1
            alarms.append((last, alarm))
        }
        alarms = alarms.suffix(FleetAlarm.mostKept)
        encode()
    }

    /// Removes alarms by number.
    mutating func dismiss(_ numbers: Set<Int>) {
        alarms.removeAll { numbers.contains($0.number) }
        encode()
    }

    private mutating func encode() {
        revision += 1
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let wire = Wire(areas: areas.map(WireArea.init), alarms: alarms.map(WireAlarm.init))
        // Numbers of areas and positions are finite.
        guard let data = try? encoder.encode(wire) else { return }
        json = ByteBuffer(bytes: data)
    }
}

/// A change of areas or alarms by a page.
enum FleetOrder: Hashable, Sendable {
    /// The user saves an area, or changes one.
    case save(FleetArea)
    /// The user removes an area.
    case remove(String)
    /// The user dismisses alarms, by number.
    case dismiss(Set<Int>)
}

extension FleetOrder: Decodable {
    private enum Keys: String, CodingKey { case area, removed, dismissed }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Keys.self)
        if let area = try object.decodeIfPresent(WireArea.self, forKey: .area) {
            guard let area = area.area else { throw PageMessage.Refusal() }
            self = .save(area)
        } else if let id = try object.decodeIfPresent(String.self, forKey: .removed) {
            guard id.utf8.count <= FleetArea.longestID else { throw PageMessage.Refusal() }
            self = .remove(id)
        } else {
            let numbers = try object.decode([Int].self, forKey: .dismissed)
            guard numbers.count <= FleetAlarm.mostKept else { throw PageMessage.Refusal() }
            self = .dismiss(Set(numbers))
        }
    }
}
