import ArgumentParser
import CommandLineSupport
import FoundationEssentials
import Glibc
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
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let directory = executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        // Beside this program after a build; otherwise in the packages' directory for programs that users do not run
        // themselves.
        for program in ["\(directory)/locationctl-map", "\(directory)/../libexec/locationd/locationctl-map"]
        where access(program, X_OK) == 0 {
            let words = ([program] + arguments).map { strdup($0) }
            execv(program, words + [nil])
            Terminal.complain("The map could not be started: \(program): \(String(cString: strerror(errno))).")
            throw Exit.failure
        }
        Terminal.complain("The map is not installed. To install it on Debian, run: sudo apt install locationd-map")
        throw Exit.failure
    }
}
