import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// A terminal that can be looked at: a server of tmux for one test, with a shell in it.
final class Tmux {
    private let directory: TemporaryDirectory
    private var socket: String { directory.path + "/tmux" }
    private let deadline = ContinuousClock.now + .seconds(50)
    /// The server's process; 0 while there is none.
    private var server: pid_t = 0

    /// What a screen did not come to show.
    struct NotShown: Error, CustomStringConvertible {
        let description: String
    }

    /// A shell in a terminal of that size, with the daemon's socket in its environment.
    init(_ site: DaemonSite, columns: Int = 80, rows: Int = 24, environment: [String] = []) async throws {
        directory = try TemporaryDirectory()
        let variables = ["LOCATIOND_SOCKET=\(site.socket)", "LC_ALL=C.UTF-8", "NO_COLOR="] + environment
        try await run(
            ["-f", "/dev/null", "-u", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-c", directory.path]
                + variables.flatMap { ["-e", $0] } + ["/bin/bash --norc --noprofile"])
        server = pid_t(try await run(["display-message", "-p", "#{pid}"]).filter(\.isNumber)) ?? 0
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
    func screen() async throws -> String { try await run(["capture-pane", "-p"]) }

    /// The same with the sequences that select colours and weights.
    func styledScreen() async throws -> String { try await run(["capture-pane", "-p", "-e"]) }

    /// Looks until the terminal shows what is waited for.
    @discardableResult
    func wait(for isShown: (String) -> Bool) async throws -> String {
        var last = ""
        while ContinuousClock.now < deadline {
            last = try await screen()
            if isShown(last) { return last }
            try await pass(.milliseconds(50))
        }
        throw NotShown(description: "the terminal shows, at last:\n\(last)")
    }

    /// Ends the shell and all in it.
    func end() async throws {
        try await run(["kill-server"])
        server = 0
    }

    /// However a test ends, nothing of it stays.
    deinit { if server > 0 { kill(server, SIGTERM) } }

    @discardableResult
    private func run(_ arguments: [String]) async throws -> String {
        let result = try await ChildProcess.run(
            ["/usr/bin/tmux", "-S", socket] + arguments, environment: ["TMUX": "", "TERM": "xterm-256color"])
        guard result.code == 0 else { throw NotShown(description: "tmux \(arguments): \(result.errors)") }
        return result.output
    }
}
