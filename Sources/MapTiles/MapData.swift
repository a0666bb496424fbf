import FoundationEssentials
import Glibc

/// The files of the page and the map data that come with it: a directory with `page/` and the archives of tiles.
public struct MapData: Sendable {
    /// The directory.
    public let directory: String

    /// Why there is none.
    public struct Missing: Error, CustomStringConvertible {
        /// Where it was looked for.
        public let places: [String]

        /// The remedy, in sentences.
        public var description: String {
            "The map's page and data are not installed: install the package locationd-map, or name their directory in "
                + "$LOCATIOND_MAP_DATA. They were looked for in \(places.joined(separator: ", "))."
        }
    }

    /// The data in `directory`, or where it is not given, in the one that `$LOCATIOND_MAP_DATA` names, else in the one that is
    /// installed with this program or with the system, else in that of the build that the program comes from.
    public init(directory: String? = nil) throws(Missing) {
        let places = directory.map { [$0] } ?? Self.usualPlaces
        guard let place = places.first(where: { access("\($0)/page/index.html", R_OK) == 0 }) else {
            throw Missing(places: places)
        }
        self.directory = place
    }

    /// The directory with tilemaker's configuration for streets, beside the rest.
    package static func streets() throws(Missing) -> String {
        let places = usualPlaces
        guard let place = places.first(where: { access("\($0)/streets/process.lua", R_OK) == 0 }) else {
            throw Missing(places: places)
        }
        return "\(place)/streets"
    }

    /// Where the data may be, the first that has them counts.
    static var usualPlaces: [String] {
        if let named = getenv("LOCATIOND_MAP_DATA").flatMap({ String(validatingCString: $0) }) { return [named] }
        var places: [String] = []
        // /usr/bin/x and /usr/libexec/locationd/x belong to /usr; .build/x/debug/x to .build.
        var ancestor = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        for _ in 0..<4 {
            guard let slash = ancestor.lastIndex(of: "/") else { break }
            ancestor = String(ancestor[..<slash])
            places.append(ancestor.hasSuffix("/.build") ? "\(ancestor)/map" : "\(ancestor)/share/locationd/map")
        }
        return (places + ["/usr/local/share/locationd/map", "/usr/share/locationd/map"])
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The archives, in the order of their names.
    package func archives() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".mbtiles") }.sorted()
            .map { "\(directory)/\($0)" }
    }
}
