/// A feature of GeoJSON (RFC 7946): a point or, with several positions, a line.
package struct GeoJSONFeature<Properties: Encodable>: Encodable {
    private let positions: [[Double]]
    private let properties: Properties

    /// - Parameter positions: longitude, latitude and, where it is known, the height above the ellipsoid; at least one.
    package init(_ positions: [[Double]], _ properties: Properties) {
        (self.positions, self.properties) = (positions, properties)
    }

    private enum CodingKeys: CodingKey { case type, geometry, coordinates, properties }

    package func encode(to encoder: any Encoder) throws {
        var feature = encoder.container(keyedBy: CodingKeys.self)
        try feature.encode("Feature", forKey: .type)
        try feature.encode(properties, forKey: .properties)
        var geometry = feature.nestedContainer(keyedBy: CodingKeys.self, forKey: .geometry)
        try geometry.encode(positions.count == 1 ? "Point" : "LineString", forKey: .type)
        if positions.count == 1 {
            try geometry.encode(positions[0], forKey: .coordinates)
        } else {
            try geometry.encode(positions, forKey: .coordinates)
        }
    }
}

/// A collection of features of GeoJSON.
package struct GeoJSONCollection<Properties: Encodable>: Encodable {
    private var type = "FeatureCollection"
    private let features: [GeoJSONFeature<Properties>]

    package init(_ features: [GeoJSONFeature<Properties>]) { self.features = features }
}
