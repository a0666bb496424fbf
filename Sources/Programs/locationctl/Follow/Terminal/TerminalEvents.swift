import CommandLineSupport
@preconcurrency import Dispatch
import Glibc

enum TerminalEvent: Sendable {
    /// Bytes were typed.
    case typed([UInt8])
    /// The process was sent a signal.
    case signal(Int32)
    /// The terminal takes output again.
    case writable
    /// The terminal was closed.
    case hungUp
}

/// Watches a terminal and its signals.
struct TerminalEvents: Sendable {
    /// The events, until the iterating task is cancelled. To be iterated once.
    let events: AsyncStream<TerminalEvent>
    private let continuation: AsyncStream<TerminalEvent>.Continuation
    private let descriptor: Int32

    /// The signals that a full-screen program has to handle.
    private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]

    /// Starts watching.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        (events, continuation) = AsyncStream.makeStream()
        SignalPipe.redirect(Self.signals)
        let sources = [
            Self.source(descriptor) { [continuation] bytes in
                continuation.yield(bytes.isEmpty ? .hungUp : .typed(bytes))
            },
            Self.source(SignalPipe.descriptor) { [continuation] bytes in
                for number in bytes { continuation.yield(.signal(Int32(number))) }
            },
        ]
        continuation.onTermination = { _ in
            for source in sources { source.cancel() }
        }
    }

    /// Stops watching; signals have their default effects again.
    func stop() {
        continuation.finish()
        SignalPipe.restore(Self.signals)
    }

    /// Stops the process like Ctrl-Z. Returns when it is resumed, or at once if no shell could resume it.
    func suspend() {
        SignalPipe.obey(SIGTSTP)
        SignalPipe.redirect([SIGTSTP])
    }

    /// Reports `writable` once.
    func sayWhenWritable() {
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: .global())
        // The handler retains the source until it has run or everything is stopped.
        source.setEventHandler { @Sendable [continuation] in
            continuation.yield(.writable)
            source.cancel()
        }
        source.resume()
    }

    /// Reads the available bytes; empty at the end of the input.
    private static func source(
        _ descriptor: Int32, _ receive: @escaping @Sendable ([UInt8]) -> Void
    ) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler { @Sendable in
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0, [EAGAIN, EINTR].contains(errno) { return }
            if count <= 0 { source.cancel() }
            receive(Array(bytes.prefix(max(0, count))))
        }
        source.resume()
        return source
    }
}
