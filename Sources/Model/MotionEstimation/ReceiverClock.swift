import LocationModel

/// Estimates the current moment on the receiver's clock from the arrival of its fixes.
///
/// A fix arrives some time after its moment: the receiver computes it, sends it over a slow line, and gpsd waits for
/// the rest of the epoch. The variable part of that delay is observable: no fix can be early, so each is late by the
/// time after the moment at which the fastest one would have come. The constant part is not observable without a
/// synchronised clock, so it is assumed.
struct ReceiverClock: Sendable {
    /// The delay of the fastest fixes, in seconds, and its standard deviation. gpsd's documentation of TOFF and PPS
    /// (gpsd_json(5)) has 10 to 700 ms with 100 to 300 ms of jitter.
    static let assumedDelay = 0.2
    static let delaySigma = 0.09
    /// The rate at which the fastest fix is forgotten, in seconds a second: more than the drift between two crystals.
    private static let leak = 3e-4
    /// The largest delay attributed to the line, in seconds.
    private static let latest = 1.0

    /// The arrival of the newest fix.
    private(set) var arrival: ContinuousClock.Instant
    /// The delay of the newest fix beyond that of the fastest, in seconds.
    private var lateness = 0.0
    private let delay: Double

    init(_ location: Location, at arrival: ContinuousClock.Instant) {
        self.arrival = arrival
        // Simulated fixes have no delay.
        delay = location.sourceInformation?.isSimulated == true ? 0 : Self.assumedDelay
    }

    /// Records the arrival of a fix, `elapsed` seconds of its time after the last one.
    mutating func tick(at arrival: ContinuousClock.Instant, elapsed: Double) {
        let waited = self.arrival.duration(to: arrival).seconds
        lateness = min(max(lateness + waited - elapsed - Self.leak * max(waited, 0), 0), Self.latest)
        self.arrival = max(arrival, self.arrival)
    }

    /// The seconds since the time of the newest fix.
    func interval(at now: ContinuousClock.Instant) -> Double { age(at: now) + lateness + delay }

    /// The seconds since the newest fix arrived; never negative.
    func age(at now: ContinuousClock.Instant) -> Double { max(arrival.duration(to: now).seconds, 0) }

    /// The standard deviation of `interval`, in seconds.
    var sigma: Double { delay > 0 ? Self.delaySigma : 0 }
}
