import ArgumentParser
import CommandLineSupport
import FoundationEssentials
import Glibc
import MapTiles

/// The command `locationctl map add`.
struct MapAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Install the streets and places of a region.",
        discussion: """
            Takes OpenStreetMap extracts (.osm.pbf), of which tilemaker makes the map and osmium the search index, and archives of \
            vector tiles (.mbtiles), or directories of them. A region of a newer file with the same name takes the place \
            of the older one. Nothing leaves this machine. Maps that are open show the region when they are reloaded.
            """)

    @Argument(help: ArgumentHelp("The extract, the archive, or a directory of them.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("The name of the region. (default: the name of the file)", valueName: "name"))
    var name: String?

    @Flag(help: "Install it for all users of this machine; for root.")
    var system = false

    @Flag(help: ArgumentHelp("Print each percent of the progress as a line.", visibility: .hidden))
    var progress = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let name, !MapRegion.isName(name) {
            throw ValidationError("--name takes up to 64 letters, digits, hyphens, dots and underscores.")
        }
    }

    func run() throws {
        try RegionCommand.reportingErrors {
            let sources = try files.flatMap { path throws(RegionError) in try Self.sources(at: path) }
            guard name == nil || sources.count == 1 else {
                throw RegionError("--name names one region, and there are \(sources.count) files.")
            }
            try checkNames(sources.map(\.path))
            let parent = try RegionCommand.directory(isSystem: system)
            // A region of the machine is readable by everybody, even if root's umask is stricter.
            if system { umask(0o022) }
            let interruption = Interruption()
            defer { interruption.stop() }
            let maker = RegionMaker(parent: parent, interruption: interruption, reportsParts: progress)
            var failures: [RegionError] = []
            for (path, source) in sources {
                do {
                    let start = ContinuousClock.now
                    let name = name ?? RegionName.of(RegionMaker.file(path))
                    let information = try maker.make(name, of: path, source)
                    try output.say(information) { [Self.sentence(information, parent, start.duration(to: .now))] }
                } catch let error as RegionError {
                    // The remaining files are added all the same.
                    guard sources.count > 1 else { throw error }
                    Terminal.complain(error.description.shown(limit: 4096))
                    failures.append(error)
                }
            }
            if !failures.isEmpty {
                throw RegionError("\(failures.count) of \(sources.count) files were not added: see above.")
            }
        }
    }

    private func checkNames(_ paths: [String]) throws(RegionError) {
        let named = Dictionary(grouping: paths) { RegionName.of(RegionMaker.file($0)) }
        guard let (name, paths) = named.first(where: { $0.value.count > 1 }) else { return }
        throw RegionError(
            "\(paths.joined(separator: " and ")) would both be called \(name): add them one by one, with --name.")
    }

    /// Returns the file at a path, or the map files in a directory, by their names.
    private static func sources(at path: String) throws(RegionError) -> [(path: String, source: RegionSource)] {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw RegionError("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            let files: [String]
            do {
                files = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            } catch {
                throw RegionError("\(path) cannot be read: \(String(cString: strerror(errno))).")
            }
            let found = files.compactMap { file in
                file.hasPrefix(".") ? nil : RegionSource(file: file).map { ("\(path)/\(file)", $0) }
            }
            guard !found.isEmpty else { throw RegionError("\(path) has no .osm.pbf or .mbtiles in it.") }
            return found
        }
        guard let source = RegionSource(file: path) else {
            throw RegionError(
                "\(path) is neither .osm.pbf nor .mbtiles. To convert other forms of OpenStreetMap data, run: "
                    + "osmium cat FILE -o FILE.osm.pbf. To convert PMTiles, run: tile-join -o FILE.mbtiles FILE.pmtiles"
            )
        }
        return [(path, source)]
    }

    private static func sentence(_ region: RegionInformation, _ parent: String, _ time: Duration) -> String {
        let places = region.places.map { ", \($0) places to find" } ?? ""
        return
            "Added \(region.name): \(HumanReadable.size(region.tilesSize + (region.placesSize ?? 0)))\(places), in \(parent), after "
            + "\(HumanReadable.time(time / .seconds(1))). `locationctl map` shows it; maps that are open, when they are reloaded."
    }
}

/// The parts shared by the commands for regions.
enum RegionCommand {
    /// Runs a command; prints an error as a sentence, and ends the program.
    static func reportingErrors(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as RegionError {
            Terminal.complain(error.description.shown(limit: 4096))
            throw Exit.failure
        }
    }

    /// Returns the directory of regions.
    static func directory(isSystem: Bool) throws(RegionError) -> String {
        if isSystem { return MapRegions.systemDirectory }
        guard let directory = MapRegions().userDirectory else {
            throw RegionError("You have no home directory for regions: set XDG_DATA_HOME, or use --system.")
        }
        return directory
    }

    /// Returns the region with a name; with `isSystem`, only one of the machine.
    static func find(_ name: String, isSystem: Bool) throws(RegionError) -> MapRegion {
        let all = MapRegions()
        let regions = isSystem ? MapRegions(userDirectory: nil, systemDirectory: all.systemDirectory) : all
        let installed = regions.installed().regions
        if let region = installed.first(where: { $0.name == name }) { return region }
        let names = installed.map(\.name).joined(separator: ", ")
        throw RegionError(
            "There is no region called \(name.quoted(limit: 80)). \(names.isEmpty ? "None is installed." : "There are: \(names).")"
        )
    }
}
