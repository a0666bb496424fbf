import Glibc

/// A program that a test runs in a terminal: what it shows there, line by line, and what is typed.
package final class TerminalProcess: Sendable {
    /// The terminal, from the side of whoever looks at it and types.
    package let screen: Wire
    private let process: RunningProcess

    /// Starts it with a terminal of 80 columns as its input, output and errors.
    package init(_ arguments: [String], environment: [String: String] = [:]) async throws {
        var (outside, inside): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&outside, &inside, nil, nil, &size) == 0 else { throw SystemFailure("openpty") }
        _ = fcntl(outside, F_SETFD, FD_CLOEXEC)
        defer { close(inside) }
        process = try RunningProcess(
            arguments, environment: environment, standard: [inside, inside, inside])
        screen = try await Wire.lines(onTerminal: outside)
    }

    /// Types a line.
    package func type(_ line: String) async { await screen.send(line + "\n") }

    /// The next line that is shown; `nil` when the program has closed the terminal.
    package func line() async throws -> String? {
        guard var line = try await screen.receive()?.unicodeScalars else { return nil }
        if line.last == "\r" { line.removeLast() }
        return String(line)
    }

    /// The lines up to one that is this, which is the last of them.
    package func lines(upTo last: String) async throws -> [String] {
        var lines: [String] = []
        while let line = try await line() {
            lines.append(line)
            if line == last { return lines }
        }
        throw EndOfScreen(description: "nothing shown is “\(last)”: \(lines)")
    }

    /// All lines that are still to come.
    package func rest() async throws -> [String] {
        var lines: [String] = []
        while let line = try await line() { lines.append(line) }
        return lines
    }

    package func signal(_ number: Int32) { process.signal(number) }

    /// Waits for its end.
    package func exitCode() async throws -> Int32 { try await process.exitCode() }

    /// The program closed its terminal without showing what was waited for.
    package struct EndOfScreen: Error, CustomStringConvertible {
        package let description: String
    }
}
