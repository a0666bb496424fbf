@preconcurrency import Dispatch
import Glibc

/// Delivers signals as bytes of a pipe, each with the signal's number, for a program that has to restore the terminal
/// before it obeys them.
///
/// It has a handler of its own, because a Dispatch source leaves the signals ignored afterwards.
package enum SignalPipe {
    /// Both ends, which do not block: if the pipe is full, enough signals are waiting.
    private static let ends: (read: Int32, write: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// The end to read from.
    package static var descriptor: Int32 { ends.read }

    package static func redirect(_ signals: [Int32]) {
        // Creates the pipe now, because a signal handler may not.
        guard ends.write >= 0 else { return }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let code = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(SignalPipe.ends.write, &byte, 1)
            errno = code
        }
        action.sa_flags = Int32(SA_RESTART)
        for number in signals { sigaction(number, &action, nil) }
    }

    /// Redirects these signals until one of them comes, and returns its number; `nil` if the task is cancelled before. They
    /// have their default effects again afterwards.
    package static func first(of signals: [Int32]) async -> Int32? {
        let (numbers, continuation) = AsyncStream<Int32>.makeStream()
        redirect(signals)
        defer { restore(signals) }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler { @Sendable in
            var byte: UInt8 = 0
            if read(descriptor, &byte, 1) == 1 { continuation.yield(Int32(byte)) }
        }
        source.resume()
        defer { source.cancel() }
        for await number in numbers { return number }
        return nil
    }

    /// Restores the default effect of these signals.
    package static func restore(_ signals: [Int32]) {
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Applies the default effect of a signal to this process now: stops or ends it.
    package static func obey(_ number: Int32) {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        var old = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        // The threads of Swift's tasks block all signals. Unblocked, the signal takes effect before raise returns.
        pthread_sigmask(SIG_UNBLOCK, &signals, &old)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &old, nil)
    }
}
