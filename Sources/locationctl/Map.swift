import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc

struct Map: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show where you are on a map, live, in a browser.",
        discussion:
            "The map is a program of its own, in the package locationd-map: locationctl map --help has its options.")

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("What the map program takes.", valueName: "argument"))
    var arguments: [String] = []

    func run() throws {
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let directory = executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        // Beside this one after a build; else where packages have programs that people do not call themselves.
        for program in ["\(directory)/locationctl-map", "\(directory)/../libexec/locationd/locationctl-map"]
        where access(program, X_OK) == 0 {
            let words = ([program] + arguments).map { strdup($0) }
            execv(program, words + [nil])
            Terminal.complain("The map cannot be started: \(program): \(String(cString: strerror(errno))).")
            throw Exit.failure
        }
        Terminal.complain("The map is not installed. On Debian: apt install locationd-map")
        throw Exit.failure
    }
}
