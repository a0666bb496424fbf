import Glibc

/// Gives the terminal back when the program crashes while it has it.
enum CrashGuard {
    /// What the signal handler needs. It may not allocate, so this is made beforehand.
    private struct Memory {
        var descriptor: Int32 = -1
        var modes = termios()
        var exit: UnsafeBufferPointer<UInt8>
    }

    /// Unsafe: written while armed by one full screen at a time, read by the handler.
    nonisolated(unsafe) private static let memory: UnsafeMutablePointer<Memory> = {
        let exit = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: FullScreen.exit.utf8.count)
        _ = exit.initialize(from: FullScreen.exit.utf8)
        let memory = UnsafeMutablePointer<Memory>.allocate(capacity: 1)
        memory.initialize(to: Memory(exit: UnsafeBufferPointer(exit)))
        return memory
    }()

    private static let signals = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP]

    /// From now on a crash gives back this terminal with these modes.
    static func arm(descriptor: Int32, modes: termios) {
        memory.pointee.modes = modes
        memory.pointee.descriptor = descriptor
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            CrashGuard.restore()
            // Takes effect when this returns, and then as if nobody had looked.
            raise(number)
        }
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        for number in signals { sigaction(number, &action, nil) }
    }

    /// From now on a crash is just that.
    static func disarm() {
        memory.pointee.descriptor = -1
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Only what POSIX lets a signal handler call.
    private static func restore() {
        let descriptor = memory.pointee.descriptor
        guard descriptor >= 0 else { return }
        memory.pointee.descriptor = -1
        _ = write(descriptor, memory.pointee.exit.baseAddress, memory.pointee.exit.count)
        tcsetattr(descriptor, TCSANOW, &memory.pointee.modes)
    }
}
