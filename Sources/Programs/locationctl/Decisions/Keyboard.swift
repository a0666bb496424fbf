@preconcurrency import Dispatch
import Glibc

/// Reads typed lines until it is stopped. It waits on a dispatch queue, so that it blocks no thread.
final class Keyboard: Sendable {
    /// An event of the keyboard.
    enum Input: Sendable {
        case line(String)
        /// Ctrl-D, or the terminal was closed.
        case end
    }

    /// The events, to be iterated once. The sequence ends with the input or when the keyboard is stopped.
    let inputs: AsyncStream<Input>
    private let continuation: AsyncStream<Input>.Continuation
    private let source: any DispatchSourceRead

    init() {
        let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        let buffer = LineBuffer()
        source.setEventHandler { @Sendable in
            guard let lines = buffer.read() else {
                continuation.yield(.end)
                continuation.finish()
                source.cancel()
                return
            }
            for line in lines { continuation.yield(.line(line)) }
        }
        source.resume()
        (self.inputs, self.continuation, self.source) = (inputs, continuation, source)
    }

    /// Stops at once. Later input is left to the next reader.
    func stop() {
        source.cancel()
        continuation.finish()
    }

    /// Sendable because only the event handler of the source above uses it, which runs once at a time.
    private final class LineBuffer: @unchecked Sendable {
        private var rest: [UInt8] = []

        /// The complete lines so far; `nil` at the end of the input.
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
