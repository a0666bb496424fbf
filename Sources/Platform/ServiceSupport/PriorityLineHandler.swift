import Glibc
package import Logging
import TextSupport

/// Writes log lines to standard error, for the journal with their priority (sd-daemon(3)).
package struct PriorityLineHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    private let isJournal = getenv("JOURNAL_STREAM") != nil

    package init() {}

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let priority = event.level >= .error ? 3 : event.level >= .warning ? 4 : 6
        // One write, so that the lines of two threads do not mix. A failure could not be reported.
        let line = Array("\(isJournal ? "<\(priority)>" : "")\("\(event.message)".escapingUnsafe)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
