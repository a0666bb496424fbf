import Glibc
import Testing

@testable import locationctl

/// Both ends of a terminal that nobody looks at.
private final class PseudoTerminal {
    let person: Int32
    let program: Int32

    init() throws {
        var (master, slave): (Int32, Int32) = (-1, -1)
        try #require(openpty(&master, &slave, nil, nil, nil) == 0)
        for descriptor in [master, slave] {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
        (person, program) = (master, slave)
    }

    deinit { close(person) }

    var modes: termios {
        var modes = termios()
        tcgetattr(person, &modes)
        return modes
    }

    /// What it has been sent since the last time.
    func read() -> String {
        var result: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(person, &bytes, bytes.count), count > 0 { result += bytes[..<count] }
        return String(decoding: result, as: UTF8.self)
    }

    func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(person, $0.baseAddress, $0.count) } }
}

extension termios {
    fileprivate var flags: [tcflag_t] { [c_iflag, c_oflag, c_cflag, c_lflag] }
}

/// One after another: what gives the terminal back after a crash is there once.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FullScreenTests {
    @Test func entersAndLeaves() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.modes
        let screen = FullScreen(descriptor: terminal.program)
        #expect(screen.enter())
        #expect(terminal.read() == FullScreen.entry)
        let local = terminal.modes.c_lflag
        #expect(local & tcflag_t(ECHO | ICANON) == 0)
        #expect(local & tcflag_t(ISIG) != 0)
        // Once more, as after a stop: what is to be restored stays what it was at first.
        #expect(screen.enter())
        screen.write("x")
        terminal.type("typed ahead")
        screen.leave()
        #expect(terminal.read() == FullScreen.entry + "x" + FullScreen.exit)
        #expect(terminal.modes.flags == before.flags)
        screen.leave()
        screen.write("too late")
        #expect(terminal.read() == "")
        var left: Int32 = -1
        _ = ioctl(screen.descriptor, UInt(FIONREAD), &left)
        #expect(left == 0)
    }

    @Test func releasingLeavesFullScreen() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.modes
        do {
            let screen = FullScreen(descriptor: terminal.program)
            #expect(screen.enter())
        }
        #expect(terminal.read() == FullScreen.entry + FullScreen.exit)
        #expect(terminal.modes.flags == before.flags)
    }

    @Test func slowTerminal() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.modes
        let screen = FullScreen(descriptor: terminal.program)
        #expect(screen.enter())
        let frame = String(repeating: "0123456789", count: 20_000)
        screen.write(frame)
        #expect(screen.isBlocked)
        var seen = ""
        while screen.isBlocked {
            seen += terminal.read()
            screen.flush()
        }
        #expect(seen + terminal.read() == FullScreen.entry + frame)

        // One that takes nothing more at all is given back, too, and its modes are restored.
        screen.write(frame)
        #expect(screen.isBlocked)
        screen.leave()
        #expect(terminal.modes.flags == before.flags)
        #expect(terminal.read().hasSuffix(FullScreen.exit))
    }

    @Test func closedTerminalIsAnError() throws {
        var terminal: PseudoTerminal? = try PseudoTerminal()
        let screen = FullScreen(descriptor: try #require(terminal).program)
        #expect(screen.enter())
        terminal = nil
        screen.write("x")
        #expect(!screen.isBlocked)
        screen.leave()
        #expect(!screen.enter())
    }

    @Test func sizes() throws {
        let terminal = try PseudoTerminal()
        let screen = FullScreen(descriptor: terminal.program)
        #expect(screen.size == Size(columns: 80, rows: 24))
        var window = winsize(ws_row: 12, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(terminal.person, UInt(TIOCSWINSZ), &window)
        #expect(screen.size == Size(columns: 40, rows: 12))
    }

    @Test func noTerminal() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(!FullScreen(descriptor: ends[1]).enter())
        #expect(FullScreen.ofStandardOutput { $0 == "TERM" ? "dumb" : nil } == nil)
    }
}
