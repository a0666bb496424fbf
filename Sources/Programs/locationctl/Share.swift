import ArgumentParser
import CommandLineSupport
import Glibc
import POSIXSupport

struct Share: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Share your position with a service of yours, such as Home Assistant.",
        discussion: "Requires the package locationd-share. Its commands are shown by: locationctl share --help")

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The arguments of the share program.", valueName: "argument"),
        completion: .custom { words, _, _ in Share.completions(after: words) })
    var arguments: [String] = []

    /// The commands of the share program.
    static func completions(after words: [String]) -> [String] {
        let typed = words.drop { $0 != "share" }.dropFirst()
        guard typed.count < 2 else { return [] }
        return ["add", "check", "list", "pause", "remind", "remove", "resume", "run", "start", "status", "stop"]
            .filter { $0.hasPrefix(typed.first ?? "") }
    }

    private static let program = PackagedProgram(
        file: "locationd-share", subject: "Sharing", package: "locationd-share")

    func run() throws { try Self.program.replace(with: arguments) }

    /// The identifier of the program that sends.
    static let client = "org.locationd.share"

    /// Has the services that may show a position told to forget it, after it was taken from sharing while the program that sends does
    /// not run. What cannot be done is said among the errors.
    ///
    /// - Parameter user: the user whose shares they are; `nil` for the one who runs this program.
    static func forget(user: Int?) {
        guard let path = program.path else { return }
        let arguments = [path, "forget"] + (user.map { ["--user", "\($0)"] } ?? [])
        do throws(Errno) {
            let launch = ProgramLaunch(
                arguments, descriptors: [STDOUT_FILENO: STDERR_FILENO, STDERR_FILENO: STDERR_FILENO])
            _ = try ProgramLaunch.wait(for: try launch.start())
        } catch {
            Terminal.complain("\(path.shown()) could not be started: \(error).")
        }
    }
}
