/// An overlay as the page draws it.
struct WireOverlay: Encodable, Hashable {
    enum Kind: String, Encodable { case shape, tiles, image }

    var id: String
    var kind: Kind
    var level: OverlayLevel
    /// The order of drawing: lower numbers first.
    var order: Int
    var alpha: Double
    /// Grows with each change of what the overlay is, not of how it looks.
    var revision: Int
    var title: String?
    var subtitle: String?

    // Of shapes.
    var geometry: WireGeometry?
    /// The address of the geometry, if it is too long to be sent with the rest.
    var data: String?
    var fill: String?
    var stroke: String?
    var width: Double?
    var dash: [Double]?
    var cap: LineCap?
    var join: LineJoin?

    // Of tiles.
    var tiles: String?
    var tileSize: Int?
    var minimumZoom: Int?
    var maximumZoom: Int?
    var replacesMap: Bool?

    // Of images.
    var image: String?
    /// The corners from the top left clockwise.
    var corners: [WirePosition]?
}

/// A geometry of GeoJSON (RFC 7946).
enum WireGeometry: Encodable, Hashable {
    case lines([[WirePosition]])
    /// Each with its rings: the outer one first, then those that are left out.
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

    /// New, or in place of one with the same id.
    var set: [WireOverlay] = []
    var removed: [String] = []
    /// The points by which a line has grown.
    var append: [Appended] = []

    var isEmpty: Bool { self.set.isEmpty && removed.isEmpty && append.isEmpty }
}
