import ArgumentParser
package import LocationModel

/// The notation of coordinates in text for people.
package enum CoordinateNotation: String, CaseIterable, Sendable {
    /// `50.978333° N`
    case decimal
    /// Degrees and decimal minutes, as on sea charts: `50° 58.7000′ N`.
    case ddm
    /// Degrees, minutes and seconds: `50° 58′ 42.00″ N`.
    case dms

    /// A latitude: `52.473104° N`.
    ///
    /// - Parameter decimals: the decimals of decimal degrees. The other notations have steps of 0.2 and 0.3 m.
    package func latitude(_ degrees: Double, decimals: Int = 6) -> String {
        text(degrees, "N", "S", decimals: decimals, digits: 2)
    }

    /// A longitude: `13.402118° E`.
    package func longitude(_ degrees: Double, decimals: Int = 6) -> String {
        text(degrees, "E", "W", decimals: decimals, digits: 3)
    }

    /// The latitude and the longitude of a position.
    package func position(_ coordinate: Coordinate) -> String {
        latitude(coordinate.latitude) + ", " + longitude(coordinate.longitude)
    }

    /// An angle with the letter of its direction.
    ///
    /// - Parameter digits: the least digits of the whole degrees in the other notations.
    private func text(
        _ degrees: Double, _ positive: String, _ negative: String, decimals: Int, digits: Int
    ) -> String {
        let letter = degrees < 0 ? negative : positive
        func padded(_ number: Int, _ digits: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        switch self {
        case .decimal:
            let scale = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000][min(max(0, decimals), 6)]
            let units = Int((abs(degrees) * Double(scale)).rounded())
            let fraction = decimals > 0 ? ".\(padded(units % scale, decimals))" : ""
            return "\(units / scale)\(fraction)° \(letter)"
        case .ddm:
            let units = Int((abs(degrees) * 600_000).rounded())
            let (minutes, fraction) = (units / 10_000 % 60, units % 10_000)
            return "\(padded(units / 600_000, digits))° \(padded(minutes, 2)).\(padded(fraction, 4))′ \(letter)"
        case .dms:
            let units = Int((abs(degrees) * 360_000).rounded())
            let (minutes, seconds, fraction) = (units / 6000 % 60, units / 100 % 60, units % 100)
            return
                "\(padded(units / 360_000, digits))° \(padded(minutes, 2))′ \(padded(seconds, 2)).\(padded(fraction, 2))″ "
                + letter
        }
    }
}

extension CoordinateNotation: ExpressibleByArgument {}
