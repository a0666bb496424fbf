import LinuxPlumbing
package import LocationUsage

/// Records the awaited time, and tells of changes when the test says so.
///
/// `@unchecked Sendable` because it is confined to the event loop.
package final class ScriptedWallClock: WallClockWatching, @unchecked Sendable {
    package var onChange: () -> Void = {}
    /// The awaited time, in seconds since 1970.
    package private(set) var awaited: Duration?

    package func watch(until time: Duration?) { awaited = time }
}

/// Has the values that the test sets.
///
/// `@unchecked Sendable` because it is confined to the event loop.
package final class ScriptedSurroundings: SurroundingsWatching, @unchecked Sendable {
    package var onChange: () -> Void = {}
    package private(set) var kinds: Set<SurroundingsKind> = []
    private var battery: Bool?
    private var locked: Set<UInt32>?
    private var isPresent: Bool?
    private var users: Set<UInt32>?

    package func watch(_ kinds: Set<SurroundingsKind>) { self.kinds = kinds }
    package var isOnBattery: Bool? { battery }
    package func isSessionLocked(of user: UInt32) -> Bool? { locked?.contains(user) }
    package func isAnybodyPresent() -> Bool? { isPresent }
    package func isLoggedIn(_ user: UInt32) -> Bool? { kinds.contains(.login) ? users?.contains(user) : nil }
    package func sessions(of user: UInt32) -> [LoginIdentity] { identities[user] ?? [] }

    /// Sets who is logged in, `nil` for doubt, and tells of it.
    package func set(users: Set<UInt32>?) {
        self.users = users
        onChange()
    }

    /// The sessions of each user in logind's files.
    package var identities: [UInt32: [LoginIdentity]] = [:]

    /// Sets what is known, and tells of it.
    package func set(battery: Bool? = nil, locked: Set<UInt32>? = nil, isPresent: Bool? = nil) {
        (self.battery, self.locked, self.isPresent) = (battery, locked, isPresent)
        onChange()
    }
}
