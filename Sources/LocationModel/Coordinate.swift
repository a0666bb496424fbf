/// A position on the WGS 84 ellipsoid.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north of the equator, −90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, −180 to 180.
    public let longitude: Double

    /// `nil` when either value is not a number or lies outside its range: such a position does not exist, and nobody
    /// down the road should have to ask.
    public init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}
