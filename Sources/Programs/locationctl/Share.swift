import ArgumentParser
import CommandLineSupport

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

    func run() throws { try SharingProgram.program.replace(with: arguments) }
}
