import GeoClue
import Logging
import NIOCore

/// The accuracy levels that the users' desktops allow, as their agents reported them last.
///
/// A level holds until an agent reports another one: it outlives the agent, because a desktop shell may crash or end
/// with its session while programs go on, and the daemon. Confined to the event loop.
package final class DesktopLevels {
    private let disk: DecisionStore
    private let eventLoop: any EventLoop
    private let logger: Logger
    /// The levels below that of an exact location, by user.
    private var levels: [UInt32: UInt32]
    /// The lowest level that the connected agents of a user have reported; `nil` without any.
    package var reported: (_ user: UInt32) -> UInt32? = { _ in nil }
    /// Called when a level was lifted.
    package var onLift: (_ user: UInt32) -> Void = { _ in }

    init(_ levels: [UInt32: UInt32], disk: DecisionStore, eventLoop: any EventLoop, logger: Logger) {
        self.levels = levels
        self.disk = disk
        self.eventLoop = eventLoop
        self.logger = logger
    }

    /// The level of a user's desktop; without a limit, that of an exact location.
    package subscript(user: UInt32) -> UInt32 { levels[user] ?? AccuracyLevel.exact }

    /// Replaces the level that an agent has left behind with that of the connected agents, since the user has switched
    /// location services on by command.
    func lift(of user: UInt32) {
        if set(reported(user) ?? AccuracyLevel.exact, of: user) { onLift(user) }
    }

    /// Sets the level of a user's desktop, at once and on disk. Returns true if it has changed.
    package func set(_ level: UInt32, of user: UInt32) -> Bool {
        let limit = level < AccuracyLevel.exact ? level : nil
        guard levels[user] != limit else { return false }
        levels[user] = limit
        disk.setDesktopLevel(limit, for: user, on: eventLoop).assumeIsolated().whenFailure { [logger] error in
            logger.error(
                "The accuracy that the desktop of user \(user) allows could not be saved: \(error)",
                metadata: ["uid": "\(user)"])
        }
        return true
    }
}
