import ArgumentParser
import CommandLineSupport

struct Fleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the vehicles that publish their positions at a broker, and record them.",
        discussion: """
            list, show and watch require the package locationd-share; record, track and forget the package locationd-fleet-recorder. Their \
            options are shown by: locationctl fleet COMMAND --help
            """)

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The arguments of the fleet's commands.", valueName: "argument"),
        completion: .custom { words, _, _ in Fleet.completions(after: words) })
    var arguments: [String] = []

    /// The commands of the fleet.
    static func completions(after words: [String]) -> [String] {
        let typed = words.drop { $0 != "fleet" }.dropFirst()
        guard typed.count < 2 else { return [] }
        return (["list", "show", "watch"] + recorded).filter { $0.hasPrefix(typed.first ?? "") }
    }

    /// The commands of the recorder.
    private static let recorded = ["record", "track", "forget"]
    private static let recorder = PackagedProgram.fleetRecorder

    func run() throws {
        if let command = arguments.first, Self.recorded.contains(command) { try Self.recorder.replace(with: arguments) }
        try SharingProgram.program.replace(with: ["fleet"] + arguments)
    }
}
