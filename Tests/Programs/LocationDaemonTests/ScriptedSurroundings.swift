import LinuxPlumbing
import LocationUsage

/// Records the awaited time, and tells of changes when the test says so.
///
/// `@unchecked Sendable` because it is confined to the event loop.
final class ScriptedWallClock: WallClockWatching, @unchecked Sendable {
    var onChange: () -> Void = {}
    /// The awaited time, in seconds since 1970.
    private(set) var awaited: Duration?

    func watch(until time: Duration?) { awaited = time }
}

/// Has the values that the test sets.
///
/// `@unchecked Sendable` because it is confined to the event loop.
final class ScriptedSurroundings: SurroundingsWatching, @unchecked Sendable {
    var onChange: () -> Void = {}
    private(set) var kinds: Set<SurroundingsKind> = []
    private var battery: Bool?
    private var locked: Set<UInt32>?
    private var isPresent: Bool?

    func watch(_ kinds: Set<SurroundingsKind>) { self.kinds = kinds }
    var isOnBattery: Bool? { battery }
    func isSessionLocked(of user: UInt32) -> Bool? { locked?.contains(user) }
    func isAnybodyPresent() -> Bool? { isPresent }

    /// Sets what is known, and tells of it.
    func set(battery: Bool? = nil, locked: Set<UInt32>? = nil, isPresent: Bool? = nil) {
        (self.battery, self.locked, self.isPresent) = (battery, locked, isPresent)
        onChange()
    }
}
