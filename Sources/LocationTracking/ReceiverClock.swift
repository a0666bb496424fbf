import LocationModel

/// Which moment of the receiver's time it is now, by how its fixes arrive.
///
/// A fix arrives some time after its moment: the receiver computes it, sends it over a slow line, gpsd waits for the rest of
/// the epoch. The part of that which varies is seen: no fix can be earlier than the fastest, so a fix is as late as it comes
/// after the moment at which the fastest would have come. The constant part cannot be seen without a clock that
/// is right, so it is assumed.
struct ReceiverClock: Sendable {
    /// The delay of the fastest fixes, in seconds, and how far off that may be (one sigma). gpsd's documentation of TOFF and
    /// PPS (gpsd_json(5)) has 10 to 700 ms with 100 to 300 ms of jitter.
    static let assumedDelay = 0.2
    static let delaySigma = 0.09
    /// By how much the fastest fix is forgotten in a second, in seconds: more than crystals drift against each other.
    private static let leak = 3e-4
    /// Later than that is no delay of the line; in seconds.
    private static let latest = 1.0

    /// When the newest fix arrived.
    private(set) var arrival: ContinuousClock.Instant
    /// How much later than the fastest would have been.
    private var lateness = 0.0
    private let delay: Double

    init(_ location: Location, at arrival: ContinuousClock.Instant) {
        self.arrival = arrival
        // What is made up is told at once.
        delay = location.sourceInformation?.isSimulated == true ? 0 : Self.assumedDelay
    }

    /// A fix `elapsed` seconds after the last one arrives.
    mutating func tick(at arrival: ContinuousClock.Instant, elapsed: Double) {
        let waited = self.arrival.duration(to: arrival).seconds
        lateness = min(max(lateness + waited - elapsed - Self.leak * max(waited, 0), 0), Self.latest)
        self.arrival = max(arrival, self.arrival)
    }

    /// How long ago the newest fix's moment was, in seconds.
    func interval(at now: ContinuousClock.Instant) -> Double { age(at: now) + lateness + delay }

    /// How long ago the newest fix arrived, in seconds; never negative.
    func age(at now: ContinuousClock.Instant) -> Double { max(arrival.duration(to: now).seconds, 0) }

    /// How far off `interval` may be, in seconds.
    var sigma: Double { delay > 0 ? Self.delaySigma : 0 }
}
