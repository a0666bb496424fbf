import FoundationEssentials
import Glibc
public import LocationModel
import POSIXSupport

/// An installed part of the world with streets and places: a directory with `tiles.mbtiles`, `places.sqlite` and
/// `region.json`.
public struct MapRegion: Hashable, Sendable {
    /// The path of the directory.
    public let directory: String
    /// True if the region belongs to the machine, false if it is the user's own.
    public let isSystem: Bool
    /// The contents of `region.json`.
    public let information: RegionInformation
    /// The path of its tiles.
    public let tilesPath: String

    /// The name.
    public var name: String { information.name }
    /// The path of its search index; `nil` for an imported archive of tiles, which has none.
    public var placesPath: String? {
        let path = "\(directory)/\(Self.placesFile)"
        return access(path, R_OK) == 0 ? path : nil
    }

    /// True if the coordinate is within the region's bounds.
    public func contains(_ position: Coordinate) -> Bool {
        let bounds = information.bounds
        return (bounds[0]...bounds[2]).contains(position.longitude)
            && (bounds[1]...bounds[3]).contains(position.latitude)
    }

    /// An error: a directory is not a readable region.
    public struct Damaged: Error, Hashable, Sendable, CustomStringConvertible {
        /// The path of the directory.
        public let directory: String
        /// The fault.
        public let reason: String

        /// A sentence for people with the error and its remedy.
        public var description: String {
            "\(directory) is no region that can be read: \(reason). Remove it with `locationctl map remove`, and add it again."
        }
    }

    package static let informationFile = "region.json"
    /// The greatest size of `region.json`, in bytes.
    private static let informationLimit = 64 << 10
    package static let tilesFile = "tiles.mbtiles"
    package static let placesFile = "places.sqlite"

    /// Reads the region in `directory`. Throws ``Damaged`` if it cannot.
    public init(directory: String, isSystem: Bool = false) throws(Damaged) {
        func damaged(_ reason: String) -> Damaged { Damaged(directory: directory, reason: reason) }
        guard let bytes = try? SmallFile.read("\(directory)/\(Self.informationFile)", limit: Self.informationLimit)
        else {
            throw damaged("it has no \(Self.informationFile)")
        }
        guard var information = try? JSONDecoder().decode(RegionInformation.self, from: Data(bytes)),
            TileMetadata.bounds(information.bounds) != nil, information.isPlausible
        else { throw damaged("its \(Self.informationFile) is damaged") }
        tilesPath = "\(directory)/\(Self.tilesFile)"
        guard access(tilesPath, R_OK) == 0 else { throw damaged("it has no tiles") }
        // The directory may have been renamed.
        information.name = directory.split(separator: "/").last.map(String.init) ?? information.name
        self.directory = directory
        self.isSystem = isSystem
        self.information = information
    }

    /// True if `word` can be the name of a region, and so of a directory and a source of tiles.
    public static func isName(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.count <= 64 && word.first != "." && word.first != "-"
            && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    }
}
