import Glibc
public import LocationModel

/// The indexes of places that are installed: those of regions, the user's first, and the world's last.
public struct InstalledPlaces: Hashable, Sendable {
    /// The name of the file of the world's places, in a directory of map data.
    public static let worldFile = "world.places"

    /// The files, in the order in which they are to be searched.
    public let paths: [String]
    /// True if only the world's towns are installed, without the streets and shops of any region.
    public let isWorldOnly: Bool

    /// Why there are none.
    public struct Missing: Error, CustomStringConvertible {
        /// Where the world's was looked for.
        public let places: [String]

        /// The remedy, in sentences.
        public var description: String {
            "No places are installed to search in. For those of the world install the package locationd-map; for streets and "
                + "shops add an extract of OpenStreetMap by `locationctl map add`. The world's were looked for in "
                + "\(places.joined(separator: ", "))."
        }
    }

    /// The indexes of `regions`, and the world's where it is installed. Takes as long as listing a few directories.
    ///
    /// - Parameters:
    ///   - position: Where something is looked up: only regions that contain it count. `nil` for all.
    ///   - data: The directory of the map data; `nil` for those of this program or of the system.
    /// - Throws: ``Missing`` where there are neither regions nor the world's.
    public init(
        regions: MapRegions = MapRegions(), around position: Coordinate? = nil, data: String? = nil
    ) throws(Missing) {
        let world = Self.worlds(data)
        let ofRegions =
            regions.installed().regions.filter { region in position.map { region.contains($0) } ?? true }
            .compactMap(\.placesPath)
        let found = ofRegions + world.filter { access($0, R_OK) == 0 }.prefix(1)
        guard !found.isEmpty else { throw Missing(places: world) }
        paths = found
        isWorldOnly = ofRegions.isEmpty
    }

    /// A value that changes when a region or the world's places come or go. Opens no file.
    package static func fingerprint(regions: MapRegions, data: String?) -> [FileMark] {
        regions.fingerprint + worlds(data).map { FileMark($0) }
    }

    /// Where the world's places may be, the first that is there counts.
    private static func worlds(_ data: String?) -> [String] {
        (data.map { [$0] } ?? MapData.usualPlaces).map { "\($0)/\(worldFile)" }
    }
}
