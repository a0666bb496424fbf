import Glibc

/// How much ground a screen shows across: what is covered in a minute, within 200 m and 20 km.
///
/// A new speed is not shown at once: the logarithm of the span goes to its new value by e^(−t/3 s), so that zooming in
/// and out look alike.
struct DisplayedSpan: Sendable {
    private static let bounds = 200.0...20_000.0
    private static let seconds = 60.0
    private static let easing = 3.0

    private let meant: Double
    private let difference: Double

    /// Goes from `shown` metres to what `speed` in m/s asks for.
    init(speed: Double, from shown: Double?) {
        let meant = log(min(max(speed * Self.seconds, Self.bounds.lowerBound), Self.bounds.upperBound))
        self.meant = meant
        difference = shown.map { log($0) - meant } ?? 0
    }

    /// In metres, `age` seconds after the fix arrived.
    func metres(after age: Double) -> Double { exp(meant + difference * exp(-age / Self.easing)) }
}
