/// Programs that a test makes, to run them. Another process writes them: while this one has a file open for writing, a
/// child that another test starts at that moment has it open too until its `execve`, and running the file fails with
/// ETXTBSY.
package enum ProgramFile {
    package static func copy(_ program: String, to path: String) async throws {
        try await run(["cp", program, path])
    }

    package static func write(_ script: String, to path: String) async throws {
        try await run(["sh", "-c", #"printf %s "$1" > "$2" && chmod 755 "$2""#, "sh", script, path])
    }

    private static func run(_ arguments: [String]) async throws {
        let result = try await ChildProcess.run(arguments)
        guard result.code == 0 else { throw SystemFailure(result.errors, code: result.code) }
    }
}
