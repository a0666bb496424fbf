import ArgumentParser
import CommandLineSupport
import LocationInterface

@main
struct LocationctlMap: AsyncParsableCommand {
    static func main() async {
        DispatchLog.switchOff()
        // `locationctl privacy` is this program, too: it has the same server.
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == "privacy" { await PrivacyShow.main(Array(words.dropFirst())) } else { await main(nil) }
    }

    static let configuration = CommandConfiguration(
        commandName: "locationctl map",
        abstract: "Show where you are on a map, live, in a browser.",
        discussion: """
            Without the name of another command it shows the map: `locationctl map --open` opens it in the browser of this session, \
            `locationctl map walk.gpx` shows a recorded track, and `locationctl map show --help` lists the options. Streets are \
            drawn of the regions that are installed, each from an OpenStreetMap extract: `locationctl map add berlin.osm.pbf`.
            """,
        version: serviceVersion, subcommands: [MapShow.self, MapAdd.self, MapList.self, MapInfo.self, MapRemove.self],
        defaultSubcommand: MapShow.self)
}
