import LocationModel

/// OwnTracks' messages in JSON, with what Home Assistant reads of them.
///
/// Speeds are in km/h. A location without an accuracy, or with 0, is dropped by Home Assistant; an unknown one is written as
/// ``unknownAccuracy``. There are no regions, because Home Assistant ignores locations while a device is in one.
package enum OwnTracksMessage {
    /// The accuracy that is written for an unknown one, in metres.
    package static let unknownAccuracy = 50.0

    /// The content of a message.
    package static func body(_ message: ShareMessage) -> [UInt8] {
        switch message {
        case .position(let record): Array(object(location(record.location)).utf8)
        // Its state becomes “unknown”, and the coordinates are gone.
        case .end(let time):
            Array(object([type("location"), ("lat", "null"), ("lon", "null"), ("acc", "1"), moment(time)]).utf8)
        // A type that Home Assistant answers and does not read.
        case .test(let time): Array(object([type("lwt"), moment(time)]).utf8)
        }
    }

    /// The header lines of a message: Home Assistant makes the tracker's name of user and device.
    package static func headers(user: String, device: String, version: String) -> [String] {
        [
            "Content-Type: application/json", "User-Agent: locationd/\(version)", "X-Limit-U: \(user)",
            "X-Limit-D: \(device)",
        ]
    }

    private static func location(_ location: Location) -> [(String, String)] {
        let accuracy = location.horizontalAccuracy ?? unknownAccuracy
        var members = [
            type("location"), ("lat", number(location.coordinate.latitude, 1e7)),
            ("lon", number(location.coordinate.longitude, 1e7)), ("acc", number(max(1, accuracy.rounded(.up)), 1)),
            moment(location.timestamp),
        ]
        if let altitude = location.altitude { members.append(("alt", number(altitude, 1))) }
        if let accuracy = location.verticalAccuracy { members.append(("vac", number(accuracy.rounded(.up), 1))) }
        if let speed = location.speed { members.append(("vel", number(speed * 3.6, 10))) }
        if let course = location.course { members.append(("cog", number(course, 1))) }
        return members
    }

    private static func type(_ name: String) -> (String, String) { ("_type", "\"\(name)\"") }

    private static func moment(_ time: Timestamp) -> (String, String) {
        ("tst", "\(Int64(time.secondsSince1970.rounded(.down)))")
    }

    /// A number with as many decimals as `scale` has zeros, and no more than it needs.
    private static func number(_ value: Double, _ scale: Double) -> String {
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : plain(rounded, scale)
    }

    /// Without an exponent, which `description` has for small numbers.
    private static func plain(_ value: Double, _ scale: Double) -> String {
        let text = "\(value)"
        guard text.contains("e") else { return text }
        let units = Int64((abs(value) * scale).rounded())
        let digits = String(Int64(scale) + units % Int64(scale)).dropFirst()
        return "\(value < 0 ? "-" : "")\(units / Int64(scale)).\(digits)"
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}
