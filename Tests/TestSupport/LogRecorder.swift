package import Logging
import Synchronization

/// Keeps what is logged, and gives it line by line to a test that waits for it.
package final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])
    private let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let level: Logger.Level

    package init(level: Logger.Level = .info) {
        self.level = level
        (stream, continuation) = AsyncStream.makeStream(of: String.self)
    }

    /// All lines so far.
    package var lines: [String] { recorded.withLock { $0 } }

    package var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self, logLevel: level) } }

    /// Waits for a line, of those that were not waited for yet.
    package func line(containing text: String) async throws -> String {
        var lines = stream.makeAsyncIterator()
        return try await lines.first("a log line with “\(text)”") { $0.contains(text) }
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = "\(event.message)"
            recorder.recorded.withLock { $0.append(line) }
            recorder.continuation.yield(line)
        }
    }
}

extension Logger {
    /// A logger whose lines nobody reads.
    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
