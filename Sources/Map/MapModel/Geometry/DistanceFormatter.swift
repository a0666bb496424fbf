import Glibc

/// A formatter of distances as English text (MapKit's `MKDistanceFormatter`): "350 m", "2.4 km", "1.5 miles".
public struct DistanceFormatter: Hashable, Sendable {
    /// A choice of units (MapKit's `MKDistanceFormatter.Units`).
    public enum Units: Hashable, Sendable {
        /// The units of the environment's locale (`LC_ALL`, `LC_MEASUREMENT` or `LANG`).
        case `default`
        /// Metres and kilometres.
        case metric
        /// Feet and miles.
        case imperial
        /// Yards and miles.
        case imperialWithYards
    }

    /// The length of the units' names.
    public enum UnitStyle: Hashable, Sendable {
        /// As ``abbreviated``.
        case `default`
        /// Symbols: m, km, ft, yd, mi.
        case abbreviated
        /// Words: metres, kilometres, feet, yards, miles.
        case full
    }

    /// The units. Default those of the locale.
    public var units = Units.default
    /// The length of the units' names. Default abbreviated.
    public var unitStyle = UnitStyle.default

    /// Creates a formatter with default units and style.
    public init() {}

    /// Returns a distance as text, in a precision for people on the way: short distances to the metre, foot or yard, from 100 of
    /// them on to ten; longer ones to a tenth of a kilometre or mile, from ten of them on to a whole one.
    ///
    /// - Parameter distance: The distance in metres. Negative distances and those that are not a number count as 0.
    public func string(fromDistance distance: Double) -> String {
        let distance = distance > 0 ? min(distance, Self.longest) : 0
        let (short, long) = shortAndLong
        if distance < short.limit {
            let amount = distance / short.metres
            return text(amount < 100 ? amount.rounded() : (amount / 10).rounded() * 10, short)
        }
        let tenths = (distance / long.metres * 10).rounded() / 10
        return text(tenths < 10 ? tenths : (distance / long.metres).rounded(), long)
    }

    /// Returns the distance of a text such as "2.4 km" or "1,200 feet", in metres, whatever ``units`` are; `nil` if it is not a
    /// number, 0 or more, with one of the units.
    public func distance(from text: String) -> Double? {
        let text = text.lowercased().filter { !$0.isWhitespace }
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." || $0 == "," }
        guard let amount = Double(number.filter { $0 != "," }),
            let unit = Unit.allCases.first(where: { $0.names.contains(String(text.dropFirst(number.count))) })
        else { return nil }
        return amount * unit.metres
    }

    /// Beyond the longest distance on the earth; larger numbers have no text of this form.
    private static let longest = 1e12

    private var shortAndLong: (Unit, Unit) {
        switch units == .default ? Self.units(of: { getenv($0).map { String(cString: $0) } }) : units {
        case .default, .metric: (.metre, .kilometre)
        case .imperial: (.foot, .mile)
        case .imperialWithYards: (.yard, .mile)
        }
    }

    private func text(_ amount: Double, _ unit: Unit) -> String {
        let number = ScaleStep.number(amount)
        guard unitStyle == .full else { return "\(number) \(unit.names[0])" }
        return "\(number) \(amount == 1 ? unit.names[1] : unit.names[2])"
    }

    /// Returns the units of the environment's locale, from the variables in the C library's order.
    static func units(of environment: (String) -> String?) -> Units {
        let locale = ["LC_ALL", "LC_MEASUREMENT", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        let territory = locale.prefix { $0 != "." && $0 != "@" }.split(separator: "_").dropFirst().first
        switch territory {
        case "US", "PR", "LR", "MM": return .imperial
        case "GB": return .imperialWithYards
        default: return .metric
        }
    }

    /// A unit of length.
    private enum Unit: CaseIterable {
        case metre, kilometre, foot, yard, mile

        var metres: Double {
            switch self {
            case .metre: 1
            case .kilometre: 1000
            case .foot: 0.3048
            case .yard: 0.9144
            case .mile: 1609.344
            }
        }

        /// The distance in metres from which on the longer unit is used.
        var limit: Double { self == .metre ? 950 : 0.2 * Unit.mile.metres }

        /// The symbol, the singular, the plural, and others that are read.
        var names: [String] {
            switch self {
            case .metre: ["m", "metre", "metres", "meter", "meters"]
            case .kilometre: ["km", "kilometre", "kilometres", "kilometer", "kilometers"]
            case .foot: ["ft", "foot", "feet"]
            case .yard: ["yd", "yard", "yards"]
            case .mile: ["mi", "mile", "miles"]
            }
        }
    }
}
