import LocationModel
package import LocationPolicy
import LocationSources
import NIOCore
import Pacing

/// An open subscription for locations or frames: its parameters and the state of its deliveries.
///
/// It performs the actions of its ``Delivery``. Access is evaluated for each delivery and never stored. Confined to the event
/// loop.
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
    /// The need for locations with which it counts.
    var demand = LocationDemand.off
    /// True while it counts among the subscriptions that need headings.
    var needsHeading = false
    /// The index in the list of all subscriptions.
    var index = 0
    /// The pending request for authorization.
    var authorizationRequest: ClientAuthorization.RequestID?
    /// True after the final error.
    private(set) var isEnded = false
    /// The view at the last review, to detect changes; `nil` before the first. It does not decide about deliveries.
    private(set) var reviewed: RecipientView?
    /// The accuracy that was reported to the peer; `nil` unless it may have locations. It stays the same while a rule about a place
    /// withholds them: a change would show when the user comes and goes.
    private var knownAccuracy: AccuracyAuthorization?
    private let subscriber: any Subscriber
    private var delivery: Delivery
    /// The highest accuracy that the peer requests.
    var requestedAccuracy: AccuracyAuthorization
    /// Reports that there are no headings; `nil` unless one is awaited.
    private var headingTimer: LoopTimer?
    /// The moment of the report that there is no location, if all such reports are to look alike.
    private var absenceTimer: AbsenceTimer

    /// The moment at which the absence of locations is reported to a client from which a rule about a place may withhold
    /// them: when the last one that it was permitted goes stale, as that of a receiver that falls silent does. At the border
    /// of the place it would be reported earlier.
    private struct AbsenceTimer {
        let queue: CoreQueue
        /// The time at which the last permitted location goes stale; `nil` before the first.
        var due: NIODeadline?
        /// Reports the absence at that time; `nil` unless it has begun.
        var timer: LoopTimer?
    }

    /// A subscription with validated parameters: for locations, or for frames at a rate.
    init(
        _ subscriber: any Subscriber, connection: Connection, client: Client, options: SubscriptionOptions = .init(),
        frameRate: Int? = nil, queue: CoreQueue
    ) {
        absenceTimer = AbsenceTimer(queue: queue)
        self.subscriber = subscriber
        self.connection = connection
        self.client = client
        process = connection.process
        requestedAccuracy = options.accuracy
        isOfApplication = connection.frontEnd.isForApplications
        self.frameRate = frameRate
        delivery = Delivery(options)
    }

    var id: ObjectIdentifier { ObjectIdentifier(self) }
    var wantsHeading: Bool { delivery.wantsHeading }
    /// True for headings without locations.
    var isForHeadings: Bool { delivery.isHeadingOnly }
    /// True for significant changes only.
    var isSignificant: Bool { delivery.filter.isSignificant }
    /// The distance in metres and the time after which the next significant change is delivered, whichever comes first;
    /// `nil` before the first.
    func nextSignificantChange(after location: Location) -> (distance: Double, interval: Duration)? {
        delivery.filter.nextSignificantChange(after: location)
    }
    /// True for frames.
    var isFollowing: Bool { frameRate != nil }

    /// The level of authorization that a delivery needs: *always* for significant changes.
    var need: ClientPolicy.Level { isSignificant ? .always : .whenInUse }
    /// The request for authorization that it starts with.
    var request: ClientAuthorization.Request { isSignificant ? .always : .whenInUse }

    package func evaluation(at position: Position?) -> AccessEvaluation {
        // The client has cached this evaluation, which is that of most deliveries.
        if !isOfApplication, requestedAccuracy == .full {
            return client.evaluation(isInUse: process.isInUse, need: need, at: position)
        }
        return client.evaluation(
            AccessCircumstances(
                isInUse: process.isInUse, need: need, desktop: connection.desktopLimit,
                requestedAccuracy: requestedAccuracy), at: position)
    }

    /// True if what it may have depends on the place where the user is.
    package var isLimitedByPlaces: Bool { client.isLimitedByPlaces }
    /// True if its peer is sent a position when it is delivered.
    var sendsAtOnce: Bool { subscriber.sendsAtOnce }

    /// True if it gets reduced locations even if its client may have exact ones.
    var isLimitedToReduced: Bool { requestedAccuracy == .reduced || connection.desktopLimit == .reduced }
    /// The access that is reported to its peer.
    package var access: Access { evaluation.access }
    /// True while it counts among the subscriptions that need the source.
    var needsSource: Bool { demand > .off }
    /// Its need for locations at this moment.
    var demandNow: LocationDemand {
        let evaluation = evaluation
        return switch evaluation.access {
        // Otherwise nobody would notice that the user has left the place.
        case .permitted where evaluation.view.isWithheld: max(delivery.demand, .periodic)
        case .permitted where evaluation.view.release == .reduced: .coarse
        case .permitted: min(delivery.demand, Delivery.demand(for: evaluation.interval?.value ?? .zero))
        // It gets locations as soon as the user confirms.
        case .suspended: evaluation.needsConfirmation ? delivery.demand : .off
        case .undecided, .refused: .off
        }
    }
    /// True if it needs headings at this moment. Frames turn with them.
    var needsHeadingNow: Bool { (wantsHeading || isFollowing) && view.release == .full }
    /// True if it gets frames at its rate. With reduced accuracy it gets one frame per reduced location instead.
    var getsExactFrames: Bool { isFollowing && view.release == .full }
    /// True if its frames are predicted from the locations that it may have, and no others, because a rule about a place may
    /// withhold some.
    var getsOwnFrames: Bool { isFollowing && absence == .uniform && knownAccuracy == .full }

    /// Evaluates its access again and sends a diagnostic if there is an obstacle; *not in use* only once use is known.
    ///
    /// - Returns: true if it has gained access since the last review.
    func review() -> Bool {
        let now = evaluation
        let (before, knownBefore) = (reviewed, knownAccuracy)
        knownAccuracy = accuracy(of: now.view)
        reviewed = now.view
        switch now.access {
        // That a location is withheld is reported as for a receiver without a fix: see `sendUnavailable`.
        case .permitted:
            if knownAccuracy == .reduced, knownBefore != .reduced { send(.accuracyLimited, cause(of: now)) }
        case .suspended: if process.isUseKnown { send(.insufficientlyInUse, cause(of: now)) }
        case .undecided: send(.authorizationRequestInProgress, client.causeOfHiddenPrompt)
        // The prompt was not answered: the error that ends the subscription says so.
        case .refused where authorizationRequest != nil && now.authorization.status == .notDetermined: break
        case .refused:
            send(
                now.authorization.status == .restricted ? .authorizationRestricted : .authorizationDenied,
                cause(of: now))
        }
        return now.view.release != nil && now.view.release != before?.release
    }

    /// The accuracy that is reported to the peer with this view; `nil` unless it may have locations.
    private func accuracy(of view: RecipientView) -> AccuracyAuthorization? {
        switch view.access {
        // While a rule about a place withholds locations, the accuracy that such a rule has given it stays until its access changes.
        case .permitted(let accuracy): view.release ?? (reviewed?.access == view.access ? knownAccuracy : accuracy)
        case .suspended, .undecided, .refused: nil
        }
    }

    /// Changes the minimum distance in metres and the minimum interval in seconds from the last delivered location.
    func setFilter(distance: Double, interval: Double) {
        delivery.setThresholds(distance: distance, interval: .seconds(interval))
    }

    /// True if this location was delivered last.
    func hasDelivered(_ disclosure: Disclosure) -> Bool {
        switch disclosure.content {
        case .location(let publication), .reduced(let publication): delivery.hasDelivered(publication.location)
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
        let action =
            switch disclosure.content {
            case .location(let publication): delivery.offer(publication.location, isReady: subscriber.isReady)
            case .reduced(let publication): delivery.offer(reduced: publication.location, isReady: subscriber.isReady)
            case .frame: delivery.offerFrame(isReady: subscriber.isReady)
            case .heading(let shared): delivery.offer(shared.heading, isReady: subscriber.isReady)
            }
        if case .heading = disclosure.content { headingTimer?.cancel() }
        return perform(action, disclosure)
    }

    /// Notes that it is permitted a location.
    func notePermitted(_ publication: Publication) {
        guard absenceTimer.due != publication.currentUntil else { return }
        absenceTimer.due = publication.currentUntil
        absenceTimer.timer?.cancel()
        absenceTimer.timer = nil
    }

    /// Reports that there is no location: none of the sources, or none for it because of a rule about a place.
    ///
    /// If such a rule may withhold locations from the client, both have the same diagnostic, at the same time and without a
    /// cause.
    ///
    /// - Parameter cause: the reason why the sources have none; `nil` if they have not reported one.
    func sendUnavailable(_ cause: LocationCause?) {
        guard access.isPermitted else { return }
        guard absence == .uniform else { return send(.locationUnavailable, cause) }
        let queue = absenceTimer.queue
        guard let due = absenceTimer.due, queue.eventLoop.now < due else { return send(.locationUnavailable) }
        guard absenceTimer.timer == nil else { return }
        absenceTimer.timer = queue.makeTimer(at: due) { [weak self] in
            self?.absenceTimer.timer = nil
            self?.sendUnavailable(nil)
        }
    }

    /// The time within which a compass gives its first heading: a receiver is waited for before the machine's own one.
    private static let headingPatience = TimeAmount.seconds(6)

    /// Reports that there are no headings if none comes in time.
    ///
    /// A client from which a rule about a place may withhold locations gets no diagnostic: it would learn when the user leaves it.
    ///
    /// - Parameter problem: the problem of the machine's compass at that time.
    func awaitHeading(_ problem: @escaping () -> String?) {
        guard absence == .explained else { return }
        headingTimer?.cancel()
        headingTimer = absenceTimer.queue.makeTimer(in: Self.headingPatience) { [weak self] in
            guard let self, view.release == .full else { return }
            send(.locationUnavailable, LocationCause(noHeadingBecause: problem()))
        }
    }

    /// Cancels its timers.
    func cancelTimer() {
        absenceTimer.timer?.cancel()
        headingTimer?.cancel()
    }

    /// Sends the pending diagnostic or the newest position when the peer reads again; returns true if it sent the
    /// position. Frames are not repeated, because the next one comes soon; a reduced location is.
    func catchUp(with newest: Disclosure?) -> Bool {
        let position: (Location, isReduced: Bool)? =
            switch newest?.content {
            case .location(let publication): (publication.location, false)
            case .reduced(let publication): (publication.location, true)
            case .frame, .heading, nil: nil
            }
        return perform(delivery.catchUp(with: position), newest) == .delivered
    }

    /// Ends the subscription with an error.
    func end(_ refusal: Refusal) {
        isEnded = true
        subscriber.end(refusal)
    }

    private func send(_ diagnostic: LocationDiagnostic, _ cause: LocationCause? = nil) {
        perform(delivery.report(diagnostic, cause, isReady: subscriber.isReady), nil)
    }

    @discardableResult
    private func perform(_ action: Delivery.Action, _ disclosure: Disclosure?) -> Outcome {
        switch action {
        case .deliver(let skipped):
            guard let disclosure else { return .filtered }
            subscriber.deliver(disclosure, skipped: skipped)
            return .delivered
        case .report(let diagnostic, let cause, let skipped):
            subscriber.send(diagnostic, cause, skipped: skipped)
            return .filtered
        case .skip: return .skipped
        case .none: return .filtered
        }
    }

    private func cause(of evaluation: AccessEvaluation) -> LocationCause? {
        LocationCause(evaluation, of: client.declaration, in: process)
    }
}
