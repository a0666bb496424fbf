import Glibc

/// The recommended width of the visible area: the distance travelled in a minute, from 200 m to 20 km.
///
/// It changes gradually: the logarithm of the span approaches its new value with e^(−t/3 s), so that zooming in and out
/// look alike.
struct DisplayedSpan: Sendable {
    private static let bounds = 200.0...20_000.0
    private static let seconds = 60.0
    private static let easing = 3.0

    private let meant: Double
    private let difference: Double

    /// Changes from `shown` metres to the span for `speed` in m/s.
    init(speed: Double, from shown: Double?) {
        let meant = log(min(max(speed * Self.seconds, Self.bounds.lowerBound), Self.bounds.upperBound))
        self.meant = meant
        difference = shown.map { log($0) - meant } ?? 0
    }

    /// The span in metres, `age` seconds after the fix arrived.
    func metres(after age: Double) -> Double { exp(meant + difference * exp(-age / Self.easing)) }
}
