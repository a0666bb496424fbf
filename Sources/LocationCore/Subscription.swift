import LocationModel
package import LocationPolicy

/// An open subscription for locations or frames: its parameters and the state of its deliveries.
///
/// It has no queue: a peer that does not read gets the newest state later, and a count of the skipped deliveries. Access
/// is evaluated for each delivery and never stored. Confined to the event loop.
package final class Subscription: Recipient {
    /// The connection and client.
    let connection: Connection
    let client: Client
    /// The process of the connection, stored here because its use is checked for every delivery.
    private let process: PeerProcess
    /// True if the user's desktop sets limits for it.
    private let isOfApplication: Bool
    /// The number of frames a second; `nil` for a subscription for locations.
    let frameRate: Int?
    /// True while it counts among the subscriptions that need the source.
    var needsSource = false
    /// The index in the list of all subscriptions.
    var index = 0
    /// The pending request for authorization.
    var authorizationRequest: ClientAuthorization.RequestID?
    /// True after the final error.
    private(set) var isEnded = false
    /// The access at the last review, to detect changes. It does not decide about deliveries.
    private var reviewed = Access.refused
    private let subscriber: any Subscriber
    private var filter: LocationFilter
    /// The highest accuracy that the peer asks for.
    var requestedAccuracy: AccuracyAuthorization
    /// Selects headings; `nil` for none.
    private var headingFilter: HeadingFilter?
    /// True if only headings are sent.
    private let isHeadingOnly: Bool
    /// The last diagnostic sent to the peer, with its cause; `nil` while locations flow.
    private var obstacle: (diagnostic: Diagnostic, cause: Cause?)?
    /// True if nothing was delivered since the last diagnostic.
    private var isAwaited = true
    /// The number of deliveries skipped while the peer did not read.
    private var skipped = 0
    /// True if a delivery or a diagnostic is pending because the peer did not read.
    private var isBehind = false

    /// A subscription for locations with validated parameters.
    init(
        _ subscriber: any Subscriber, connection: Connection, client: Client,
        options: SubscriptionOptions
    ) {
        self.subscriber = subscriber
        self.connection = connection
        self.client = client
        process = connection.process
        requestedAccuracy = options.accuracy
        isOfApplication = connection.frontEnd.isForApplications
        frameRate = nil
        filter = LocationFilter(options)
        isHeadingOnly = options.headingOnly
        headingFilter =
            options.heading || isHeadingOnly
            ? HeadingFilter(difference: options.headingFilter) : nil
    }

    /// A subscription for frames.
    init(_ subscriber: any Subscriber, connection: Connection, client: Client, frameRate: Int) {
        self.subscriber = subscriber
        self.connection = connection
        self.client = client
        process = connection.process
        self.frameRate = frameRate
        requestedAccuracy = .full
        isOfApplication = connection.frontEnd.isForApplications
        isHeadingOnly = false
        filter = LocationFilter()
    }

    var id: ObjectIdentifier { ObjectIdentifier(self) }
    var wantsHeading: Bool { headingFilter != nil }
    /// True for frames.
    var isFollowing: Bool { frameRate != nil }

    /// The level of authorization that a delivery needs: *always* for significant changes.
    var need: ClientPolicy.Level { filter.isSignificant ? .always : .whenInUse }
    /// The request for authorization that it starts with.
    var request: ClientAuthorization.Request { filter.isSignificant ? .always : .whenInUse }

    package var evaluation: AccessEvaluation {
        client.evaluation(
            AccessCircumstances(
                isInUse: process.isInUse, need: need, desktop: isOfApplication ? connection.desktopLimit : nil,
                requestedAccuracy: requestedAccuracy))
    }
    /// True if it gets reduced locations even if its client may have exact ones.
    var isLimitedToReduced: Bool { requestedAccuracy == .reduced || connection.desktopLimit == .reduced }
    package var access: Access { evaluation.access }
    /// True if it gets frames at its rate. With reduced accuracy it gets one frame per reduced location instead.
    var getsExactFrames: Bool { isFollowing && access == .permitted(.full) }

    /// Evaluates its access again and sends a diagnostic if there is an obstacle; *not in use* only once use is known.
    ///
    /// - Returns: true if it has gained access since the last review.
    func review() -> Bool {
        let now = evaluation
        let before = reviewed
        reviewed = now.access
        switch now.access {
        case .permitted(.full): break
        case .permitted(.reduced): if before != .permitted(.reduced) { tell(.accuracyLimited, cause(of: now)) }
        case .suspended: if process.isUseKnown { tell(.insufficientlyInUse, cause(of: now)) }
        case .undecided: tell(.authorizationRequestInProgress)
        // The prompt was not answered: the error that ends the subscription says so.
        case .refused where authorizationRequest != nil && now.authorization.status == .notDetermined: break
        case .refused:
            tell(
                now.authorization.status == .restricted ? .authorizationRestricted : .authorizationDenied,
                cause(of: now))
        }
        guard case .permitted = now.access else { return false }
        return now.access != before
    }

    /// Changes the minimum distance in metres and the minimum interval in seconds from the last delivered location.
    package func setFilter(distance: Double, interval: Double) {
        filter.setThresholds(distance: distance, interval: .seconds(interval))
    }

    /// True if this location was delivered last.
    func hasDelivered(_ disclosure: Disclosure) -> Bool {
        switch disclosure.content {
        case .location(let publication), .reduced(let publication): filter.hasDelivered(publication.location)
        case .frame, .heading: false
        }
    }

    /// The outcome of a delivery.
    enum Outcome {
        case delivered
        /// The peer did not read.
        case skipped
        /// A filter rejected it.
        case filtered
    }

    /// Delivers a released position, if it passes the filters and the peer reads.
    @discardableResult
    func offer(_ disclosure: Disclosure) -> Outcome {
        switch disclosure.content {
        case .location(let publication):
            guard passes(publication.location) else { return .filtered }
            guard isReady() else { return .skipped }
            send(disclosure)
            filter.delivered(publication.location)
        case .reduced(let publication):
            // Reduced locations come every quarter of an hour and are not filtered.
            guard !isHeadingOnly else { return .filtered }
            guard isReady() else { return .skipped }
            send(disclosure)
            filter.delivered(publication.location)
        case .frame:
            guard isReady() else { return .skipped }
            send(disclosure)
        case .heading(let shared):
            // Not repeated if the peer is not ready, because the next heading supersedes it.
            guard headingFilter?.passes(shared.heading) == true else { return .filtered }
            guard subscriber.isReady else { return .skipped }
            subscriber.deliver(disclosure, skipped: nil)
            if isHeadingOnly { obstacle = nil }
            headingFilter?.delivered(shared.heading)
        }
        return .delivered
    }

    private func cause(of evaluation: AccessEvaluation) -> Cause? {
        Cause(evaluation, of: client.declaration, in: process)
    }

    /// Reports that there is no location.
    func tellUnavailable(_ cause: Cause?) {
        guard case .permitted = access else { return }
        tell(.locationUnavailable, cause)
    }

    /// Sends the pending diagnostic or the newest position when the peer reads again; returns true if it sent the
    /// position. Frames are not repeated, because the next one comes soon; a reduced location is.
    func catchUp(with newest: Disclosure?) -> Bool {
        guard isBehind else { return false }
        isBehind = false
        if let obstacle {
            reply(obstacle.diagnostic, obstacle.cause)
            return false
        }
        guard let newest else { return false }
        switch newest.content {
        case .location(let publication):
            guard passes(publication.location) else { return false }
            filter.delivered(publication.location)
        case .reduced(let publication):
            guard !isHeadingOnly else { return false }
            filter.delivered(publication.location)
        case .frame, .heading: return false
        }
        // The newest position was counted as skipped when it came.
        skipped = max(0, skipped - 1)
        send(newest)
        return true
    }

    /// Ends the subscription with an error.
    func end(_ refusal: Refusal) {
        isEnded = true
        subscriber.end(refusal)
    }

    private func passes(_ location: Location) -> Bool {
        if isHeadingOnly { return false }
        switch filter.judge(location, isAwaited: isAwaited) {
        case .deliver: return true
        case .reject: return false
        case .pause:
            tell(.stationary)
            return false
        }
    }

    /// True if the peer reads. Otherwise counts a skipped delivery.
    private func isReady() -> Bool {
        guard !subscriber.isReady else { return true }
        skipped += 1
        isBehind = true
        obstacle = nil
        return false
    }

    private func send(_ disclosure: Disclosure) {
        subscriber.deliver(disclosure, skipped: missed)
        skipped = 0
        obstacle = nil
        isAwaited = false
        isBehind = false
    }

    private func tell(_ diagnostic: Diagnostic, _ cause: Cause? = nil) {
        if let obstacle, obstacle == (diagnostic, cause) { return }
        obstacle = (diagnostic, cause)
        isAwaited = true
        if subscriber.isReady { reply(diagnostic, cause) } else { isBehind = true }
    }

    private func reply(_ diagnostic: Diagnostic, _ cause: Cause?) {
        subscriber.tell(diagnostic, cause, skipped: missed)
        skipped = 0
    }

    private var missed: Int? { skipped > 0 ? skipped : nil }
}
