/// A file format for tracks, recognised by the suffix of the file's name.
public enum TrackFormat: Hashable, Sendable, CaseIterable {
    /// GPX 1.1: <https://www.topografix.com/GPX/1/1/>.
    case gpx
    /// GeoJSON: RFC 7946.
    case geoJSON

    /// The format of the file at `path` by its suffix, in any case; `nil` for another suffix.
    public init?(path: String) {
        let name = path.lowercased()
        guard let format = Self.allCases.first(where: { name.hasSuffix($0.suffix) }) else { return nil }
        self = format
    }

    /// `.gpx` or `.geojson`.
    public var suffix: String {
        switch self {
        case .gpx: ".gpx"
        case .geoJSON: ".geojson"
        }
    }

    static func of(_ path: String) throws(TrackError) -> TrackFormat {
        guard let format = TrackFormat(path: path) else {
            throw TrackError(file: path, reason: "the name of a track ends with .gpx or .geojson")
        }
        return format
    }
}
