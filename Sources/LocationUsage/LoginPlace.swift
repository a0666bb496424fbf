import LocationPolicy

/// Where a process belongs for logind. It does not change with the state of sessions.
enum LoginPlace: Hashable, Sendable {
    case session(String)
    /// Among the applications of this user's service manager.
    case applications(of: UInt32)
    case background

    /// The place of a process in these units.
    ///
    /// - Parameter mayBeActivated: whether it may be an application that the message bus started: see `ApplicationUnit`.
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

/// A place with watched processes, and its state, which they share: so a change is true for all of them at once, before
/// anybody has looked at each.
final class SharedPlace {
    /// Tells one state of a place from those before.
    struct Revision: Equatable {
        fileprivate(set) var changes: UInt64 = 0
        /// How many of the changes ended use at once, so that none is missed by who looks only later.
        fileprivate(set) var endings: UInt64 = 0
    }

    let key: LoginPlace
    /// What logind says of it; `nil` while that is being found out.
    private(set) var state: UsageEvidence.Place?
    private(set) var revision = Revision()
    /// Since when it is in this state.
    private(set) var changedAt: ContinuousClock.Instant
    /// The processes there.
    var members = SlotList<ProcessUse>()

    /// Whether it waits for its state to be read, and for its members to be looked at.
    var isStale = false
    var isSwept = false

    init(_ key: LoginPlace, state: UsageEvidence.Place?, at instant: ContinuousClock.Instant) {
        self.key = key
        self.state = state
        changedAt = instant
    }

    /// Sets what logind says now. Returns whether that is something new.
    func set(_ state: UsageEvidence.Place?, at instant: ContinuousClock.Instant) -> Bool {
        guard state != self.state else { return false }
        self.state = state
        changedAt = instant
        revision.changes += 1
        if let state, UsageEvidence(place: state).endsUseAtOnce { revision.endings += 1 }
        return true
    }
}
