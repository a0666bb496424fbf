import ArgumentParser
import CommandLineSupport
import MapTiles

/// The command `locationctl map list`.
struct MapList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the regions that are installed.")

    @OptionGroup var output: OutputOptions

    func run() throws {
        let (regions, problems) = MapRegions().installed()
        try output.say(regions.map(ListedRegion.init)) {
            regions.isEmpty
                ? ["No region is installed. `locationctl map add FILE.osm.pbf` adds one."] : Self.table(regions)
        }
        for problem in problems { Terminal.complain(problem.description) }
        if !problems.isEmpty { throw Exit.failure }
    }

    private static func table(_ regions: [MapRegion]) -> [String] {
        Table.lines(
            ["REGION", "DATA OF", "TILES", "SEARCH", "FOR"],
            regions.map { region in
                let information = region.information
                return [
                    region.name, information.dataDate.map { String($0.prefix(10)) } ?? "-",
                    HumanReadable.size(information.tilesSize), information.placesSize.map(HumanReadable.size) ?? "-",
                    region.isSystem ? "everybody" : "you",
                ]
            })
    }
}

/// A region in JSON.
struct ListedRegion: Encodable {
    let region: MapRegion

    private enum Key: String, CodingKey { case directory, isSystem }

    func encode(to encoder: any Encoder) throws {
        try region.information.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(region.directory, forKey: .directory)
        try container.encode(region.isSystem, forKey: .isSystem)
    }
}
