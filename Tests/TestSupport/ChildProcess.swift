package import Glibc

/// A program that a test runs: without input, with its output and errors in lines for the test to read.
package final class ChildProcess: Sendable {
    /// How it ended and what it wrote.
    package struct Result: Sendable {
        /// As a shell says it: 128 and the number of the signal if one ended it.
        package var code: Int32
        package var output: String
        package var errors: String
    }

    package let output: Wire
    package let errors: Wire
    package var processID: pid_t { process.processID }
    private let process: RunningProcess

    /// Starts it with `descriptors` as 3 and following, and with no other open file.
    package init(
        _ arguments: [String], environment: [String: String] = [:], descriptors: [Int32] = []
    ) async throws {
        let (outputEnd, outputStart) = try Self.makePipe()
        let (errorsEnd, errorsStart) = try Self.makePipe()
        process = try RunningProcess(
            arguments, environment: environment, standard: [nil, outputStart, errorsStart], descriptors: descriptors)
        close(outputStart)
        close(errorsStart)
        output = try await Wire.lines(fromPipe: outputEnd)
        errors = try await Wire.lines(fromPipe: errorsEnd)
    }

    /// Runs a program to its end.
    package static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Result {
        let process = try await ChildProcess(arguments, environment: environment)
        async let output = process.output.rest()
        async let errors = process.errors.rest()
        return try await Result(code: process.exitCode(), output: output, errors: errors)
    }

    package func signal(_ number: Int32) { process.signal(number) }

    /// Waits for a line of its errors. Those before it are passed over.
    @discardableResult
    package func error(containing text: String) async throws -> String {
        var passed = ""
        while let line = try await errors.receive() {
            if line.contains(text) { return line }
            passed += "\n" + line
        }
        throw AwaitedInVain("a line with “\(text)”", because: "there were only:\(passed)")
    }

    /// Waits for its end.
    package func exitCode() async throws -> Int32 { try await process.exitCode() }

    private static func makePipe() throws -> (end: Int32, start: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}

extension Wire {
    /// All lines that are still to come.
    package func rest() async throws -> String {
        var text = ""
        while let line = try await receive() { text += line + "\n" }
        return text
    }
}
