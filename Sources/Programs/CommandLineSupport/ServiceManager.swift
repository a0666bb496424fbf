package import LocationClient
import POSIXSupport

/// systemd, by its programs, which also reach a user's service manager where the session has no bus.
package enum ServiceManager {
    /// Runs a program of systemd's and returns its output. Throws its output if it fails.
    @discardableResult
    package static func run(_ command: [String]) throws(LocationError) -> String {
        let result: ProgramLaunch.Result
        do throws(Errno) {
            result = try ProgramLaunch(command).run(includingErrors: true, limit: 1 << 20, time: .seconds(30))
        } catch {
            throw .refused(message: "\(command[0]): \(error).")
        }
        guard result.code == 0 else {
            let words = result.output.split(whereSeparator: \.isNewline).joined(separator: " ")
            throw .refused(message: words.isEmpty ? "\(command[0]) has ended with \(result.code)." : words)
        }
        return result.output
    }
}
