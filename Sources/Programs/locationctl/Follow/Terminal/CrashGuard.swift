import Glibc

/// Restores the terminal when the program crashes in full-screen mode.
enum CrashGuard {
    /// The data of the signal handler, which may not allocate and so needs it prepared.
    private struct Memory {
        var descriptor: Int32 = -1
        /// The same terminal.
        var copy: Int32 = -1
        /// `/dev/null`.
        var null: Int32 = -1
        var modes = termios()
        var exit: UnsafeBufferPointer<UInt8>
    }

    /// Unsafe: written while one full screen at a time is armed, read by the signal handler.
    nonisolated(unsafe) private static let memory: UnsafeMutablePointer<Memory> = {
        let exit = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: FullScreen.exit.utf8.count)
        _ = exit.initialize(from: FullScreen.exit.utf8)
        let memory = UnsafeMutablePointer<Memory>.allocate(capacity: 1)
        memory.initialize(to: Memory(exit: UnsafeBufferPointer(exit)))
        return memory
    }()

    private static let signals = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP]

    /// Arms the guard: from now on a crash restores this terminal with these modes.
    static func arm(descriptor: Int32, modes: termios) {
        memory.pointee.modes = modes
        memory.pointee.copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        memory.pointee.null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        memory.pointee.descriptor = descriptor
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            CrashGuard.restore()
            // Raised again, the signal takes its default effect when the handler returns.
            raise(number)
        }
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        for number in signals { sigaction(number, &action, nil) }
    }

    static func disarm() {
        memory.pointee.descriptor = -1
        for number in signals { signal(number, SIG_DFL) }
        close(memory.pointee.copy)
        close(memory.pointee.null)
    }

    /// Uses only functions that POSIX permits in a signal handler.
    private static func restore() {
        let descriptor = memory.pointee.descriptor
        guard descriptor >= 0 else { return }
        memory.pointee.descriptor = -1
        // Other threads still run: from here on they draw into nothing.
        dup2(memory.pointee.null, descriptor)
        let (terminal, exit) = (memory.pointee.copy, memory.pointee.exit)
        var written = 0
        while written < exit.count, let start = exit.baseAddress {
            let count = write(terminal, start + written, exit.count - written)
            if count > 0 { written += count }
            // The terminal takes no more for now. One that takes nothing for five seconds is left as it is: a busy one took over a second.
            var ready = pollfd(fd: terminal, events: Int16(POLLOUT), revents: 0)
            if count < 0, errno != EINTR, errno != EAGAIN || poll(&ready, 1, 5000) <= 0 { break }
        }
        tcsetattr(terminal, TCSANOW, &memory.pointee.modes)
    }
}
