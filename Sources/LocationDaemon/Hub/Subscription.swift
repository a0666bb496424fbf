import LocationInterface
import LocationModel
import LocationPolicy
import Varlink

/// One open `Subscribe` call: what it asked for, what its client may have, and what was delivered to it.
///
/// Sendable: it lives on the hub's event loop, which every way to it checks. It keeps no queue: a peer that does not read is owed the newest state, and a count.
final class Subscription: @unchecked Sendable {
    /// Whose it is.
    let session: Session
    let client: Client
    /// Whether headings are sent too.
    let wantsHeading: Bool
    /// What its client may have now.
    private(set) var access: Access
    private let call: ServerCall
    private let distanceFilter: Double
    private let desiredAccuracy: Double
    /// Whether its last reply has been sent.
    private(set) var isEnded = false
    /// Where and when the last delivered location was. Not all of it: this is written with every delivery.
    private var lastDelivered: (coordinate: Coordinate, timestamp: Timestamp)?
    /// What the client was last told stands in the way; `nil` while locations flow.
    private var diagnostic: LocationInterface.Diagnostic?
    /// Locations that were due while the peer did not read.
    private var skipped = 0
    /// Whether something is due that could not be written.
    private var isBehind = false

    /// A subscription with checked parameters, as yet without access.
    init(
        call: ServerCall, session: Session, client: Client, parameters: LocationInterface.Subscribe.Parameters
    ) {
        self.call = call
        self.session = session
        self.client = client
        access = .refused
        wantsHeading = parameters.heading ?? false
        distanceFilter = parameters.distanceFilter ?? 0
        desiredAccuracy = parameters.desiredAccuracy ?? .infinity
    }

    /// Sets what its client may have, and tells it what now stands in the way, if anything does: that it is not in use only
    /// if that is known.
    func setAccess(_ access: Access, _ authorization: Authorization, isUseKnown: Bool) {
        let wasReduced = self.access == .permitted(.reduced)
        self.access = access
        switch access {
        case .permitted(.full): break
        case .permitted(.reduced): if !wasReduced { tell(.accuracyLimited) }
        case .suspended: if isUseKnown { tell(.insufficientlyInUse) }
        case .undecided: tell(.authorizationRequestInProgress)
        case .refused: tell(authorization.status == .restricted ? .authorizationRestricted : .authorizationDenied)
        }
    }

    /// Whether this is the location that was delivered last.
    func hasDelivered(_ location: Location) -> Bool {
        lastDelivered.map { $0 == (location.coordinate, location.timestamp) } ?? false
    }

    /// Delivers a location if it passes the filters. `encoded` is the reply with just that location. Says whether it
    /// was delivered.
    func offer(_ location: Location, encoded: EncodedReply) -> Bool {
        guard passes(location) else { return false }
        guard call.isWritable else {
            skipped += 1
            isBehind = true
            diagnostic = nil
            return false
        }
        if skipped == 0 {
            call.reply(encoded)
        } else {
            call.reply(LocationInterface.Subscribe.Reply(location: location, skipped: takeSkipped()), continues: true)
        }
        delivered(location)
        return true
    }

    /// Delivers a heading; one that the peer is not ready for is dropped, since the next supersedes it.
    func offer(heading: EncodedReply) {
        guard wantsHeading, access == .permitted(.full), call.isWritable else { return }
        call.reply(heading)
    }

    /// Says that there is no location.
    func tellUnavailable() {
        guard case .permitted = access else { return }
        tell(.locationUnavailable)
    }

    /// The peer reads again: it gets what it is owed, the newest location or what stands in the way. Says whether that
    /// was the location.
    func catchUp(with newest: Location?) -> Bool {
        guard isBehind else { return false }
        isBehind = false
        if let diagnostic {
            call.reply(
                LocationInterface.Subscribe.Reply(diagnostic: diagnostic, skipped: takeSkipped()), continues: true)
        } else if let newest, passes(newest) {
            // The newest was counted as skipped when it came.
            skipped -= 1
            call.reply(LocationInterface.Subscribe.Reply(location: newest, skipped: takeSkipped()), continues: true)
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
        guard case .permitted(let granted) = access else { return false }
        if granted == .reduced { return true }
        if let accuracy = location.horizontalAccuracy, accuracy > desiredAccuracy { return false }
        if distanceFilter > 0, let lastDelivered {
            return location.coordinate.distance(to: lastDelivered.coordinate) >= distanceFilter
        }
        return true
    }

    private func delivered(_ location: Location) {
        diagnostic = nil
        lastDelivered = (location.coordinate, location.timestamp)
    }

    private func tell(_ diagnostic: LocationInterface.Diagnostic) {
        guard self.diagnostic != diagnostic else { return }
        self.diagnostic = diagnostic
        guard call.isWritable else {
            isBehind = true
            return
        }
        call.reply(LocationInterface.Subscribe.Reply(diagnostic: diagnostic, skipped: takeSkipped()), continues: true)
    }

    private func takeSkipped() -> Int? {
        defer { skipped = 0 }
        return skipped > 0 ? skipped : nil
    }
}
