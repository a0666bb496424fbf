import CommandLineSupport
import ArgumentParser
import FoundationEssentials
import Glibc
import LocationClient
import LocationInterface

/// The output formats for locations.
enum LocationFormat: String, ExpressibleByArgument, CaseIterable {
    /// Lines for people.
    case text
    /// The service's own JSON objects.
    case json
    /// GeoJSON features (RFC 7946).
    case geojson

    /// A location on several lines.
    func block(_ location: Location) throws -> [String] {
        switch self {
        case .text: TextFormat.block(location)
        case .json, .geojson: [try line(location)]
        }
    }

    /// A location on one line.
    func line(_ location: Location) throws -> String {
        switch self {
        case .text: TextFormat.line(location)
        case .json: try Self.encode(location)
        case .geojson: try Self.encode(Feature(location))
        }
    }

    /// A heading on one line. GeoJSON has no format for headings.
    func line(_ heading: Heading) throws -> String? {
        switch self {
        case .text: "heading \(TextFormat.direction(heading.trueHeading))"
        case .json: try Self.encode(["heading": heading])
        case .geojson: nil
        }
    }

    /// An object of the service as JSON on one line.
    static func encode(_ value: some Encodable) throws -> String { try JSONLine.encode(value) }
}

/// A GeoJSON feature with the position as geometry and everything else as properties. The third coordinate is the
/// height above the ellipsoid (RFC 7946, 3.1.1).
private struct Feature: Encodable {
    struct Geometry: Encodable {
        var type = "Point"
        var coordinates: [Double]
    }

    var type = "Feature"
    var geometry: Geometry
    var properties: Location

    init(_ location: Location) {
        let coordinate = location.coordinate
        geometry = Geometry(
            coordinates: [coordinate.longitude, coordinate.latitude] + [location.ellipsoidalAltitude].compactMap { $0 })
        properties = location
    }
}

/// Formats locations for people.
enum TextFormat {
    static func line(_ location: Location) -> String {
        var parts = [
            clock(location.timestamp), position(location.coordinate, location.horizontalAccuracy),
        ]
        if let altitude = location.altitude { parts.append("\(number(altitude, 0)) m") }
        if let speed = location.speed { parts.append("\(number(speed, 1)) m/s") }
        if let course = location.course { parts.append(direction(course)) }
        if location.sourceInformation?.isSimulated == true { parts.append("simulated") }
        return parts.joined(separator: "  ")
    }

    static func line(_ frame: TrackingFrame) -> String {
        var parts = [clock(frame.timestamp), position(frame.coordinate, frame.horizontalAccuracy)]
        if let speed = frame.speed { parts.append("\(number(speed, 1)) m/s") }
        if let bearing = frame.bearing { parts.append(direction(bearing)) }
        if frame.isPredicted { parts.append("predicted") }
        if frame.sourceInformation?.isSimulated == true { parts.append("simulated") }
        return parts.joined(separator: "  ")
    }

    static func block(_ location: Location) -> [String] {
        var lines = [position(location.coordinate, location.horizontalAccuracy)]
        func row(_ name: String, _ text: String) {
            lines.append("  " + name + String(repeating: " ", count: max(1, 11 - name.count)) + text)
        }
        if let altitude = location.altitude {
            let accuracy = location.verticalAccuracy.map { " ±\(number($0, 0)) m" } ?? ""
            row("altitude", "\(number(altitude, 0)) m\(accuracy) above mean sea level")
        }
        if let speed = location.speed {
            row("speed", "\(number(speed, 1)) m/s (\(number(speed * 3.6, 1)) km/h)")
        }
        if let course = location.course { row("course", direction(course)) }
        row("time", Clock.text(location.timestamp))
        switch (location.sourceInformation?.isSimulated, location.sourceInformation?.device) {
        case (true?, let device): row("source", "simulated" + (device.map { " (\($0))" } ?? ""))
        case (_, let device?): row("source", device)
        default: break
        }
        return lines
    }

    private static func position(_ coordinate: Coordinate, _ accuracy: Double?) -> String {
        let accuracy = accuracy.map { "  ±\(number($0, $0 < 10 ? 1 : 0)) m" } ?? ""
        return "\(latitude(coordinate)), \(longitude(coordinate))\(accuracy)"
    }

    /// `52.473104° N`
    static func latitude(_ coordinate: Coordinate) -> String {
        angle(coordinate.latitude, "N", "S", decimals: 6)
    }

    /// `13.402118° E`
    static func longitude(_ coordinate: Coordinate) -> String {
        angle(coordinate.longitude, "E", "W", decimals: 6)
    }

    /// Degrees with the letter of a direction: `48.137555° N`.
    static func angle(_ degrees: Double, _ positive: String, _ negative: String, decimals: Int) -> String {
        "\(number(abs(degrees), decimals))° \(degrees < 0 ? negative : positive)"
    }

    static func direction(_ degrees: Double) -> String {
        let names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        // A value that rounds to 360 is north.
        let whole = Int(degrees.rounded()) % 360
        return "\(whole)° \(names[Int((degrees / 45).rounded()) & 7])"
    }

    private static func clock(_ timestamp: Timestamp) -> String {
        String(timestamp.description.dropFirst(11).prefix(8)) + "Z"
    }

    /// A number as a person types it: without decimals where it has none.
    static func asTyped(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }

    /// A number with a fixed number of decimals.
    static func number(_ value: Double, _ decimals: Int) -> String {
        let scale = pow(10, Double(decimals))
        // Values for people are far below 2⁵³, from which on a Double has no decimals.
        guard let scaled = Int(exactly: (abs(value) * scale).rounded()) else { return "\(value)" }
        let whole = "\(scaled / Int(scale))"
        let sign = value < 0 && scaled != 0 ? "−" : ""
        guard decimals > 0 else { return sign + whole }
        let fraction = "\(scaled % Int(scale))"
        return sign + whole + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }
}
