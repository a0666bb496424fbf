/// Keeps a client to the `MinimumInterval` of its rules.
///
/// All subscriptions and requests of a client share one value, as they share an ``AccuracyReduction``: otherwise each further
/// connection would yield more locations. Within the interval they all may have the location that was delivered first, and no
/// other one. With reduced accuracy at least ``AccuracyReduction/interval`` passes between two locations in any case; the
/// longer of the two intervals counts.
public struct DeliveryPace: Sendable {
    private var last: (number: UInt64?, instant: ContinuousClock.Instant)?

    /// The state of a client that has received no location yet.
    public init() {}

    /// The state of a client that received its last location at `instant`, before the service started.
    public init(lastDelivery instant: ContinuousClock.Instant) { last = (nil, instant) }

    /// True if the location with this number may be delivered.
    ///
    /// - Parameter interval: ``AccessEvaluation/minimumInterval`` of now, so that a rule that starts or ends counts at once.
    public func allows(_ number: UInt64, at instant: ContinuousClock.Instant, interval: Duration?) -> Bool {
        guard let interval, let last, last.number != number else { return true }
        return last.instant.duration(to: instant) >= interval
    }

    /// True if the location with this number was delivered last, and no other one may be delivered yet: it is the one that
    /// those get who ask meanwhile.
    public func isCurrent(_ number: UInt64, at instant: ContinuousClock.Instant, interval: Duration?) -> Bool {
        guard let interval, let last, last.number == number else { return false }
        return last.instant.duration(to: instant) < interval
    }

    /// Records a delivery. Further deliveries of the same location do not prolong the interval: returns false for them.
    @discardableResult
    public mutating func delivered(_ number: UInt64, at instant: ContinuousClock.Instant) -> Bool {
        guard last?.number != number else { return false }
        last = (number, instant)
        return true
    }
}
