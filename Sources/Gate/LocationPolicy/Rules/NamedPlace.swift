public import LocationModel

/// A place of a user, for rules.
public struct NamedPlace: Hashable, Sendable {
    /// The range of the radius in metres.
    public static let radii = 50.0...50_000

    /// The name, such as `home`.
    public let name: String
    /// The centre.
    public let center: Coordinate
    /// The radius in metres, 50 to 50000.
    public let radius: Double

    /// A place, or `nil` for a radius out of range or NaN.
    public init?(name: String, center: Coordinate, radius: Double) {
        guard Self.radii.contains(radius) else { return nil }
        (self.name, self.center, self.radius) = (name, center, radius)
    }
}
