import LocationPolicy
import Logging
import NIOCore

/// The limits that users' desktops set in their settings, as they were reported last.
///
/// A limit holds until another one is reported: it outlives what reported it, because a desktop shell may crash or end
/// with its session while programs continue, and the service. Confined to the event loop.
final class DesktopSettings {
    private let disk: DecisionStore
    private let logger: Logger
    private var limits: [UInt32: DesktopLimit]
    /// The limits that the connected desktops report, by user; a user without one is absent.
    private var reported: [UInt32: DesktopLimit?] = [:]

    init(_ levels: [UInt32: UInt32], disk: DecisionStore, logger: Logger) {
        limits = levels.compactMapValues { DesktopLimit(level: $0) }
        self.disk = disk
        self.logger = logger
    }

    /// The limit of a user's desktop; `nil` for none.
    subscript(user: UInt32) -> DesktopLimit? { limits[user] }

    /// True if a desktop of the user is connected and has reported its limit.
    func isReported(of user: UInt32) -> Bool { reported[user] != nil }

    /// Applies the limit that the user's connected desktops report. Returns true if the limit has changed.
    func report(_ limit: DesktopLimit?, of user: UInt32) -> Bool {
        reported[user] = .some(limit)
        return set(limit, of: user)
    }

    /// Records that no desktop of the user is connected any more. Its limit stays.
    func endReports(of user: UInt32) { reported[user] = nil }

    /// Lifts a limit that a desktop has left behind, since the user has switched location services on by command. Returns
    /// true if the limit has changed.
    func lift(of user: UInt32) -> Bool { set(reported[user] ?? nil, of: user) }

    /// Sets a limit, at once and on disk.
    private func set(_ limit: DesktopLimit?, of user: UInt32) -> Bool {
        guard limits[user] != limit else { return false }
        limits[user] = limit
        disk.setDesktopLevel(limit?.level, for: user).assumeIsolated().whenFailure { [logger] error in
            logger.error(
                "The accuracy that the desktop of user \(user) allows could not be saved: \(error)",
                metadata: ["uid": "\(user)"])
        }
        return true
    }
}

extension DesktopLimit {
    /// The limit of a level on disk, which are GeoClue's: 0 for none, 4 for a city. Levels above that do not limit.
    fileprivate init?(level: UInt32) {
        switch level {
        case 0: self = .off
        case 1...5: self = .reduced
        default: return nil
        }
    }

    fileprivate var level: UInt32 {
        switch self {
        case .off: 0
        case .reduced: 4
        }
    }
}
