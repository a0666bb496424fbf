import LinuxPlumbing
import LocationPolicy

/// The session or unit of a process according to logind. It does not change with the state of sessions.
enum LoginPlace: Hashable, Sendable {
    case session(String)
    /// An application unit of this user's service manager.
    case applications(of: UInt32)
    case background

    /// The place of a process with these units.
    ///
    /// - Parameter mayBeActivated: true if the message bus may have started it as an application: see `ApplicationUnit`.
    init(_ membership: UnitMembership, mayBeActivated: Bool) {
        if let session = membership.session {
            self = .session(session)
        } else if let unit = membership.userUnit, let slice = membership.userSlice, let owner = membership.owner,
            ApplicationUnit.isApplication(unit: unit, slice: slice, mayBeActivated: mayBeActivated)
        {
            self = .applications(of: owner)
        } else {
            self = .background
        }
    }
}

/// The shared state of a place with watched processes. A change takes effect for all of them at once, before each has
/// been reviewed.
final class SharedPlace {
    /// Tells states of a place apart.
    struct Revision: Equatable {
        fileprivate(set) var changes: UInt64 = 0
        /// The number of changes that ended use at once, so that a process reviewed later misses none.
        fileprivate(set) var endings: UInt64 = 0
    }

    let key: LoginPlace
    /// The state according to logind; `nil` while it is being determined.
    private(set) var state: UsageEvidence.Place?
    private(set) var revision = Revision()
    /// The time of the last change.
    private(set) var changedAt: ContinuousClock.Instant
    /// The watched processes at this place.
    var members = SlotList<ProcessUse>()

    /// True while its state has to be read again.
    var isStale = false
    /// True while its members are under review.
    var isInReview = false

    init(_ key: LoginPlace, state: UsageEvidence.Place?, at instant: ContinuousClock.Instant) {
        self.key = key
        self.state = state
        changedAt = instant
    }

    /// Sets the state. Returns true if it has changed.
    func set(_ state: UsageEvidence.Place?, at instant: ContinuousClock.Instant) -> Bool {
        guard state != self.state else { return false }
        self.state = state
        changedAt = instant
        revision.changes += 1
        if let state, UsageEvidence(place: state).endsUseAtOnce { revision.endings += 1 }
        return true
    }
}
