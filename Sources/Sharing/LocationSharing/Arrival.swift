package import LocationModel

/// A place of the user's, at which a share ends: as it was when the share started.
package struct Arrival: Codable, Hashable, Sendable {
    /// The name of the place.
    package var name: String
    private var latitude: Double
    private var longitude: Double
    private var radius: Double

    /// The side of the place's border on which a location is.
    package enum Side: Hashable, Sendable {
        case inside
        case outside
    }

    /// A place.
    ///
    /// - Parameter radius: in metres.
    package init(name: String, center: Coordinate, radius: Double) {
        (self.name, self.radius) = (name, radius)
        (latitude, longitude) = (center.latitude, center.longitude)
    }

    /// The side on which a location is; `nil` if its accuracy leaves that open.
    package func side(of location: Location) -> Side? {
        guard let center = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        let accuracy = location.horizontalAccuracy ?? ShareRecord.unknownAccuracy
        let distance = location.coordinate.distance(to: center)
        if distance <= radius { return accuracy <= radius ? .inside : nil }
        // Beyond what 95 % of errors explain.
        return distance - 2 * accuracy > radius ? .outside : nil
    }
}
