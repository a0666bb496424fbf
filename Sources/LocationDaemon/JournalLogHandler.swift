import Glibc
public import Logging

/// Writes log lines to standard error in the form journald understands: each begins with its priority in angle
/// brackets (sd-daemon(3)). On a terminal the priority is left out.
///
/// Metadata is not written: what a line has to say, it says in its sentence.
public struct JournalLogHandler: LogHandler {
    /// Lines less severe than this are left out.
    public var logLevel: Logger.Level
    /// Kept for whoever asks; not written.
    public var metadata: Logger.Metadata = [:]
    private let showsPriority: Bool

    /// A handler for lines of at least `logLevel`.
    public init(logLevel: Logger.Level) {
        self.logLevel = logLevel
        showsPriority = isatty(STDERR_FILENO) == 0
    }

    /// A value of `metadata`.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    public func log(event: LogEvent) {
        // One write, so that lines of two threads do not mix; nobody could be told if it failed.
        let prefix = showsPriority ? "<\(event.level.syslogPriority)>" : ""
        let line = Array("\(prefix)\(event.message)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
    fileprivate var syslogPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
