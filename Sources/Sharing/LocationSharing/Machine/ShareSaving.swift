import LocationModel

/// Which state of a share is on the disk, and when the present one is saved.
struct ShareSaving: Sendable {
    /// The least time after which a new time of the last delivery alone is saved.
    private static let deliveryInterval = Duration.seconds(10)
    /// The same of a bridge, which delivers every second.
    private static let bridgeDeliveryInterval = Duration.seconds(60)
    /// The time after which a state that could not be saved is saved again.
    private static let retryInterval = Duration.seconds(10)

    /// The state on the disk.
    private(set) var saved: ShareState
    /// The state before that, for when it turns out not to be saved.
    private var before: ShareState
    /// The time before which no state is saved, because one could not be; `nil` if the last one was.
    private(set) var retryAt: ContinuousClock.Instant?
    private let deliveryInterval: Duration

    /// - Parameter state: the state from the disk.
    init(_ state: ShareState, isBridge: Bool) {
        (saved, before) = (state, state)
        deliveryInterval = isBridge ? Self.bridgeDeliveryInterval : Self.deliveryInterval
    }

    func isDue(_ state: ShareState, at now: ContinuousClock.Instant) -> Bool {
        retryAt.map { $0 <= now } ?? isNews(state)
    }

    /// Takes note that a state is saved.
    mutating func save(_ state: ShareState) { (before, saved, retryAt) = (saved, state, nil) }

    /// Takes note that the last one could not be saved.
    mutating func fail(at now: ContinuousClock.Instant) {
        saved = before
        retryAt = now.advanced(by: Self.retryInterval)
    }

    /// True if there is more to save than a new time of the last delivery, which changes with each message.
    private func isNews(_ state: ShareState) -> Bool {
        var known = saved
        (known.lastDelivery, known.implausible) = (state.lastDelivery, state.implausible)
        guard known == state else { return true }
        // The first of those positions, and then each time that they are twice as many.
        if let implausible = state.implausible, implausible / 2 >= saved.implausible ?? 0 { return true }
        guard let last = saved.lastDelivery, let delivery = state.lastDelivery else {
            return state.lastDelivery != saved.lastDelivery || state.implausible == nil && saved.implausible != nil
        }
        return !(.zero..<deliveryInterval).contains(delivery.duration(since: last))
    }
}
