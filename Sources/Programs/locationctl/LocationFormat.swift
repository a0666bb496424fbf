import CommandLineSupport
import ArgumentParser
import Glibc
import LocationModel

enum LocationFormat: String, ExpressibleByArgument, CaseIterable {
    /// Lines for people.
    case text
    /// The service's own JSON objects.
    case json
    /// GeoJSON features (RFC 7946).
    case geojson

    /// A location on several lines.
    func block(_ location: Location, _ style: DisplayStyle) throws -> [String] {
        switch self {
        case .text: TextFormat.block(location, style)
        case .json, .geojson: [try line(location, style)]
        }
    }

    func line(_ location: Location, _ style: DisplayStyle) throws -> String {
        switch self {
        case .text: TextFormat.line(location, style)
        case .json: try JSONLine.encode(location)
        case .geojson:
            // The third coordinate is the height above the ellipsoid (RFC 7946, 3.1.1).
            try JSONLine.encode(
                GeoJSONFeature(
                    [
                        [location.coordinate.longitude, location.coordinate.latitude]
                            + [location.ellipsoidalAltitude].compactMap(\.self)
                    ], location))
        }
    }

    /// A heading on one line. GeoJSON has no format for headings.
    func line(_ heading: Heading) throws -> String? {
        switch self {
        case .text: "heading \(TextFormat.direction(heading.trueHeading))"
        case .json: try JSONLine.encode(["heading": heading])
        case .geojson: nil
        }
    }
}

/// Formats locations for people.
enum TextFormat {
    static func line(_ location: Location, _ style: DisplayStyle = DisplayStyle()) -> String {
        var parts = [
            style.clock.preciseTimeOfDay(location.timestamp),
            position(location.coordinate, location.horizontalAccuracy, style),
        ]
        if let altitude = location.altitude { parts.append(Quantity.height(altitude, style.units)) }
        if let speed = location.speed { parts.append(self.speed(speed, style.units)) }
        if let course = location.course { parts.append(direction(course)) }
        if let note = location.note { parts.append(note) }
        return parts.joined(separator: "  ")
    }

    static func line(_ frame: TrackingFrame, _ style: DisplayStyle = DisplayStyle()) -> String {
        var parts = [
            style.clock.preciseTimeOfDay(frame.timestamp), position(frame.coordinate, frame.horizontalAccuracy, style),
        ]
        if let speed = frame.speed { parts.append(self.speed(speed, style.units)) }
        if let bearing = frame.bearing { parts.append(direction(bearing)) }
        if frame.isPredicted { parts.append("predicted") }
        if let note = frame.sourceInformation?.note { parts.append(note) }
        return parts.joined(separator: "  ")
    }

    static func block(_ location: Location, _ style: DisplayStyle = DisplayStyle()) -> [String] {
        let units = style.units
        var lines = [position(location.coordinate, location.horizontalAccuracy, style)]
        func row(_ name: String, _ text: String) {
            lines.append("  " + name + String(repeating: " ", count: max(1, 11 - name.count)) + text)
        }
        if let altitude = location.altitude {
            let accuracy = location.verticalAccuracy.map { " ±\(Quantity.height($0, units))" } ?? ""
            row("altitude", "\(Quantity.height(altitude, units))\(accuracy) above mean sea level")
        }
        if let speed = location.speed {
            let other = units == .metric ? " (\(number(speed * 3.6, 1)) km/h)" : ""
            row("speed", self.speed(speed, units) + other)
        }
        if let course = location.course { row("course", direction(course)) }
        row("time", style.clock.text(location.timestamp))
        if let source = location.sourceInformation?.sentence { row("source", source) }
        return lines
    }

    private static func position(_ coordinate: Coordinate, _ accuracy: Double?, _ style: DisplayStyle) -> String {
        let accuracy = accuracy.map { "  \(radius($0, style.units))" } ?? ""
        return style.coordinates.position(coordinate) + accuracy
    }

    /// The radius of a position in lines: `±3.2 m`.
    static func radius(_ metres: Double, _ units: UnitSystem) -> String {
        units == .metric ? "±\(number(metres, metres < 10 ? 1 : 0)) m" : Quantity.accuracy(metres, units)
    }

    /// A speed in lines: metres a second, or the units' own.
    private static func speed(_ speed: Double, _ units: UnitSystem) -> String {
        units == .metric ? "\(number(speed, 1)) m/s" : Quantity.speed(speed, units)
    }

    static func direction(_ degrees: Double) -> String {
        let names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        // A value that rounds to 360 is north.
        let whole = Int(degrees.rounded()) % 360
        return "\(whole)° \(names[Int((degrees / 45).rounded()) & 7])"
    }

    /// A number as a person types it: without decimals where it has none, and without an exponent.
    static func asTyped(_ value: Double) -> String {
        if let whole = Int(exactly: value) { return "\(whole)" }
        let text = "\(value)"
        return text.contains("e") ? number(value, 12).replacing("−", with: "-") : text
    }

    /// A latitude and longitude as a person types them.
    static func asTyped(_ coordinate: Coordinate) -> String {
        "\(asTyped(coordinate.latitude)) \(asTyped(coordinate.longitude))"
    }

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
