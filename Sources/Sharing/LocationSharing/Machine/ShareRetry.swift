import Pacing

/// When a message is tried again after a failure, and for how long the service has given doubtful answers.
struct ShareRetry: Sendable {
    /// The longest time between two attempts to open a bridge, whose network comes and goes.
    private static let longestBridgeDelay = Duration.seconds(5)
    /// The longest time for which a service may ask to be left alone.
    private static let longestRetryAfter = Duration.seconds(3600)
    /// The number of doubtful answers in a row, besides their time, after which the settings are wrong.
    private static let mostDoubts = 5

    private var backOff: BackOff
    /// The time of the next attempt; `nil` if nothing has failed.
    private(set) var at: ContinuousClock.Instant?
    /// The doubtful answers since another one: the time of the first one, and their number.
    private var doubts: (since: ContinuousClock.Instant, count: Int)?

    init(isBridge: Bool) {
        backOff = BackOff(from: .seconds(1), to: isBridge ? Self.longestBridgeDelay : .seconds(300))
    }

    /// Lets the next message wait for nothing.
    mutating func reset() {
        backOff.reset()
        at = nil
    }

    /// Takes note of an answer that is not doubtful.
    mutating func endDoubts() { doubts = nil }

    /// Takes note of an answer as for wrong settings, which a service that starts and a proxy in front of it give as well. Returns
    /// true if they have lasted so long that the settings are wrong.
    mutating func noteDoubt(at now: ContinuousClock.Instant) -> Bool {
        let (since, count) = doubts ?? (now, 0)
        doubts = (since, count + 1)
        return count + 1 >= Self.mostDoubts && since.duration(to: now) >= ShareMachine.doubtfulTime
    }

    /// Takes note of a failure.
    ///
    /// - Parameters:
    ///   - seconds: the time after which the service may be tried again, if it names one.
    ///   - random: from 0 to 1.
    mutating func fail(_ seconds: Int?, random: Double, at now: ContinuousClock.Instant) {
        let delay = max(backOff.next(random: random), min(.seconds(seconds ?? 0), Self.longestRetryAfter))
        at = now.advanced(by: delay)
    }
}
