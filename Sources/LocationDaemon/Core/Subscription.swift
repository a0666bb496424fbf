import LocationInterface
import LocationModel
import LocationPolicy

/// One open subscription for locations or frames: what it asked for, and what was delivered to it.
///
/// It keeps no queue: a peer that does not read is owed the newest state, and a count. It keeps no access either: that is
/// looked up each time. Confined to the event loop.
final class Subscription: Recipient {
    /// Whose it is.
    let connection: Connection
    let client: Client
    /// That of the connection, at hand since its use is looked up for every delivery.
    private let process: PeerProcess
    /// How many frames a second it follows with; `nil` if it is for locations.
    let frameRate: Int?
    /// Whether it is counted among those that need the source.
    var isNeedy = false
    /// Its place among all subscriptions.
    var index = 0
    /// The request for authorization that it waits for.
    var asking: ClientAuthorization.RequestID?
    /// Whether it has been ended with the last word.
    private(set) var isEnded = false
    /// The access at the last review, so that a change is seen. Nothing is delivered by it.
    private var reviewed = Access.refused
    private let subscriber: any Subscriber
    private var filter: LocationFilter
    /// The accuracy that the peer wants at most.
    var wish: AccuracyAuthorization
    /// Which headings are sent too; `nil` for none.
    private var headingFilter: HeadingFilter?
    /// What the peer was last told stands in the way; `nil` while locations flow.
    private var diagnostic: LocationInterface.Diagnostic?
    /// Whether nothing was delivered since the peer was told of something in the way.
    private var isAwaited = true
    /// What was due while the peer did not read.
    private var skipped = 0
    /// Whether something is due that could not be written.
    private var isBehind = false

    /// A subscription for locations with checked parameters.
    init(
        _ subscriber: any Subscriber, connection: Connection, client: Client,
        parameters: LocationInterface.Subscribe.Parameters, wish: AccuracyAuthorization = .full
    ) {
        self.subscriber = subscriber
        self.connection = connection
        self.client = client
        process = connection.process
        self.wish = wish
        frameRate = nil
        filter = LocationFilter(parameters)
        headingFilter = parameters.heading == true ? HeadingFilter(difference: parameters.headingFilter ?? 0) : nil
    }

    /// A subscription for so many frames a second.
    init(_ subscriber: any Subscriber, connection: Connection, client: Client, frameRate: Int) {
        self.subscriber = subscriber
        self.connection = connection
        self.client = client
        process = connection.process
        self.frameRate = frameRate
        wish = .full
        filter = LocationFilter()
    }

    var id: ObjectIdentifier { ObjectIdentifier(self) }
    var wantsHeading: Bool { headingFilter != nil }
    /// Whether it is for frames.
    var isFollowing: Bool { frameRate != nil }

    /// What a delivery takes: significant changes are for those who may always know.
    var need: ClientPolicy.Level { filter.isSignificant ? .always : .whenInUse }
    /// What its client has to ask for before it may have anything.
    var request: ClientAuthorization.Request { filter.isSignificant ? .always : .whenInUse }

    var evaluation: AccessEvaluation {
        client.evaluation(isInUse: process.isInUse, need: need).limited(to: wish)
    }
    /// Whether the peer wants no more than rough locations.
    var wantsRough: Bool { wish == .reduced }
    var access: Access { evaluation.access }
    /// Whether frames flow to it by their own clock; a rough one comes with its location.
    var isShownExactly: Bool { isFollowing && access == .permitted(.full) }

    /// Looks at its access anew and tells what stands in the way, if anything does: that it is not in use only if that is
    /// known.
    ///
    /// - Returns: whether it may have locations now and might not at the last review.
    func review() -> Bool {
        let now = evaluation
        let before = reviewed
        reviewed = now.access
        switch now.access {
        case .permitted(.full): break
        case .permitted(.reduced): if before != .permitted(.reduced) { tell(.accuracyLimited) }
        case .suspended: if process.isUseKnown { tell(.insufficientlyInUse) }
        case .undecided: tell(.authorizationRequestInProgress)
        case .refused:
            tell(now.authorization.status == .restricted ? .authorizationRestricted : .authorizationDenied)
        }
        guard case .permitted = now.access else { return false }
        return now.access != before
    }

    /// Filters by other distances and intervals from now on, which count from the last location that was delivered.
    func setFilter(distance: Double, interval: Double) {
        filter.setThresholds(distance: distance, interval: .seconds(interval))
    }

    /// Whether this is the location that was delivered last.
    func hasDelivered(_ disclosure: Disclosure) -> Bool {
        switch disclosure.content {
        case .location(let publication), .rough(let publication): filter.hasDelivered(publication.location)
        case .frame, .heading: false
        }
    }

    /// What became of a position.
    enum Outcome {
        case delivered
        /// The peer did not read.
        case skipped
        /// The filters left it out.
        case filtered
    }

    /// Delivers what passed the gate, if it passes the filters and the peer reads.
    @discardableResult
    func offer(_ disclosure: Disclosure) -> Outcome {
        switch disclosure.content {
        case .location(let publication):
            guard passes(publication.location) else { return .filtered }
            guard isReady() else { return .skipped }
            send(disclosure)
            filter.delivered(publication.location)
        case .rough(let publication):
            // One in a quarter of an hour: nobody has more of them than they want.
            guard isReady() else { return .skipped }
            send(disclosure)
            filter.delivered(publication.location)
        case .frame:
            guard isReady() else { return .skipped }
            send(disclosure)
        case .heading(let shared):
            // One that the peer is not ready for is dropped, since the next supersedes it.
            guard headingFilter?.passes(shared.heading) == true else { return .filtered }
            guard subscriber.isReady else { return .skipped }
            subscriber.deliver(disclosure, skipped: nil)
            headingFilter?.delivered(shared.heading)
        }
        return .delivered
    }

    /// Says that there is no location.
    func tellUnavailable() {
        guard case .permitted = access else { return }
        tell(.locationUnavailable)
    }

    /// The peer reads again: it gets what it is owed, the newest position or what stands in the way. Says whether that was
    /// the position. Frames come by themselves, but for the rough one of a rough location.
    func catchUp(with newest: Disclosure?) -> Bool {
        guard isBehind else { return false }
        isBehind = false
        if let diagnostic {
            reply(diagnostic)
            return false
        }
        guard let newest else { return false }
        switch newest.content {
        case .location(let publication):
            guard passes(publication.location) else { return false }
            filter.delivered(publication.location)
        case .rough(let publication): filter.delivered(publication.location)
        case .frame, .heading: return false
        }
        // The newest was counted as skipped when it came.
        skipped = max(0, skipped - 1)
        send(newest)
        return true
    }

    /// Ends it with the last word.
    func end(_ refusal: Refusal) {
        isEnded = true
        subscriber.end(refusal)
    }

    private func passes(_ location: Location) -> Bool {
        switch filter.judge(location, isAwaited: isAwaited) {
        case .deliver: return true
        case .leaveOut: return false
        case .pause:
            tell(.stationary)
            return false
        }
    }

    /// Whether the peer reads; what is due while it does not is counted.
    private func isReady() -> Bool {
        guard !subscriber.isReady else { return true }
        skipped += 1
        isBehind = true
        diagnostic = nil
        return false
    }

    private func send(_ disclosure: Disclosure) {
        subscriber.deliver(disclosure, skipped: missed)
        skipped = 0
        diagnostic = nil
        isAwaited = false
        isBehind = false
    }

    private func tell(_ diagnostic: LocationInterface.Diagnostic) {
        guard self.diagnostic != diagnostic else { return }
        self.diagnostic = diagnostic
        isAwaited = true
        if subscriber.isReady { reply(diagnostic) } else { isBehind = true }
    }

    private func reply(_ diagnostic: LocationInterface.Diagnostic) {
        subscriber.tell(diagnostic, skipped: missed)
        skipped = 0
    }

    private var missed: Int? { skipped > 0 ? skipped : nil }
}
