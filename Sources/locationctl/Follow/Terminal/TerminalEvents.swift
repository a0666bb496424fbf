import CommandSupport
@preconcurrency import Dispatch
import Glibc

/// What happens at a terminal.
enum TerminalEvent: Sendable {
    /// Bytes were typed.
    case typed([UInt8])
    /// The process was sent a signal.
    case signal(Int32)
    /// The terminal takes bytes again.
    case writable
    /// The terminal is gone.
    case hungUp
}

/// Watches a terminal and the signals that have to do with it.
struct TerminalEvents: Sendable {
    /// Each of them, until the task that iterates is cancelled. To be iterated once.
    let events: AsyncStream<TerminalEvent>
    private let continuation: AsyncStream<TerminalEvent>.Continuation
    private let descriptor: Int32

    /// The signals that a program with the full screen has to answer.
    private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]

    /// Begins to watch.
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

    /// Ends it; signals do again what they usually do.
    func stop() {
        continuation.finish()
        SignalPipe.restore(Self.signals)
    }

    /// Stops the process as Control-Z usually does. Returns when it goes on, or at once where no shell could let it.
    func suspend() {
        SignalPipe.obey(SIGTSTP)
        SignalPipe.redirect([SIGTSTP])
    }

    /// Says `writable` once.
    func sayWhenWritable() {
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: .global())
        // The handler holds the source until it has run, or the whole is over.
        source.setEventHandler { @Sendable [continuation] in
            continuation.yield(.writable)
            source.cancel()
        }
        source.resume()
    }

    /// Reads what comes; nothing at the end of it.
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
