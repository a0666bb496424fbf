import ArgumentParser
import CommandLineSupport
import MapTiles

/// The command `locationctl map info`.
struct MapInfo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Describe a region.")

    @Argument(help: ArgumentHelp("The region, as list names it.", valueName: "name"))
    var name: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        try RegionCommand.reportingErrors {
            let region = try RegionCommand.find(name, isSystem: false)
            try output.say(ListedRegion(region: region)) { Self.lines(region) }
        }
    }

    private static func lines(_ region: MapRegion) -> [String] {
        let information = region.information
        let bounds = information.bounds.map { "\(($0 * 1e4).rounded() / 1e4)" }
        return [
            "Region:       \(region.name), for \(region.isSystem ? "everybody" : "you")",
            "Made of:      \(information.source) (\(HumanReadable.size(information.sourceSize))), \(information.added)",
            "Data of:      \(information.dataDate ?? "not known")",
            "Covers:       \(bounds[1]) to \(bounds[3]) degrees north, \(bounds[0]) to \(bounds[2]) east",
            "Tiles:        \(HumanReadable.size(information.tilesSize))",
            "Search:       \(information.places.map { "\($0) places, " } ?? "")"
                + (information.placesSize.map(HumanReadable.size) ?? "none: it was made of finished tiles"),
            "Attribution:  \(information.attribution)",
            "Directory:    \(region.directory)",
        ]
    }
}
