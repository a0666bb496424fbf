package import Logging
import Synchronization

/// Writes log lines that peers can cause: one a minute of each kind, with the number of suppressed ones.
package final class Notices: Sendable {
    private struct Kind {
        var level: Logger.Level
        /// The newest suppressed line.
        var line: String
        var written: ContinuousClock.Instant
        var omitted = 0
    }

    package static let interval = Duration.seconds(60)
    private let logger: Logger
    private let kinds = Mutex<[String: Kind]>([:])

    package init(logger: Logger) { self.logger = logger }

    /// Writes `line`, or counts it as suppressed.
    ///
    /// - Parameter kind: One of a few kinds, which are kept.
    package func post(_ level: Logger.Level, kind: String, _ line: String, at now: ContinuousClock.Instant = .now) {
        let omitted = kinds.withLock { kinds -> Int? in
            if let known = kinds[kind], now - known.written < Self.interval {
                kinds[kind]?.omitted += 1
                kinds[kind]?.line = line
                return nil
            }
            let omitted = kinds[kind]?.omitted ?? 0
            kinds[kind] = Kind(level: level, line: line, written: now)
            return omitted
        }
        if let omitted { write(level, line, omitted) }
    }

    /// Writes the numbers of lines suppressed for a minute.
    package func flush(at now: ContinuousClock.Instant = .now) {
        let due = kinds.withLock { kinds in
            let due = kinds.filter { $0.value.omitted > 0 && now - $0.value.written >= Self.interval }
            for name in due.keys {
                kinds[name]?.omitted = 0
                kinds[name]?.written = now
            }
            return due.values
        }
        for kind in due { write(kind.level, kind.line, kind.omitted - 1) }
    }

    private func write(_ level: Logger.Level, _ line: String, _ omitted: Int) {
        logger.log(level: level, "\(omitted > 0 ? "\(line) (and \(omitted) more like this)" : line)")
    }
}
