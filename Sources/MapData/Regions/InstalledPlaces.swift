import Glibc

/// The indexes of places that are installed: those of regions, the user's first, and the world's last.
public struct InstalledPlaces: Hashable, Sendable {
    /// The name of the file of the world's places, in a directory of map data.
    public static let worldFile = "world.places"

    /// The files, in the order in which they are to be searched.
    public let paths: [String]

    /// Why there are none.
    public struct Missing: Error, CustomStringConvertible {
        /// Where the world's was looked for.
        public let places: [String]

        /// What to do.
        public var description: String {
            "No places are installed to search in. For those of the world install the package locationd-map; for streets and "
                + "shops add an extract of OpenStreetMap by `locationctl map add`. The world's were looked for in "
                + "\(places.joined(separator: ", "))."
        }
    }

    /// Those of `regions`, and of the world where it is installed with this program or with the system. Takes as long as
    /// listing a few directories.
    public init(regions: MapRegions = MapRegions()) throws(Missing) {
        let world = MapData.usualPlaces.map { "\($0)/\(Self.worldFile)" }
        let found =
            regions.installed().regions.compactMap(\.placesPath)
            + world.filter { access($0, R_OK) == 0 }.prefix(1)
        guard !found.isEmpty else { throw Missing(places: world) }
        paths = found
    }
}
