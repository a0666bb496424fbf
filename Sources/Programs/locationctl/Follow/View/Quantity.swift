import CommandLineSupport

/// Formats quantities for people.
enum Quantity {
    /// A length with about three digits: `850 m`, `1.24 km`, `123 km`.
    static func distance(_ metres: Double, _ units: UnitSystem = .metric) -> String {
        // Hundreds of feet are read more easily than hundredths of a mile.
        let isShort = units == .metric ? metres < 999.5 : metres < units.long.metres / 10
        let long = metres / units.long.metres
        return switch long {
        case _ where isShort: height(metres, units)
        case ..<9.995: "\(TextFormat.number(long, 2)) \(units.long.symbol)"
        case ..<99.95: "\(TextFormat.number(long, 1)) \(units.long.symbol)"
        default: "\(TextFormat.number(long, 0)) \(units.long.symbol)"
        }
    }

    /// A height or a short length: `112 ft`.
    static func height(_ metres: Double, _ units: UnitSystem = .metric) -> String {
        "\(TextFormat.number(metres / units.short.metres, 0)) \(units.short.symbol)"
    }

    /// The radius of a position: `±3 m`.
    static func accuracy(_ metres: Double, _ units: UnitSystem = .metric) -> String {
        let long = metres / units.long.metres
        let isShort = units == .metric ? metres < 999.5 : long < 0.2
        if isShort { return "±\(height(metres, units))" }
        return "±\(TextFormat.number(long, long < 9.95 ? 1 : 0)) \(units.long.symbol)"
    }

    /// A speed from metres a second: `5.0 km/h`.
    static func speed(_ speed: Double, _ units: UnitSystem = .metric) -> String {
        let value = units.speed(speed)
        return "\(TextFormat.number(value, value < 99.95 ? 1 : 0)) \(units.speedSymbol)"
    }

    /// A duration: `12:34`, or `1:02:03` from an hour on.
    static func time(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        func two(_ number: Int64) -> String { "\("\(100 + number)".dropFirst())" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":\(two(seconds % 60))"
    }
}
