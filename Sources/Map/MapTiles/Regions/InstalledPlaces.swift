import Glibc
public import LocationModel

/// The installed place indexes: those of regions, the user's first, and the world's last.
public struct InstalledPlaces: Hashable, Sendable {
    /// The name of the world's index in a directory of map data.
    public static let worldFile = "world.places"

    /// The paths of the indexes, in the order of search.
    public let paths: [String]
    /// True if only the world's towns are installed, without the streets and shops of any region.
    public let isWorldOnly: Bool

    /// An error: no place index is installed.
    public struct Missing: Error, CustomStringConvertible {
        /// A sentence for people with the error and its remedy.
        public var description: String {
            "No places are installed. The towns of the world are in the package locationd-map. To search the streets and shops of "
                + "a region, run: locationctl map add REGION.osm.pbf"
        }
    }

    /// Finds the indexes of `regions`, and the world's if it is installed. Takes as long as listing a few directories.
    ///
    /// - Parameters:
    ///   - position: A coordinate that the regions must contain; `nil` for all regions.
    ///   - data: The directory of the map data; `nil` for that of this program or of the system.
    /// - Throws: ``Missing`` if there is no index at all.
    public init(
        regions: MapRegions = MapRegions(), around position: Coordinate? = nil, data: String? = nil
    ) throws(Missing) {
        let world = Self.worlds(data)
        let ofRegions =
            regions.installed().regions.filter { region in position.map { region.contains($0) } ?? true }
            .compactMap(\.placesPath)
        let found = ofRegions + world.filter { access($0, R_OK) == 0 }.prefix(1)
        guard !found.isEmpty else { throw Missing() }
        paths = found
        isWorldOnly = ofRegions.isEmpty
    }

    /// Returns a value that changes when an index is installed or removed. Opens no file.
    package static func fingerprint(regions: MapRegions, data: String?) -> [FileMark] {
        regions.fingerprint + worlds(data).map { FileMark($0) }
    }

    /// Returns the paths of the world's index to search, of which the first existing one counts.
    private static func worlds(_ data: String?) -> [String] {
        (data.map { [$0] } ?? MapData.usualPlaces).map { "\($0)/\(worldFile)" }
    }
}
