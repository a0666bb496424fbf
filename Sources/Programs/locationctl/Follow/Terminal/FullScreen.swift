import CommandLineSupport
import Glibc

/// A terminal in full-screen mode: no echo, no line editing, the alternate screen, no cursor. `leave()` restores the
/// previous content.
///
/// It is opened again, so that it can be written to without blocking: making standard output non-blocking would affect
/// the shell, too.
final class FullScreen {
    let descriptor: Int32
    /// The previous modes of the terminal; `nil` while the program does not have it.
    private var modes: termios?
    /// The bytes that the terminal has not taken yet.
    private var pending: ArraySlice<UInt8> = []

    /// Selects the alternate screen, hides the cursor, and brackets pasted text.
    static let entry = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?2004h"
    /// Restores the terminal, also from within an unfinished sequence.
    static let exit = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?2004l\u{1b}[?25h\u{1b}[?1049l"

    /// Takes an open, non-blocking descriptor of a terminal, and closes it at the end.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The terminal of standard output; `nil` if it is not a terminal, or one without these functions.
    static func ofStandardOutput(_ environment: (String) -> String?) -> FullScreen? {
        guard isatty(STDOUT_FILENO) == 1, !["", "dumb"].contains(environment("TERM") ?? "") else { return nil }
        let flags = O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        var name = [CChar](repeating: 0, count: 256)
        var descriptor: Int32 = -1
        if ttyname_r(STDOUT_FILENO, &name, name.count) == 0 { descriptor = open(name, flags) }
        // A terminal of another user, as under `su`, can still be opened by this name.
        if descriptor < 0 { descriptor = open("/dev/tty", flags) }
        return descriptor < 0 ? nil : FullScreen(descriptor: descriptor)
    }

    deinit {
        leave()
        close(descriptor)
    }

    /// Its current size; 80 by 24 if it is not known.
    var size: Size {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Takes the terminal, or takes it again after another program had it. Returns false if that failed.
    func enter() -> Bool {
        var current = termios()
        guard comeToForeground(), tcgetattr(descriptor, &current) == 0 else { return false }
        let old = modes ?? current
        var raw = old
        // Ctrl-C and the like stay signals.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
        withUnsafeMutableBytes(of: &raw.c_cc) {
            $0[Int(VMIN)] = 1
            $0[Int(VTIME)] = 0
        }
        guard tcsetattr(descriptor, TCSANOW, &raw) == 0 else { return false }
        modes = old
        CrashGuard.arm(descriptor: descriptor, modes: old)
        pending = Array(Self.entry.utf8)[...]
        flush()
        return true
    }

    /// Gives the terminal back. Pending output and input are dropped.
    func leave() {
        guard var old = modes else { return }
        modes = nil
        CrashGuard.disarm()
        pending = Array(Self.exit.utf8)[...]
        flush()
        if isBlocked { waitAndFlush() }
        tcflush(descriptor, TCIFLUSH)
        tcsetattr(descriptor, TCSANOW, &old)
    }

    /// True if the terminal has not taken all output. It is slow, so new frames would only wait.
    var isBlocked: Bool { !pending.isEmpty }

    /// Writes as much as the terminal takes now; `flush()` continues with the rest. Does nothing after the terminal was
    /// given back.
    func write(_ text: String) {
        guard modes != nil else { return }
        pending.append(contentsOf: text.utf8)
        flush()
    }

    /// Continues writing.
    func flush() {
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            // A closed terminal takes nothing; reading from it reports its end.
            guard count > 0 else {
                pending = []
                return
            }
            pending.removeFirst(count)
        }
    }

    /// Waits to be in the foreground, stopped like any background job. The terminal cannot do that, because the threads
    /// of Swift's tasks block its signal. Returns false if no shell controls the job, so that nothing would resume it.
    private func comeToForeground() -> Bool {
        for _ in 0..<100 {
            let foreground = tcgetpgrp(descriptor)
            // A terminal that does not control the process has no foreground.
            if foreground < 0 || foreground == getpgrp() { return true }
            SignalPipe.obey(SIGTTOU)
        }
        return false
    }

    /// Waits a little for a slow terminal, then gives up the rest.
    private func waitAndFlush() {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&state, 1, 500) <= 0 { tcflush(descriptor, TCOFLUSH) }
        flush()
        pending = []
    }
}
