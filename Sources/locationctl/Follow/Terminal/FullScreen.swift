import CommandSupport
import Glibc

/// A terminal that the program has for itself: no echo, no lines, the alternate screen, no cursor. What was there before
/// is there again after `leave()`.
///
/// It is opened anew, so that it can be written to without waiting: making standard output such would make it so for the
/// shell, too.
final class FullScreen {
    let descriptor: Int32
    /// The terminal's modes as they were; `nil` while the program does not have it.
    private var modes: termios?
    /// What the terminal has not taken yet.
    private var pending: ArraySlice<UInt8> = []

    /// The alternate screen, no cursor, pasted text in brackets.
    static let entry = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?2004h"
    /// The opposite, after whatever was begun.
    static let exit = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?2004l\u{1b}[?25h\u{1b}[?1049l"

    /// Takes an open descriptor of a terminal, which does not wait, and closes it in the end.
    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The terminal that standard output is; `nil` when it is none, or none that can do this.
    static func ofStandardOutput(_ environment: (String) -> String?) -> FullScreen? {
        guard isatty(STDOUT_FILENO) == 1, !["", "dumb"].contains(environment("TERM") ?? "") else { return nil }
        let flags = O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        var name = [CChar](repeating: 0, count: 256)
        var descriptor: Int32 = -1
        if ttyname_r(STDOUT_FILENO, &name, name.count) == 0 { descriptor = open(name, flags) }
        // One that belongs to another user, as under `su`, can still be opened by this name.
        if descriptor < 0 { descriptor = open("/dev/tty", flags) }
        return descriptor < 0 ? nil : FullScreen(descriptor: descriptor)
    }

    deinit {
        leave()
        close(descriptor)
    }

    /// How large it is now; 80 by 24 for one that does not know.
    var size: Size {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Takes the terminal, or takes it again after somebody else had it meanwhile. Says whether that was possible.
    func enter() -> Bool {
        var current = termios()
        guard comeToForeground(), tcgetattr(descriptor, &current) == 0 else { return false }
        let old = modes ?? current
        var raw = old
        // Control-C and its like stay signals.
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

    /// Gives the terminal back. What it has not taken by then, and what was typed, is dropped.
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

    /// Whether the terminal has not taken all that was written: it is slow, and new frames would only wait.
    var isBlocked: Bool { !pending.isEmpty }

    /// Writes as much as the terminal takes now; `flush()` goes on with the rest. One that was given back is not ours to
    /// write to: then it does nothing.
    func write(_ text: String) {
        guard modes != nil else { return }
        pending.append(contentsOf: text.utf8)
        flush()
    }

    /// Goes on writing.
    func flush() {
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            // A terminal that has gone takes nothing any more, which its end of file says, too.
            guard count > 0 else {
                pending = []
                return
            }
            pending.removeFirst(count)
        }
    }

    /// Waits to be in the foreground, as jobs do: stopped. The terminal does not see to that itself, as the threads that
    /// Swift's tasks run on block its signal. Says no where no shell looks after the job, and so nothing stops it.
    private func comeToForeground() -> Bool {
        for _ in 0..<100 {
            let foreground = tcgetpgrp(descriptor)
            // One that is not the process's controlling terminal has no foreground for it.
            if foreground < 0 || foreground == getpgrp() { return true }
            SignalPipe.obey(SIGTTOU)
        }
        return false
    }

    /// Waits a little for a slow terminal, and then does without what it has not shown.
    private func waitAndFlush() {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&state, 1, 500) <= 0 { tcflush(descriptor, TCOFLUSH) }
        flush()
        pending = []
    }
}
