import ArgumentParser
import CommandLineSupport
import MapTiles

/// The command `locationctl map remove`.
struct MapRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove regions with their places.")

    @Argument(help: ArgumentHelp("The regions, as list names them.", valueName: "name"))
    var names: [String]

    @Flag(help: "Remove regions that are installed for all users (only for root).")
    var system = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        try RegionCommand.reportingErrors {
            let regions = try names.map { name throws(RegionError) in try find(name) }
            for (name, region) in zip(names, regions) {
                if region?.isSystem == true, !system {
                    throw RegionError(
                        "\(name) is installed for all users. To remove it, run: sudo locationctl map remove --system \(name)"
                    )
                }
                try RegionDraft.remove(name, in: try RegionCommand.directory(isSystem: system))
            }
            try output.say(names) { names.map { "Removed \($0)." } }
        }
    }

    /// Returns the region with a name; `nil` for a damaged one, which can be removed nevertheless.
    private func find(_ name: String) throws(RegionError) -> MapRegion? {
        do {
            return try RegionCommand.find(name, isSystem: system)
        } catch {
            let directory = "\(try RegionCommand.directory(isSystem: system))/\(name)"
            let problems = MapRegions().installed().problems
            if MapRegion.isName(name), problems.contains(where: { $0.directory == directory }) { return nil }
            throw error
        }
    }
}
