import Glibc
import LocationMap
import MapTiles

extension RegionTool {
    /// Throws unless all of `tools` are installed.
    static func require(_ tools: [RegionTool]) throws(RegionError) {
        if let missing = PageSentence(missing: tools) { throw RegionError(missing.description) }
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - accepted: The exit codes of success.
    ///   - receive: Receives the standard output in pieces.
    /// - Throws: The standard error of a failed program.
    func run(
        _ arguments: [String], accepting accepted: Set<Int32> = [0], interruption: Interruption,
        receive: ([UInt8]) throws(RegionError) -> Void
    ) throws(RegionError) {
        let child = try ToolProcess(Self.command(name, arguments), interruption: interruption)
        var complaints: [UInt8] = []
        var failure: RegionError?
        child.read { bytes, isError in
            if isError {
                // The cause is at the end.
                complaints = (complaints + bytes).suffix(4096)
            } else if failure == nil {
                do throws(RegionError) {
                    try receive(bytes)
                } catch {
                    failure = error
                    child.end()
                }
            }
        }
        let status = try child.wait()
        interruption.waitIfPending()
        if let failure { throw failure }
        if status & 0x7f == 0, accepted.contains(status >> 8 & 0xff) { return }
        throw RegionError("\(name) \(Self.words(for: status)). It said: \(Self.lastLines(complaints))")
    }

    /// Runs the program while `read` reads its standard output.
    ///
    /// - Parameter read: Reads the descriptor to its end. Returns false if it has stopped earlier.
    /// - Throws: The end of the standard error of a program that failed by itself.
    func run(
        _ arguments: [String], interruption: Interruption, read: (Int32) -> Bool
    ) throws(RegionError) {
        let child = try ToolProcess(Self.command(name, arguments), interruption: interruption)
        let isRead = read(child.output)
        if !isRead { child.end() }
        // The little that it writes there fits into the pipe.
        var complaints: [UInt8] = []
        child.read { bytes, isError in
            if isError { complaints = (complaints + bytes).suffix(4096) }
        }
        let status = try child.wait()
        interruption.waitIfPending()
        guard isRead, status != 0 else { return }
        throw RegionError("\(name) \(Self.words(for: status)). It said: \(Self.lastLines(complaints))")
    }

    /// Runs the program, and returns its standard output of at most 16 MB.
    func output(_ arguments: [String], interruption: Interruption) throws(RegionError) -> [UInt8] {
        var output: [UInt8] = []
        try run(arguments, interruption: interruption) { (bytes) throws(RegionError) in
            output += bytes
            guard output.count <= 16 << 20 else { throw RegionError("\(name) printed more than 16 MB.") }
        }
        return output
    }

    /// Returns the command with a death signal, which ends the program if this one is killed (prctl(2)).
    private static func command(_ name: String, _ arguments: [String]) -> [String] {
        let prefix = path(of: "setpriv").map { [$0, "--pdeathsig", "KILL"] } ?? []
        return prefix + [name] + arguments
    }

    private static func words(for status: Int32) -> String {
        let signal = status & 0x7f
        return signal == 0 ? "has failed with status \(status >> 8 & 0xff)" : "was ended by signal \(signal)"
    }

    /// Returns the last lines with a message, without the lines that programs overwrite to show progress.
    private static func lastLines(_ bytes: [UInt8]) -> String {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
            .map { $0.split(separator: UInt8(ascii: "\r")).last.map { String(decoding: $0, as: UTF8.self) } ?? "" }
            .filter { $0.contains { !$0.isWhitespace } }
        return lines.isEmpty ? "nothing." : lines.suffix(3).joined(separator: " / ")
    }
}
