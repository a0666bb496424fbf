import ArgumentParser
import CommandLineSupport

struct Fleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the vehicles that publish their positions at a broker.",
        discussion: "Requires the package locationd-share. Its commands are shown by: locationctl fleet --help")

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The arguments of the fleet's commands.", valueName: "argument"),
        completion: .custom { words, _, _ in Fleet.completions(after: words) })
    var arguments: [String] = []

    /// The commands of the fleet.
    static func completions(after words: [String]) -> [String] {
        let typed = words.drop { $0 != "fleet" }.dropFirst()
        guard typed.count < 2 else { return [] }
        return ["list", "show"].filter { $0.hasPrefix(typed.first ?? "") }
    }

    func run() throws { try SharingProgram.program.replace(with: ["fleet"] + arguments) }
}
