import LocationClient
import POSIXSupport

/// The unit of the user's own service manager that sends.
enum ShareUnit {
    private static let name = "locationd-share.service"

    /// Starts it, now and at each login, with the settings as they are.
    static func restart() throws {
        do throws(LocationError) {
            try systemctl("enable")
            // A program that is about to end would not see the new share.
            try systemctl("restart")
        } catch {
            throw ShareRefusal(
                "Your change is saved, but \(name) could not be started: \(error.description) To send without it, run: locationctl "
                    + "share run")
        }
    }

    private static func systemctl(_ command: String) throws(LocationError) {
        let result: ProgramLaunch.Result
        do throws(Errno) {
            result = try ProgramLaunch(["systemctl", "--user", "--quiet", command, "--", name])
                .run(includingErrors: true, limit: 1 << 16, time: .seconds(30))
        } catch {
            throw .refused(message: "systemctl: \(error).")
        }
        guard result.code == 0 else {
            let words = result.output.split(whereSeparator: \.isNewline).joined(separator: " ")
            throw .refused(message: words.isEmpty ? "systemctl has ended with \(result.code)." : words + ".")
        }
    }
}
