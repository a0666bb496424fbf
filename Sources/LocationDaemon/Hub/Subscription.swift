import LocationInterface
import LocationModel
import LocationPolicy
import Varlink

/// One open `Subscribe` or `Follow` call: what it asked for, what its client may have, and what was delivered to it.
///
/// Sendable: it lives on the hub's event loop, which every way to it checks. It keeps no queue: a peer that does not read is owed the newest state, and a count.
final class Subscription: @unchecked Sendable {
    /// Whose it is.
    let session: Session
    let client: Client
    /// How many frames a second it follows with; `nil` if it is for locations.
    let frameRate: Int?
    /// What its client may have now.
    private(set) var access = Access.refused
    /// Whether its last reply has been sent.
    private(set) var isEnded = false
    private let call: ServerCall
    private var filter: LocationFilter
    /// Which headings are sent too; `nil` for none.
    private var headingFilter: HeadingFilter?
    /// What the client was last told stands in the way; `nil` while locations flow.
    private var diagnostic: LocationInterface.Diagnostic?
    /// Whether nothing was delivered since the client was told of something in the way.
    private var isAwaited = true
    /// What was due while the peer did not read.
    private var skipped = 0
    /// Whether something is due that could not be written.
    private var isBehind = false

    /// A subscription for locations with checked parameters, as yet without access.
    init(call: ServerCall, session: Session, client: Client, parameters: LocationInterface.Subscribe.Parameters) {
        self.call = call
        self.session = session
        self.client = client
        frameRate = nil
        filter = LocationFilter(parameters)
        headingFilter = parameters.heading == true ? HeadingFilter(difference: parameters.headingFilter ?? 0) : nil
    }

    /// One for so many frames a second, as yet without access.
    init(call: ServerCall, session: Session, client: Client, frameRate: Int) {
        self.call = call
        self.session = session
        self.client = client
        self.frameRate = frameRate
        filter = LocationFilter()
    }

    var id: ObjectIdentifier { ObjectIdentifier(call) }
    var wantsHeading: Bool { headingFilter != nil }
    /// Whether it is for frames.
    var isFollowing: Bool { frameRate != nil }
    /// Whether frames flow to it by their own clock; a rough one comes with its location.
    var isShownExactly: Bool { isFollowing && access == .permitted(.full) }

    /// What its client has to ask for before it may have anything.
    var request: ClientAuthorization.Request { filter.isSignificant ? .always : .whenInUse }

    /// Sets what its client may have, and tells it what now stands in the way, if anything does: that it is not in use only
    /// if that is known.
    func setAccess(_ access: Access, _ authorization: Authorization, isUseKnown: Bool) {
        let wasReduced = self.access == .permitted(.reduced)
        self.access = access
        // Significant changes are for those who may always know.
        if filter.isSignificant, authorization.status == .authorizedWhenInUse { self.access = .refused }
        switch self.access {
        case .permitted(.full): break
        case .permitted(.reduced): if !wasReduced { tell(.accuracyLimited) }
        case .suspended: if isUseKnown { tell(.insufficientlyInUse) }
        case .undecided: tell(.authorizationRequestInProgress)
        case .refused: tell(authorization.status == .restricted ? .authorizationRestricted : .authorizationDenied)
        }
    }

    /// Whether this is the location that was delivered last.
    func hasDelivered(_ location: Location) -> Bool { filter.hasDelivered(location) }

    /// What became of a location or a frame.
    enum Outcome {
        case delivered
        /// The peer did not read.
        case skipped
        /// The filters left it out, or it may not be had.
        case filtered
    }

    /// Delivers a location if it passes the filters; to one that follows, as a frame. `encoded` is the reply with just
    /// that location, where there is one already.
    func offer(_ location: Location, encoded: EncodedReply? = nil) -> Outcome {
        guard passes(location) else { return .filtered }
        guard isReady() else { return .skipped }
        if skipped == 0, let encoded { call.reply(encoded) } else { reply(location) }
        delivered(location)
        return .delivered
    }

    /// Delivers a frame, of which `encoded` is the reply.
    func offer(_ frame: TrackingFrame, encoded: EncodedReply) -> Outcome {
        guard case .permitted = access else { return .filtered }
        guard isReady() else { return .skipped }
        if skipped == 0 { call.reply(encoded) } else { reply(frame) }
        delivered()
        return .delivered
    }

    /// Delivers a heading that passes the filter; one that the peer is not ready for is dropped, since the next
    /// supersedes it.
    func offer(_ heading: Heading, encoded: EncodedReply) {
        guard headingFilter?.passes(heading) == true, access == .permitted(.full), call.isWritable else { return }
        call.reply(encoded)
        headingFilter?.delivered(heading)
    }

    /// Says that there is no location.
    func tellUnavailable() {
        guard case .permitted = access else { return }
        tell(.locationUnavailable)
    }

    /// The peer reads again: it gets what it is owed, the newest location or what stands in the way. Says whether that
    /// was the location. Frames come by themselves, but for the rough one of a rough location.
    func catchUp(with newest: Location?) -> Bool {
        guard isBehind else { return false }
        isBehind = false
        if let diagnostic {
            reply(diagnostic)
        } else if let newest, passes(newest) {
            // The newest was counted as skipped when it came.
            skipped -= 1
            reply(newest)
            delivered(newest)
            return true
        }
        return false
    }

    /// Ends it with an error.
    func end(_ error: VarlinkError) {
        isEnded = true
        call.fail(error)
    }

    private func passes(_ location: Location) -> Bool {
        guard case .permitted(let accuracy) = access else { return false }
        // A rough location is one in a quarter of an hour: nobody has more of them than they want.
        guard accuracy == .full else { return true }
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
        guard !call.isWritable else { return true }
        skipped += 1
        isBehind = true
        diagnostic = nil
        return false
    }

    private func delivered(_ location: Location) {
        filter.delivered(location)
        delivered()
    }

    private func delivered() {
        skipped = 0
        diagnostic = nil
        isAwaited = false
        isBehind = false
    }

    private func tell(_ diagnostic: LocationInterface.Diagnostic) {
        guard self.diagnostic != diagnostic else { return }
        self.diagnostic = diagnostic
        isAwaited = true
        if call.isWritable { reply(diagnostic) } else { isBehind = true }
    }

    // What follows is for one subscription alone: with what it missed.

    private func reply(_ location: Location) {
        guard !isFollowing else { return reply(TrackingFrame(rough: location)) }
        call.reply(LocationInterface.Subscribe.Reply(location: location, skipped: missed), continues: true)
    }

    private func reply(_ frame: TrackingFrame) {
        call.reply(LocationInterface.Follow.Reply(frame: frame, skipped: missed), continues: true)
    }

    /// Says what stands in the way, which reads the same whatever was called.
    private func reply(_ diagnostic: LocationInterface.Diagnostic) {
        call.reply(LocationInterface.Subscribe.Reply(diagnostic: diagnostic, skipped: missed), continues: true)
        skipped = 0
    }

    private var missed: Int? { skipped > 0 ? skipped : nil }
}

extension TrackingFrame {
    /// What is shown of a rough location: the area it may be in, and nothing of movement.
    fileprivate init(rough location: Location) {
        let radius = location.horizontalAccuracy ?? 0
        self.init(
            coordinate: location.coordinate, horizontalAccuracy: radius, span: 4 * radius,
            timestamp: location.timestamp)
    }
}
