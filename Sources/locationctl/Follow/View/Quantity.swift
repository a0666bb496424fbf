import LocationModel

/// Formats numbers for the live view.
enum Quantity {
    /// A round length: `50 m`, `2 km`.
    static func round(_ metres: Double) -> String {
        metres < 1000 ? "\(TextFormat.number(metres, 0)) m" : "\(TextFormat.number(metres / 1000, 0)) km"
    }

    /// A length with about three digits: `850 m`, `1.24 km`, `123 km`.
    static func distance(_ metres: Double) -> String {
        switch metres {
        case ..<999.5: "\(TextFormat.number(metres, 0)) m"
        case ..<9995: "\(TextFormat.number(metres / 1000, 2)) km"
        case ..<99_950: "\(TextFormat.number(metres / 1000, 1)) km"
        default: "\(TextFormat.number(metres / 1000, 0)) km"
        }
    }

    /// The radius of a position: `±3 m`.
    static func accuracy(_ metres: Double) -> String {
        metres < 999.5 || metres >= 9950
            ? "±\(distance(metres))" : "±\(TextFormat.number(metres / 1000, 1)) km"
    }

    /// A speed from metres a second: `5.0 km/h`.
    static func speed(_ speed: Double) -> String {
        let kilometresPerHour = speed * 3.6
        return "\(TextFormat.number(kilometresPerHour, kilometresPerHour < 99.95 ? 1 : 0)) km/h"
    }

    /// A duration: `12:34`, or `1:02:03` from an hour on.
    static func time(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        func two(_ number: Int64) -> String { "\("\(100 + number)".dropFirst())" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":\(two(seconds % 60))"
    }
}
