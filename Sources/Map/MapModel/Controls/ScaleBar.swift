/// A scale bar (MapKit's `MKScaleView`).
public struct ScaleBar: Hashable, Sendable {
    /// The system of units.
    public enum System: Hashable, Sendable, CaseIterable {
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

    /// A distance that a bar may represent.
    public struct Step: Hashable, Sendable {
        /// The distance, in metres.
        public let meters: Double
        /// The distance as text, such as "200 m".
        public let text: String
    }

    /// Returns all distances that a bar of `system` may represent, the shortest first. The map's pages use the same
    /// list.
    ///
    /// MapKit does not document its steps. These are 1, 2 and 5 times a power of ten, as on printed maps and in
    /// MapLibre; kilometres from 1 km, miles from half a mile, centimetres and inches below a metre and a foot.
    public static func steps(of system: System) -> [Step] {
        switch system {
        case .metric: metric
        case .imperial: imperial
        }
    }

    private static let metric =
        steps([1, 2, 5, 10, 20, 50], "cm", 0.01) + steps([1, 2, 5, 10, 20, 50, 100, 200, 500], "m", 1)
        + steps([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000], "km", 1000)
    private static let imperial =
        steps([0.2, 0.5, 1, 2, 5], "in", 0.0254)
        + steps([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000], "ft", 0.3048)
        + steps([0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000], "mi", 1609.344)

    private static func steps(_ amounts: [Double], _ unit: String, _ length: Double) -> [Step] {
        amounts.map { Step(meters: $0 * length, text: "\(text($0)) \(unit)") }
    }

    /// Creates the longest bar of at most `maximumWidth` pixels for one of ``steps(of:)``, at `metersPerPixel` metres a
    /// pixel. If even the shortest step does not fit, that step's bar, which is wider. Returns `nil` if a value is not
    /// a positive number.
    ///
    /// - Parameters:
    ///   - metersPerPixel: The length of a pixel on the ground, in metres.
    ///   - maximumWidth: The greatest width, in pixels. Default 100.
    ///   - system: The system of units.
    public init?(metersPerPixel: Double, maximumWidth: Double = 100, system: System) {
        let longest = metersPerPixel * maximumWidth
        guard longest > 0, longest.isFinite, metersPerPixel > 0 else { return nil }
        let steps = Self.steps(of: system)
        // The tolerance admits a step that rounding has made slightly too long.
        let step = steps.last { $0.meters <= longest * (1 + 1e-9) } ?? steps[0]
        meters = step.meters
        text = step.text
        width = meters / metersPerPixel
    }

    private static func text(_ amount: Double) -> String {
        amount == amount.rounded() && amount < 1e9 ? grouped(Int(amount)) : "\(amount)"
    }

    /// Returns a number with commas between thousands if it has more than four digits.
    static func grouped(_ number: Int) -> String {
        let digits = String(number)
        guard digits.count > 4 else { return digits }
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            })
    }
}
