import Glibc

/// A scale bar (MapKit's `MKScaleView`).
public struct ScaleBar: Hashable, Sendable {
    /// The system of units.
    public enum System: Hashable, Sendable {
        /// Metres and kilometres.
        case metric
        /// Feet and miles.
        case imperial
    }

    /// The length of the bar in pixels.
    public let width: Double
    /// The distance that it represents, in metres.
    public let meters: Double
    /// The distance as text, such as "200 m".
    public let text: String

    /// The longest bar of at most `maximumWidth` pixels that represents one, two or five times a power of ten of a
    /// unit, where a pixel is `metersPerPixel`. `nil` unless both values are positive numbers.
    ///
    /// MapKit does not document its steps; 1, 2 and 5 are those of printed maps and of MapLibre. Kilometres from 1 km
    /// on, miles from half a mile on, centimetres and inches below a unit.
    public init?(metersPerPixel: Double, maximumWidth: Double = 100, system: System) {
        let longest = metersPerPixel * maximumWidth
        guard longest > 0, longest.isFinite, metersPerPixel > 0 else { return nil }
        let units: [(name: String, meters: Double)] =
            switch system {
            case .metric: [("km", 1000), ("m", 1), ("cm", 0.01)]
            case .imperial: [("mi", 1609.344), ("ft", 0.3048), ("in", 0.0254)]
            }
        // Half a mile is easier to read than 2,000 feet.
        let smallest = system == .imperial ? 0.5 : 1
        let unit = units.dropLast().enumerated().first { longest >= $1.meters * ($0 == 0 ? smallest : 1) }?.element
        let (name, length) = unit ?? units[units.count - 1]
        let amount = longest < length && unit != nil ? smallest : Self.niceNumber(upTo: longest / length)
        meters = amount * length
        width = meters / metersPerPixel
        text = "\(Self.text(amount)) \(name)"
    }

    /// The largest of …, 0.5, 1, 2, 5, 10, … up to `value`.
    private static func niceNumber(upTo value: Double) -> Double {
        let exponent = floor(log10(value))
        let candidates = (-1...1).flatMap { offset in [1.0, 2, 5].map { $0 * pow(10, exponent + Double(offset)) } }
        // Accept values that are slightly above due to rounding.
        return candidates.last { $0 <= value * (1 + 1e-9) } ?? pow(10, exponent)
    }

    private static func text(_ amount: Double) -> String {
        amount == amount.rounded() && amount < 1e9 ? grouped(Int(amount)) : "\(amount)"
    }

    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        guard digits.count > 4 else { return digits }
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            })
    }
}
