/// The position of a machine that does not move, as its administrator states it.
public struct FixedLocation: Hashable, Sendable {
    /// The possible altitudes, in metres above mean sea level.
    public static let altitudes = -11_000.0...100_000
    /// The possible accuracies, in metres.
    public static let accuracies = 0.01...1_000_000
    /// The accuracy of a position without one, in metres: a house and its garden.
    public static let defaultAccuracy = 50.0

    /// The position.
    public var coordinate: Coordinate
    /// The height above mean sea level, in metres; `nil` if unknown.
    public var altitude: Double?
    /// The radius around `coordinate` in which the machine is, in metres.
    public var horizontalAccuracy: Double

    /// A position.
    public init(
        coordinate: Coordinate, altitude: Double? = nil, horizontalAccuracy: Double = FixedLocation.defaultAccuracy
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
    }
}
