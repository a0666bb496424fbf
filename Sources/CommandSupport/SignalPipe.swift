import Glibc

/// Signals as bytes of a pipe, each with the signal's number, for a program that has something to put right first.
///
/// A handler of its own rather than Dispatch's source of signals: that one leaves them ignored afterwards.
package enum SignalPipe {
    /// Both ends, neither of which waits: when nobody reads, signals that are waiting already are enough.
    private static let ends: (read: Int32, write: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// Where the bytes come out.
    package static var descriptor: Int32 { ends.read }

    /// Has these signals come through the pipe.
    package static func redirect(_ signals: [Int32]) {
        // Made here, not in the handler, which may not.
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

    /// Has them do again what they usually do.
    package static func restore(_ signals: [Int32]) {
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Has a signal do to this process what it usually does, now: stop it or end it.
    package static func obey(_ number: Int32) {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        var old = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        // The threads that Swift's tasks run on block all signals. In this one it takes effect before raise returns.
        pthread_sigmask(SIG_UNBLOCK, &signals, &old)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &old, nil)
    }
}
