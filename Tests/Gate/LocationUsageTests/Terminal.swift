import Foundation

/// A terminal with two jobs, each with a process id, of which one, the other or neither is in the foreground.
final class Terminal {
    private let process = Process()
    private let commands = Pipe()
    private let answers = Pipe()
    private(set) var jobs: [Int32] = []

    init() throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("terminal.py")
        process.arguments = ["python3", script.path]
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
        jobs = answer().split(separator: " ").compactMap { Int32($0) }
    }

    /// Moves a job to the foreground: 1 or 2, or 0 for the shell.
    func foreground(_ job: Int) { send("\(job)") }

    /// Closes the terminal of the jobs.
    func hangUp() { send("close") }

    deinit {
        // Closing the pipe would not suffice: a process of another test may have inherited it.
        // It ends by itself: waiting here would hold a thread of the pool, of which two waiting at once never returned.
        commands.fileHandleForWriting.write(Data("end\n".utf8))
    }

    private func send(_ command: String) {
        commands.fileHandleForWriting.write(Data("\(command)\n".utf8))
        precondition(answer() == "ok")
    }

    private func answer() -> String {
        var line = ""
        while let byte = try? answers.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(Character(UnicodeScalar(byte)))
        }
        return line
    }
}
