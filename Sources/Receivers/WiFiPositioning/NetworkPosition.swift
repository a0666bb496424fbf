package import LocationModel

/// A position according to a server.
package struct NetworkPosition: Hashable, Sendable {
    /// The center.
    package let coordinate: Coordinate
    /// The radius around `coordinate` that contains the machine with 68 % probability, in metres.
    package let horizontalAccuracy: Double

    /// The smallest radius: the positions of routers are not known better.
    package static let smallestRadius = 30.0
    /// The largest that a position by Wi-Fi has. A larger one is that of a radio cell or of an Internet address.
    package static let largestRadius = 10_000.0
    /// The radius of 68 % of a circle that contains 95 %, of a normal distribution: √(ln 0.32 / ln 0.05).
    private static let share = 0.617

    /// A position as a server has told it; `nil` if it cannot be one by Wi-Fi.
    ///
    /// - Parameter accuracy: the radius of 95 % in metres.
    package init?(latitude: Double, longitude: Double, accuracy: Double) {
        guard accuracy.isFinite, accuracy > 0, accuracy <= Self.largestRadius,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        self.coordinate = coordinate
        horizontalAccuracy = max(Self.smallestRadius, accuracy * Self.share)
    }

    private init(coordinate: Coordinate, horizontalAccuracy: Double) {
        (self.coordinate, self.horizontalAccuracy) = (coordinate, horizontalAccuracy)
    }

    /// The same position for a place where only some of its access points are received: further away than where all are, and still
    /// within the reach of Wi-Fi.
    package var widened: NetworkPosition {
        NetworkPosition(coordinate: coordinate, horizontalAccuracy: max(horizontalAccuracy, 500))
    }
}
