/// The facts that rules of power and presence depend on, and decisions that end with a logout.
package enum SurroundingsKind: Hashable, Sendable, CaseIterable {
    /// The machine runs on its battery, or does not.
    case power
    /// The sessions of a user are locked, or one is open.
    case sessionLock
    /// Someone is at the machine, or nobody is.
    case presence
    /// A user is logged in.
    case login
}

/// Watches the surroundings of the machine and of its users. ``SurroundingsMonitor`` is the real one.
///
/// All values are `nil` while they are in doubt: not watched, not known yet, or no longer known because the bus or logind is
/// gone. Confined to its event loop.
package protocol SurroundingsWatching: AnyObject {
    /// Called after values have changed, never from within `watch`.
    var onChange: () -> Void { get set }

    /// Sets the watched properties. Without any, it is idle.
    func watch(_ kinds: Set<SurroundingsKind>)

    /// True if the machine runs on its battery, false on mains or without a battery.
    var isOnBattery: Bool? { get }

    /// True if every session of the user on a seat is locked, or there is none.
    ///
    /// Sessions without a seat, as those of SSH, do not count: they have no screen that could be locked.
    func isSessionLocked(of user: UInt32) -> Bool?

    /// True if the session in the foreground of a seat is neither idle nor locked.
    func isAnybodyPresent() -> Bool?

    /// True if a person has a session of this user, at a seat or elsewhere, that is not ending.
    func isLoggedIn(_ user: UInt32) -> Bool?

    /// Such sessions as logind's files list them at this moment, also while nothing is watched; empty without logind.
    func sessions(of user: UInt32) -> [LoginIdentity]
}
