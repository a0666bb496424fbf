import CSystemd
import LocationCore
import Glibc
public import Logging
import TextSupport

/// Writes log lines to the journal or to standard error.
///
/// If standard error is the journal, a line is sent there with its metadata as fields, so that `journalctl
/// LOCATIOND_CLIENT=org.example.Weather` selects the lines about one client. Otherwise, in a file or on a terminal, only
/// the message is written, which is complete by itself.
public struct JournalLogHandler: LogHandler {
    /// The lowest level that is logged.
    public var logLevel: Logger.Level
    /// The fields of every line.
    public var metadata: Logger.Metadata = [:]
    private let isJournal: Bool

    /// A handler for lines of at least `logLevel`.
    public init(logLevel: Logger.Level) {
        self.logLevel = logLevel
        isJournal = Self.isJournal(STDERR_FILENO)
    }

    /// A field of every line.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    public func log(event: LogEvent) {
        guard isJournal else { return write(event, prefix: "") }
        // Standard error leads to the journal, too, which takes the priority from angle brackets (sd-daemon(3)).
        if !Journal.send(fields(of: event)) { write(event, prefix: "<\(event.level.syslogPriority)>") }
    }

    /// The journal's fields for an event.
    func fields(of event: LogEvent) -> [String] {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        return [
            "MESSAGE=\(Self.oneLine(event.message))", "PRIORITY=\(event.level.syslogPriority)",
            "SYSLOG_IDENTIFIER=locationd",
        ]
            + metadata.map { key, value in
                key == JournalMessage.key ? "MESSAGE_ID=\(value)" : "LOCATIOND_\(key.uppercased())=\(value)"
            }
    }

    private func write(_ event: LogEvent, prefix: String) {
        // One write, so that the lines of two threads do not mix. A failure could not be reported.
        let line = Array("\(prefix)\(Self.oneLine(event.message))\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }

    /// The message in one line and without control characters, because it may quote a peer.
    private static func oneLine(_ message: Logger.Message) -> String {
        "\(message)".escapingUnsafe
    }

    /// True if systemd connected the descriptor to the journal: `$JOURNAL_STREAM` has its device and inode
    /// (systemd.exec(5)), which differ if a program in between has redirected it.
    private static func isJournal(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM").flatMap({ String(validatingCString: $0) }),
            fstat(descriptor, &status) == 0
        else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}

/// The native protocol of journald.
private enum Journal {
    /// Sends one entry; returns true if the journal accepted it.
    static func send(_ fields: [String]) -> Bool {
        let bytes = fields.flatMap { Array($0.utf8) }
        return bytes.withUnsafeBytes { bytes in
            var offset = 0
            let vectors = fields.map { field in
                defer { offset += field.utf8.count }
                // journald only reads from this memory.
                return iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress?.advanced(by: offset)),
                    iov_len: field.utf8.count)
            }
            return sd_journal_sendv(vectors, Int32(vectors.count)) >= 0
        }
    }
}

extension Logger.Level {
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
