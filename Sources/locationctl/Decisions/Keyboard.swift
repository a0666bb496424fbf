@preconcurrency import Dispatch
import Glibc

/// What is typed, line by line.
enum Keyboard {
    /// The lines of standard input from now on. Reading waits on a queue, so that no thread is lost to it.
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
            let buffer = LineBuffer()
            source.setEventHandler { @Sendable in
                guard let lines = buffer.read() else {
                    continuation.finish()
                    return
                }
                for line in lines { continuation.yield(line) }
            }
            continuation.onTermination = { _ in source.cancel() }
            source.resume()
        }
    }

    /// Sendable: only the event handler of the source above uses it, and that runs once at a time.
    private final class LineBuffer: @unchecked Sendable {
        private var rest: [UInt8] = []

        /// The lines that are complete now; `nil` at the end of the input.
        func read() -> [String]? {
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { return nil }
            rest += bytes[..<count]
            var lines: [String] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
            return lines
        }
    }
}
