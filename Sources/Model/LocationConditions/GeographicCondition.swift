package import LocationModel

/// A condition of either shape.
package enum GeographicCondition: Hashable, Sendable {
    /// Satisfied within a circle.
    case circle(CircularGeographicCondition)
    /// Satisfied inside a polygon.
    case polygon(PolygonGeographicCondition)

    /// The distance from `coordinate` to the border in metres, negative inside.
    package func signedDistance(from coordinate: Coordinate) -> Double {
        switch self {
        case .circle(let circle): circle.signedDistance(from: coordinate)
        case .polygon(let polygon): polygon.signedDistance(from: coordinate)
        }
    }

    /// The size that a fix's accuracy is compared with, in metres: the radius of the circle, or of the circle around the
    /// polygon.
    var size: Double {
        switch self {
        case .circle(let circle): circle.radius
        case .polygon(let polygon): polygon.size
        }
    }

    /// True if the distance of its border by the angle to its middle is wrong by more than some tens of metres.
    var hasVagueBound: Bool {
        switch self {
        case .circle(let circle): circle.radius > 10_000
        case .polygon: true
        }
    }

    /// A value between 0 and the signed distance, with its sign: exact if `limit` metres or less, otherwise cheap and
    /// at most 0.6 % of the distance to the centre too small.
    func signedDistance(from coordinate: Coordinate, exactWithin limit: Double) -> Double {
        switch self {
        case .circle(let circle):
            let angle = MeanSphere.distance(from: coordinate.degrees, to: circle.center.degrees) / MeanSphere.radius
            let range = CurvatureBounds.distance(angle: angle)
            if range.lowerBound - circle.radius > limit { return range.lowerBound - circle.radius }
            if range.upperBound - circle.radius < -limit { return range.upperBound - circle.radius }
        case .polygon(let polygon):
            let (center, capAngle) = polygon.cap
            let outside = CurvatureBounds.smallest * (UnitVector(at: coordinate).angle(to: center) - capAngle)
            if outside > limit { return outside }
        }
        return signedDistance(from: coordinate)
    }
}
