package import LinuxPlumbing
import NIOCore

/// Watches power by UPower or the kernel's files, and sessions by logind on the bus.
///
/// Each part is there only while something is watched that needs it. The values of a part that was not watched are in doubt
/// until it has been answered.
package final class SurroundingsMonitor: SurroundingsWatching {
    package var onChange: () -> Void = {}

    private let bus: SystemBus
    private let readings: Readings
    private var power: PowerWatch?
    private var sessions: SeatSessions?
    private var kinds: Set<SurroundingsKind> = []

    /// A monitor that watches nothing yet.
    package convenience init(bus: SystemBus) { self.init(bus: bus, readings: Readings()) }

    init(bus: SystemBus, readings: Readings) { (self.bus, self.readings) = (bus, readings) }

    /// The readings of what signals no change.
    struct Readings {
        /// Reads the kernel's files about power.
        var isOnBattery: @Sendable () -> Bool? = { PowerSupplies.isOnBattery() }
        /// The time between two readings of the kernel's files.
        var powerInterval = TimeAmount.seconds(30)
        /// The time after which text sessions are read again.
        var sessionInterval = TimeAmount.seconds(60)
    }

    package func watch(_ kinds: Set<SurroundingsKind>) {
        bus.eventLoop.preconditionInEventLoop()
        self.kinds = kinds
        if !kinds.contains(.power) {
            power?.close()
            power = nil
        } else if power == nil {
            power = PowerWatch(bus: bus, readings) { [weak self] in self?.onChange() }
        }
        if kinds.isDisjoint(with: [.sessionLock, .presence, .login]) {
            sessions?.close()
            sessions = nil
        } else if sessions == nil {
            sessions = SeatSessions(bus: bus, interval: readings.sessionInterval) { [weak self] in self?.onChange() }
        }
        sessions?.readsIdleness = kinds.contains(.presence)
        sessions?.readsLogins = kinds.contains(.login)
    }

    package var isOnBattery: Bool? { power?.isOnBattery }

    package func isSessionLocked(of user: UInt32) -> Bool? {
        kinds.contains(.sessionLock) ? sessions?.isLocked(of: user) : nil
    }

    package func isAnybodyPresent() -> Bool? {
        kinds.contains(.presence) ? sessions?.isAnybodyPresent() : nil
    }

    package func isLoggedIn(_ user: UInt32) -> Bool? { kinds.contains(.login) ? sessions?.isLoggedIn(user) : nil }

    package func sessions(of user: UInt32) -> [LoginIdentity] { LoginFiles.sessions(of: user) }
}
