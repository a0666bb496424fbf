/// Growing delays between attempts (exponential back-off): each is twice as long as the one before, up to a limit.
package struct BackOff: Sendable {
    private let first, longest: Duration
    private var delay: Duration

    package init(from first: Duration, to longest: Duration) {
        (self.first, self.longest, delay) = (first, longest, first)
    }

    /// Returns the delay before the next attempt.
    ///
    /// - Parameters:
    ///   - limit: the longest delay now; the next ones grow as without it.
    ///   - random: from 0 to 1. The delay is drawn from the upper half of its range, so that many programs that lost a peer
    ///     together do not return together. 1 gives the whole delay.
    package mutating func next(atMost limit: Duration? = nil, random: Double = 1) -> Duration {
        defer { delay = min(delay * 2, longest) }
        return min(delay, limit ?? longest) * (0.5 + random / 2)
    }

    /// Starts again with the first delay, because an attempt was successful.
    package mutating func reset() { delay = first }
}
