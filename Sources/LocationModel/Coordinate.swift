/// A position on the WGS 84 ellipsoid.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north of the equator, −90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, −180 to 180.
    public let longitude: Double

    /// Creates a coordinate, or returns `nil` when a value is NaN or out of range, so that every `Coordinate` is a
    /// valid one.
    public init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Creates a coordinate from any values: clamps `latitude` to −90…90 and wraps `longitude` into −180…180.
    ///
    /// For results of arithmetic that rounding or crossing the 180th meridian may have carried out of range. Values
    /// that are not finite read as 0.
    public init(clampingLatitude latitude: Double, wrappingLongitude longitude: Double) {
        self.latitude = latitude.isFinite ? min(max(latitude, -90), 90) : 0
        if (-180...180).contains(longitude) {
            self.longitude = longitude
        } else {
            self.longitude = longitude.isFinite ? longitude.remainder(dividingBy: 360) : 0
        }
    }
}
