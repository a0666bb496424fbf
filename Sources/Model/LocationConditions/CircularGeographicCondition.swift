public import LocationModel

/// A condition that is satisfied within a circle. Named after Core Location's `CLMonitor.CircularGeographicCondition`.
public struct CircularGeographicCondition: Hashable, Sendable {
    /// The possible radii, in metres: 1 m to 10,000 km, which is a hemisphere.
    public static let radii = 1.0...10_000_000

    /// The centre.
    public let center: Coordinate
    /// The radius in metres, 1 to 10,000,000, along the shortest path on the ellipsoid.
    public let radius: Double

    /// Creates a circle.
    ///
    /// - Throws: ``GeographicConditionError`` with the code `invalidRadius` if `radius` is NaN or outside ``radii``.
    public init(center: Coordinate, radius: Double) throws(GeographicConditionError) {
        guard Self.radii.contains(radius) else {
            throw GeographicConditionError(
                .invalidRadius, "The radius of a circular condition is out of range. Use 1 to 10,000,000 metres.")
        }
        self.center = center
        self.radius = radius
    }

    /// Returns the distance from `coordinate` to the border in metres, negative inside.
    ///
    /// Accurate to a millimetre, and to 0.6 % within half a degree of the antipode (`Coordinate.distance(to:)`).
    public func signedDistance(from coordinate: Coordinate) -> Double {
        center.distance(to: coordinate) - radius
    }
}
