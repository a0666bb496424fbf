import CommandLineSupport
import FleetModel
import Glibc
import LocationInterface
import LocationModel

/// A vehicle for people and programs.
struct FleetReport: Encodable {
    /// The topic at the broker, which identifies it.
    var topic: String
    /// The user and device of the topic, safe to show.
    var label: String
    /// The name that it gives itself, safe to show; absent if it gives none.
    var name: String?
    var state: VehicleState
    var latitude: Double
    var longitude: Double
    /// The radius in metres.
    var horizontalAccuracy: Double?
    /// Metres above mean sea level.
    var altitude: Double?
    /// Metres a second.
    var speed: Double?
    /// Degrees clockwise from true north.
    var course: Double?
    var timestamp: Timestamp
    /// The age of the position in seconds.
    var age: Double
    /// The end of the share; absent if the broker keeps the position.
    var until: Timestamp?
    /// Percent.
    var battery: Int?

    init(_ vehicle: Vehicle, at now: Timestamp) {
        let location = vehicle.position.location
        (topic, label, name) = (vehicle.topic, vehicle.label, vehicle.shownName)
        state = vehicle.state(at: now)
        (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
        (horizontalAccuracy, altitude) = (location.horizontalAccuracy, location.altitude)
        (speed, course, timestamp) = (location.speed, location.course, location.timestamp)
        (age, until, battery) = (vehicle.age(at: now).rounded(), vehicle.expires, vehicle.position.battery)
    }

    /// The vehicle as GeoJSON. Its altitude is above mean sea level, and so not a third coordinate.
    var feature: GeoJSONFeature<FleetReport> { GeoJSONFeature([[longitude, latitude]], self) }
}

/// Vehicles in words.
enum FleetWords {
    /// The lines of a table.
    static func table(_ reports: [FleetReport], _ display: FleetDisplay) -> [String] {
        Table.lines(
            ["Vehicle", "State", "Speed", "Course", "Age", "Position"],
            reports.map { report in
                [
                    title(report), report.state.rawValue, speed(report, display) ?? "–", course(report) ?? "–",
                    age(report.age), position(report, display, decimals: 5),
                ]
            })
    }

    /// The lines about one vehicle.
    static func block(_ report: FleetReport, _ display: FleetDisplay) -> [String] {
        var lines = [
            "\(title(report)): \(report.state.rawValue)", "  position   \(position(report, display, decimals: 6))",
        ]
        func row(_ name: String, _ text: String?) {
            guard let text else { return }
            lines.append("  " + name + String(repeating: " ", count: 11 - name.count) + text)
        }
        row("accuracy", report.horizontalAccuracy.map { "±" + length($0, display) })
        row("altitude", report.altitude.map { "\(length($0, display)) above mean sea level" })
        row("speed", speed(report, display))
        row("course", course(report))
        row("age", age(report.age))
        row("battery", report.battery.map { "\($0) %" })
        row("until", report.until.map { ShareClock.text($0) })
        row("topic", report.topic.shown())
        return lines
    }

    /// An alarm in a line, with the time of the position that shows it.
    static func line(about alarm: FleetAlarm) -> String {
        "\(alarm.time) \(alarm.vehicle.label.shown(limit: 64)) \(alarm.kind.rawValue) \(alarm.area.name.shown(limit: 64))"
    }

    /// The sentences about unused messages.
    static func problems(of fleet: Fleet) -> [String] {
        FleetMessageFlaw.sentences(about: fleet.flaws, "of vehicles beyond the \(fleet.limit) that are shown")
    }

    /// The topic's part first: a vehicle can give itself any name, but not another topic.
    private static func title(_ report: FleetReport) -> String {
        report.label.shown(limit: 64) + (report.name.map { " " + $0.quoted(limit: 32) } ?? "")
    }

    private static func position(_ report: FleetReport, _ display: FleetDisplay, decimals: Int) -> String {
        display.coordinates.latitude(report.latitude, decimals: decimals) + ", "
            + display.coordinates.longitude(report.longitude, decimals: decimals)
    }

    private static func units(_ display: FleetDisplay) -> UnitSystem {
        display.units ?? .of { name in getenv(name).map { String(cString: $0) } }
    }

    private static func speed(_ report: FleetReport, _ display: FleetDisplay) -> String? {
        let units = units(display)
        return report.speed.map { "\(Int(units.speed($0).rounded())) \(units.speedSymbol)" }
    }

    private static func length(_ metres: Double, _ display: FleetDisplay) -> String {
        let unit = units(display).short
        return "\(Int((metres / unit.metres).rounded())) \(unit.symbol)"
    }

    private static func course(_ report: FleetReport) -> String? {
        let names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        return report.course.map { "\(Int($0.rounded()) % 360)° \(names[Int(($0 / 45).rounded()) & 7])" }
    }

    private static func age(_ seconds: Double) -> String {
        switch seconds {
        case ..<120: "\(Int(seconds)) s"
        case ..<7200: "\(Int(seconds / 60)) min"
        case ..<172_800: "\(Int(seconds / 3600)) h"
        default: "\(Int(seconds / 86_400)) days"
        }
    }
}
