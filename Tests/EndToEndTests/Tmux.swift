import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// A terminal that can be looked at: a server of tmux for one test, with a shell in it.
final class Tmux {
    private let directory: TemporaryDirectory
    private var socket: String { directory.path + "/tmux" }
    /// A client in control mode: it answers commands, and reports each change of the terminal.
    private let control: TerminalProcess
    /// The server's process; 0 while there is none.
    private var server: pid_t = 0

    /// A command that failed, or the end of the server.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A shell in a terminal of that size, with the daemon's socket in its environment.
    init(_ site: DaemonSite, columns: Int = 80, rows: Int = 24, environment: [String] = []) async throws {
        directory = try TemporaryDirectory()
        let variables = ["LOCATIOND_SOCKET=\(site.socket)", "LC_ALL=C.UTF-8", "NO_COLOR="] + environment
        control = try await TerminalProcess(
            [
                Self.program, "-S", directory.path + "/tmux", "-f", "/dev/null", "-u", "-C", "new-session", "-x",
                "\(columns)", "-y", "\(rows)", "-c", directory.path,
            ] + variables.flatMap { ["-e", $0] } + ["/bin/bash --norc --noprofile"], environment: Self.environment)
        server = pid_t(try await query("display-message -p '#{pid}'").filter(\.isNumber)) ?? 0
        // A line of its own at the bottom would be one of the terminal's.
        try await run(["set-option", "-g", "status", "off"])
        try await resize(columns: columns, rows: rows)
        try await wait { $0.contains("bash-") }
        try await enter("PS1='shell> '; clear")
        try await wait { $0.hasPrefix("shell>") }
    }

    /// The file of that name where the shell is.
    func file(_ name: String) -> String { directory.path + "/" + name }

    /// The text of a file there.
    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: file(name))), as: UTF8.self)
    }

    /// Presses keys, by tmux's names for them.
    func press(_ keys: String...) async throws { try await run(["send-keys"] + keys) }

    /// Types a command and Return.
    func enter(_ command: String) async throws {
        try await run(["send-keys", "-l", command])
        try await run(["send-keys", "Enter"])
    }

    /// Pastes text as a person does.
    func paste(_ text: String) async throws {
        try await run(["set-buffer", text])
        try await run(["paste-buffer", "-p"])
    }

    func resize(columns: Int, rows: Int) async throws {
        try await run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// What the terminal shows now.
    func screen() async throws -> String { try await query("capture-pane -p") }

    /// The same with the sequences that select colours and weights.
    func styledScreen() async throws -> String { try await query("capture-pane -p -e") }

    /// Waits until the terminal shows what is wanted: looks now, and again after each change.
    @discardableResult
    func wait(at place: SourceLocation = #_sourceLocation, for isShown: (String) -> Bool) async throws -> String {
        var last = ""
        do {
            while true {
                last = try await screen()
                if isShown(last) { return last }
                // Any line between two answers is the notice of a change.
                _ = try await controlLine()
            }
        } catch {
            throw AwaitedInVain(
                "the screen at \(place)", because: "\(error), and the terminal shows, at last:\n\(last)")
        }
    }

    /// Ends the shell and all in it.
    func end() async throws {
        try await run(["kill-server"])
        server = 0
    }

    /// However a test ends, nothing of it stays.
    deinit { if server > 0 { kill(server, SIGTERM) } }

    private static let program = "/usr/bin/tmux"
    private static let environment = ["TMUX": "", "TERM": "xterm-256color"]

    @discardableResult
    private func run(_ arguments: [String]) async throws -> String {
        let result = try await ChildProcess.run(
            [Self.program, "-S", socket] + arguments, environment: Self.environment)
        guard result.code == 0 else { throw Failure(description: "tmux \(arguments): \(result.errors)") }
        return result.output
    }

    /// The answer to a command, which includes all changes that were reported before it.
    private func query(_ command: String) async throws -> String {
        await control.type(command)
        // The last field of a block's frame is 1 if the block answers a command of this client.
        while case let line = try await controlLine(), !(line.hasPrefix("%begin ") && line.hasSuffix(" 1")) {}
        var answer = ""
        while case let line = try await controlLine(), !line.hasPrefix("%end ") {
            if line.hasPrefix("%error ") { throw Failure(description: "tmux \(command): \(answer)") }
            answer += line + "\n"
        }
        return answer
    }

    private func controlLine() async throws -> String {
        guard let line = try await control.line() else { throw Failure(description: "tmux has ended") }
        return line
    }
}
