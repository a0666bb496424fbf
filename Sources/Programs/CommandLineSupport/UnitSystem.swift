import ArgumentParser

/// The units of text for people. JSON, GeoJSON and recorded tracks are always metric.
package enum UnitSystem: String, CaseIterable, Sendable {
    /// Metres, kilometres, km/h.
    case metric
    /// Feet, miles, mph.
    case imperial
    /// Feet, nautical miles, knots.
    case nautical

    /// The units of the environment's locale, from the variables in the C library's order: imperial where its territory
    /// measures roads in miles and the C library says so.
    package static func of(_ environment: (String) -> String?) -> UnitSystem {
        let locale = ["LC_ALL", "LC_MEASUREMENT", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        let territory = locale.prefix { $0 != "." && $0 != "@" }.split(separator: "_").dropFirst().first
        return ["US", "PR", "LR", "MM"].contains(territory) ? .imperial : .metric
    }

    package struct Length: Hashable, Sendable {
        package let symbol: String
        package let metres: Double
    }

    /// The unit of heights and short distances.
    package var short: Length {
        switch self {
        case .metric: Length(symbol: "m", metres: 1)
        case .imperial, .nautical: Length(symbol: "ft", metres: 0.3048)
        }
    }

    /// The unit of long distances.
    package var long: Length {
        switch self {
        case .metric: Length(symbol: "km", metres: 1000)
        case .imperial: Length(symbol: "mi", metres: 1609.344)
        case .nautical: Length(symbol: "NM", metres: 1852)
        }
    }

    /// The symbol of speeds.
    package var speedSymbol: String {
        switch self {
        case .metric: "km/h"
        case .imperial: "mph"
        case .nautical: "kn"
        }
    }

    /// A speed in its unit: long distances an hour.
    ///
    /// - Parameter speed: in metres a second.
    package func speed(_ speed: Double) -> Double { speed * 3600 / long.metres }
}

extension UnitSystem: ExpressibleByArgument {}
