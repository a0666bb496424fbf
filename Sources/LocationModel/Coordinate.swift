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

    /// The position at `latitude`, brought into −90 to 90, and at `longitude`, turned by full circles into −180 to 180.
    ///
    /// For results of arithmetic that rounding or the 180th meridian may have carried out of range. What is not finite
    /// reads as 0.
    public init(clampingLatitude latitude: Double, wrappingLongitude longitude: Double) {
        self.latitude = latitude.isFinite ? min(max(latitude, -90), 90) : 0
        if (-180...180).contains(longitude) {
            self.longitude = longitude
        } else {
            self.longitude = longitude.isFinite ? longitude.remainder(dividingBy: 360) : 0
        }
    }
}
