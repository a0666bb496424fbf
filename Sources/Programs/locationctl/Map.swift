import ArgumentParser
import CommandLineSupport
import MapTiles

struct Map: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show your location live on a map in a browser.",
        discussion:
            "Requires the package locationd-map. Its options are shown by: locationctl map --help")

    @Argument(
        parsing: .captureForPassthrough, help: ArgumentHelp("The arguments of the map program.", valueName: "argument"),
        completion: .custom { words, _, _ in Map.completions(after: words) })
    var arguments: [String] = []

    /// The commands of the map program, and the regions for commands that take one. The shell completes file names
    /// itself.
    static func completions(after words: [String]) -> [String] {
        let typed = words.drop { $0 != "map" }.dropFirst()
        switch typed.first ?? "" {
        case "info",
            "remove" where typed.count > 1:
            return MapRegions().installed().regions.map(\.name)
        case let word where typed.count < 2:
            return ["add", "info", "list", "remove", "show"].filter { $0.hasPrefix(word) }
        default: return []
        }
    }

    func run() throws {
        try PackagedProgram(file: "locationctl-map", subject: "The map", package: "locationd-map").replace(
            with: arguments)
    }
}
