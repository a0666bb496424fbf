import ArgumentParser
import CommandLineSupport

struct Privacy: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show in a browser who had your location, and decide there.",
        discussion:
            "Requires the package locationd-map. Its options are shown by: locationctl privacy --help")

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The arguments of the page's program.", valueName: "argument"))
    var arguments: [String] = []

    func run() throws {
        try PackagedProgram(file: "locationctl-map", subject: "The page", package: "locationd-map").replace(
            with: ["privacy"] + arguments)
    }
}
