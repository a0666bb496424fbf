/// An overlay in the form for pages.
struct WireOverlay: Encodable, Hashable {
    enum Kind: String, Encodable { case shape, tiles, image }

    /// A colour at a position along a line, from 0 to 1.
    struct Stop: Encodable, Hashable {
        var location: Double
        var color: String
    }

    var id: String
    var kind: Kind
    var level: OverlayLevel
    /// The drawing order: lower numbers first.
    var order: Int
    var alpha: Double
    /// The revision of the geometry or picture; changes of the style do not count.
    var revision: Int
    var title: String?
    var subtitle: String?

    // Shapes.
    var geometry: WireGeometry?
    /// The address of the geometry, if it is sent separately.
    var data: String?
    var fill: String?
    var stroke: String?
    var width: Double?
    var dash: [Double]?
    var cap: LineCap?
    var join: LineJoin?
    /// The colours along a line, by ascending location.
    var gradient: [Stop]?
    /// The address of the profile of a line that can be clicked.
    var profile: String?
    /// The length of a line with a profile, in metres.
    var length: Double?
    /// True if the user may remove the overlay; `nil` if not.
    var isRemovable: Bool?

    // Tiles.
    var tiles: String?
    var tileSize: Int?
    var minimumZoom: Int?
    var maximumZoom: Int?
    var replacesMap: Bool?

    // Images.
    var image: String?
    /// The corners, clockwise from the top left.
    var corners: [WirePosition]?
}

/// A geometry of GeoJSON (RFC 7946).
enum WireGeometry: Encodable, Hashable {
    case lines([[WirePosition]])
    /// Polygons, each with its outer ring first, then the rings of its holes.
    case polygons([[[WirePosition]]])

    private enum Keys: String, CodingKey { case type, coordinates }

    /// The number of positions.
    var count: Int {
        switch self {
        case .lines(let lines): lines.reduce(0) { $0 + $1.count }
        case .polygons(let polygons): polygons.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Keys.self)
        switch self {
        case .lines(let lines) where lines.count == 1:
            try object.encode("LineString", forKey: .type)
            try object.encode(lines[0], forKey: .coordinates)
        case .lines(let lines):
            try object.encode("MultiLineString", forKey: .type)
            try object.encode(lines, forKey: .coordinates)
        case .polygons(let polygons) where polygons.count == 1:
            try object.encode("Polygon", forKey: .type)
            try object.encode(polygons[0], forKey: .coordinates)
        case .polygons(let polygons):
            try object.encode("MultiPolygon", forKey: .type)
            try object.encode(polygons, forKey: .coordinates)
        }
    }
}

/// A change of the overlays.
struct WireOverlayChanges: Encodable {
    struct Appended: Encodable {
        var id: String
        var coordinates: [WirePosition]
    }

    /// The overlays that are new, or that replace one with the same id.
    var set: [WireOverlay] = []
    var removed: [String] = []
    /// The points appended to a line.
    var append: [Appended] = []

    var isEmpty: Bool { self.set.isEmpty && removed.isEmpty && append.isEmpty }
}
