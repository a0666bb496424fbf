import LocationModel

/// An extent on the flat map, in map points.
public struct MapSize: Codable, Hashable, Sendable {
    /// The extent from west to east.
    public var width: Double
    /// The extent from north to south.
    public var height: Double

    /// Creates an extent of `width` by `height` map points.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The extent of the whole world: 2²⁸ points each way, as in MapKit.
    public static let world = MapSize(width: 268_435_456, height: 268_435_456)

    /// The latitude at the northern edge of the map, where Web Mercator's world is as high as wide: atan(sinh π), in
    /// degrees.
    public static let maximumLatitude = 85.051_128_779_806_6

    /// The length of WGS 84's equator, in metres: 2π times its semi-major axis.
    static let equator = 2 * Double.pi * WGS84.semiMajorAxis
}
