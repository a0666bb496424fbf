/// A distance that a scale (MapKit's `MKScaleView`) may represent.
///
/// MapKit does not document its steps. These are 1, 2 and 5 times a power of ten, as on printed maps and in MapLibre;
/// kilometres from 1 km, miles from half a mile, centimetres and inches below a metre and a foot.
public struct ScaleStep: Hashable, Encodable, Sendable {
    /// The distance, in metres.
    public let meters: Double
    /// The distance as text, such as "200 m".
    public let text: String

    /// All steps in metres and kilometres, the shortest first.
    public static let metric =
        steps([1, 2, 5, 10, 20, 50], "cm", 0.01) + steps([1, 2, 5, 10, 20, 50, 100, 200, 500], "m", 1)
        + steps([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000], "km", 1000)
    /// All steps in feet and miles, the shortest first.
    public static let imperial =
        steps([0.2, 0.5, 1, 2, 5], "in", 0.0254)
        + steps([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000], "ft", 0.3048)
        + steps([0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000], "mi", 1609.344)

    private static func steps(_ amounts: [Double], _ unit: String, _ length: Double) -> [ScaleStep] {
        amounts.map { ScaleStep(meters: $0 * length, text: "\(number($0)) \(unit)") }
    }

    /// Returns a number with commas between thousands if it is whole and has more than four digits.
    static func number(_ amount: Double) -> String {
        guard amount == amount.rounded() else { return "\(amount)" }
        let digits = String(Int(amount))
        guard digits.count > 4 else { return digits }
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            })
    }
}
