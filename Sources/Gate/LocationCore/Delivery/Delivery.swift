import LocationModel
import LocationSources

/// The state of the deliveries to one peer: its filters, the last delivery, and the waiting one.
///
/// A state machine without effects: it takes events and returns the action to perform. It has no queue: a peer that does not
/// read gets the newest state later, and a count of the skipped deliveries. It does not decide about access.
struct Delivery {
    /// The kind of the delivery.
    enum Action: Equatable {
        /// The offered position, with the number of positions skipped before it.
        case deliver(skipped: Int?)
        /// A diagnostic, with its cause and the number of positions skipped before it.
        case report(LocationDiagnostic, LocationCause?, skipped: Int?)
        /// Nothing: the peer does not read.
        case skip
        /// Nothing: a filter has rejected the position, or the peer has the diagnostic already.
        case none
    }

    /// Selects locations.
    private(set) var filter: LocationFilter
    /// Selects headings; `nil` for none.
    private var headingFilter: HeadingFilter?
    /// True if only headings are sent.
    let isHeadingOnly: Bool
    /// The last diagnostic sent to the peer, with its cause; `nil` while locations flow.
    private var reported: (diagnostic: LocationDiagnostic, cause: LocationCause?)?
    /// True if nothing was delivered since the last diagnostic.
    private var isAwaited = true
    /// The number of deliveries skipped while the peer did not read.
    private var skipped = 0
    /// True if a delivery or a diagnostic is pending because the peer did not read.
    private var isBehind = false

    /// The deliveries of a subscription for locations.
    init(_ options: SubscriptionOptions = .init()) {
        filter = LocationFilter(options)
        isHeadingOnly = options.headingOnly
        headingFilter = options.heading || options.headingOnly ? HeadingFilter(difference: options.headingFilter) : nil
    }

    /// True if the peer gets headings.
    var wantsHeading: Bool { headingFilter != nil }

    /// The need for locations of a peer that may have exact ones.
    var demand: LocationDemand {
        if wantsHeading { return .continuous }
        if filter.isSignificant { return .coarse }
        return Self.demand(for: filter.interval)
    }

    /// The need for locations of a peer that gets one in this interval at most.
    static func demand(for interval: Duration) -> LocationDemand { interval >= longInterval ? .periodic : .continuous }

    /// The interval from which a source need not report every location.
    private static let longInterval = Duration.seconds(10)

    /// Changes the minimum distance in metres and the minimum interval from the last delivered location.
    mutating func setThresholds(distance: Double, interval: Duration) {
        filter.setThresholds(distance: distance, interval: interval)
    }

    /// True if this location was delivered last, and nothing was said since. A fixed position counts as the same at any time.
    func hasDelivered(_ location: Location) -> Bool {
        // A receiver has a new one soon.
        guard location.sourceInformation?.kind?.isReceiver == false else { return filter.hasDelivered(location) }
        return !isAwaited && filter.hasDelivered(location, atAnyTime: location.sourceInformation?.kind?.isFixed == true)
    }

    /// Takes an exact location.
    mutating func offer(_ location: Location, isReady: @autoclosure () -> Bool) -> Action {
        if isHeadingOnly { return .none }
        // It is reported again after each pause of the need, also that of another peer.
        if location.sourceInformation?.kind?.isFixed == true, hasDelivered(location) { return .none }
        switch filter.judge(location, isAwaited: isAwaited) {
        case .reject: return .none
        case .pause:
            let action = report(.stationary, nil, isReady: isReady())
            return action == .skip ? .none : action
        case .deliver: break
        }
        guard isReady() else { return skip() }
        filter.delivered(location)
        return deliver()
    }

    /// Takes a reduced location. These come every quarter of an hour and are not filtered.
    mutating func offer(reduced location: Location, isReady: @autoclosure () -> Bool) -> Action {
        if isHeadingOnly { return .none }
        guard isReady() else { return skip() }
        filter.delivered(location)
        return deliver()
    }

    /// Takes a frame.
    mutating func offerFrame(isReady: @autoclosure () -> Bool) -> Action { isReady() ? deliver() : skip() }

    /// Takes a heading. It is not owed to a peer that does not read, because the next one supersedes it.
    mutating func offer(_ heading: Heading, isReady: @autoclosure () -> Bool) -> Action {
        guard headingFilter?.passes(heading) == true else { return .none }
        guard isReady() else { return .skip }
        headingFilter?.delivered(heading)
        if isHeadingOnly { reported = nil }
        return .deliver(skipped: nil)
    }

    /// Takes the reason for having no positions.
    mutating func report(_ diagnostic: LocationDiagnostic, _ cause: LocationCause?, isReady: @autoclosure () -> Bool)
        -> Action
    {
        if let reported, reported == (diagnostic, cause) { return .none }
        reported = (diagnostic, cause)
        isAwaited = true
        guard isReady() else {
            isBehind = true
            return .skip
        }
        return .report(diagnostic, cause, skipped: takeSkipped())
    }

    /// Settles with a peer that reads again: the pending diagnostic, or the newest position.
    ///
    /// - Parameter newest: the newest position, exact or reduced, that the peer may have; `nil` if there is none.
    mutating func catchUp(with newest: (location: Location, isReduced: Bool)?) -> Action {
        guard isBehind else { return .none }
        isBehind = false
        if let reported { return .report(reported.diagnostic, reported.cause, skipped: takeSkipped()) }
        guard let newest, !isHeadingOnly else { return .none }
        if !newest.isReduced {
            switch filter.judge(newest.location, isAwaited: isAwaited) {
            case .reject: return .none
            case .pause: return report(.stationary, nil, isReady: true)
            case .deliver: break
            }
        }
        filter.delivered(newest.location)
        // The newest position was counted as skipped when it came.
        skipped = max(0, skipped - 1)
        return deliver()
    }

    private mutating func skip() -> Action {
        skipped += 1
        isBehind = true
        reported = nil
        return .skip
    }

    private mutating func deliver() -> Action {
        reported = nil
        isAwaited = false
        isBehind = false
        return .deliver(skipped: takeSkipped())
    }

    private mutating func takeSkipped() -> Int? {
        defer { skipped = 0 }
        return skipped > 0 ? skipped : nil
    }
}
