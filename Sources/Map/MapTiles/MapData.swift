import FoundationEssentials
import Glibc

/// The files of the page and the base map: a directory with `page/` and the archives of tiles, installed by the package
/// locationd-map.
public struct MapData: Sendable {
    /// The path of the directory.
    public let directory: String

    /// An error: the map data are not installed.
    public struct Missing: Error, CustomStringConvertible {
        /// The directories that were searched.
        public let places: [String]

        /// A sentence for people with the error and its remedy.
        public var description: String {
            "The map's page and data are not installed: install the package locationd-map, or name their directory in "
                + "$LOCATIOND_MAP_DATA. They were looked for in \(places.joined(separator: ", "))."
        }
    }

    /// Finds the map data.
    ///
    /// - Parameter directory: The directory; `nil`, the default, for the one in the environment variable
    ///   `LOCATIOND_MAP_DATA`, or else the one installed with this program or with the system, or else the one of the
    ///   program's build.
    public init(directory: String? = nil) throws(Missing) {
        let places = directory.map { [$0] } ?? Self.usualPlaces
        guard let place = places.first(where: { access("\($0)/page/index.html", R_OK) == 0 }) else {
            throw Missing(places: places)
        }
        self.directory = place
    }

    /// Returns the directory with tilemaker's configuration for streets.
    package static func streets() throws(Missing) -> String {
        let places = usualPlaces
        guard let place = places.first(where: { access("\($0)/streets/process.lua", R_OK) == 0 }) else {
            throw Missing(places: places)
        }
        return "\(place)/streets"
    }

    /// The directories to search, of which the first with the data counts.
    static var usualPlaces: [String] {
        if let named = getenv("LOCATIOND_MAP_DATA").flatMap({ String(validatingCString: $0) }) { return [named] }
        var places: [String] = []
        // The ancestor of /usr/bin/x and /usr/libexec/locationd/x is /usr; that of .build/x/debug/x is .build.
        var ancestor = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        for _ in 0..<4 {
            guard let slash = ancestor.lastIndex(of: "/") else { break }
            ancestor = String(ancestor[..<slash])
            places.append(ancestor.hasSuffix("/.build") ? "\(ancestor)/map" : "\(ancestor)/share/locationd/map")
        }
        return (places + ["/usr/local/share/locationd/map", "/usr/share/locationd/map"])
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns the paths of the archives, by name.
    package func archives() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".mbtiles") }.sorted()
            .map { "\(directory)/\($0)" }
    }
}
