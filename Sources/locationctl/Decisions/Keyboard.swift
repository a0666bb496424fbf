@preconcurrency import Dispatch
import Glibc

/// Typed lines, from now on until it is stopped. Reading waits on a queue, so that no thread is lost to it.
final class Keyboard: Sendable {
    /// One thing that was typed.
    enum Input: Sendable {
        case line(String)
        /// Ctrl-D, or the terminal has gone.
        case end
    }

    /// What is typed, to be iterated once; it ends with the input, or when it is stopped.
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

    /// Stops at once: what is typed after this is left for whoever reads next.
    func stop() {
        source.cancel()
        continuation.finish()
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
