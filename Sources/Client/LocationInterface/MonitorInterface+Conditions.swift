package import LocationConditions
import LocationModel

// The values of `LocationConditions` as the types of `org.locationd.Monitor`, and back.

extension GeographicCondition {
    /// A condition that was received. What is not valid is refused, and never guessed.
    package init(_ condition: MonitorInterface.Condition) throws(GeographicConditionError) {
        switch (condition.circle, condition.polygon) {
        case (let circle?, nil):
            self = .circle(
                try CircularGeographicCondition(
                    center: try Coordinate(conditionLatitude: circle.latitude, longitude: circle.longitude),
                    radius: circle.radius))
        case (nil, let polygon?):
            var holes: [[Coordinate]] = []
            for hole in polygon.holes ?? [] { holes.append(try Self.ring(hole.ring)) }
            self = .polygon(try PolygonGeographicCondition(ring: try Self.ring(polygon.ring), holes: holes))
        case (nil, nil), (_?, _?): throw .notOneShape
        }
    }

    private static func ring(_ points: [MonitorInterface.Point]) throws(GeographicConditionError) -> [Coordinate] {
        // Before anything is computed of the points.
        guard points.count <= PolygonGeographicCondition.mostPoints else { throw .tooManyPoints(points.count) }
        var ring: [Coordinate] = []
        for point in points {
            ring.append(try Coordinate(conditionLatitude: point.latitude, longitude: point.longitude))
        }
        return ring
    }
}

extension MonitorInterface.Condition {
    /// A condition to be sent.
    package init(_ condition: GeographicCondition) {
        self.init()
        switch condition {
        case .circle(let shape):
            circle = MonitorInterface.Circle(
                latitude: shape.center.latitude, longitude: shape.center.longitude, radius: shape.radius)
        case .polygon(let shape):
            func points(_ ring: [Coordinate]) -> [MonitorInterface.Point] {
                ring.map { MonitorInterface.Point(latitude: $0.latitude, longitude: $0.longitude) }
            }
            polygon = MonitorInterface.Polygon(
                ring: points(shape.ring),
                holes: shape.holes.isEmpty ? nil : shape.holes.map { MonitorInterface.Hole(ring: points($0)) })
        }
    }
}

extension ConditionState {
    /// A state that was received.
    package init(_ state: MonitorInterface.State) {
        self =
            switch state {
            case .unknown: .unknown
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            }
    }
}

extension MonitorInterface.State {
    /// A state to be sent.
    package init(_ state: ConditionState) {
        self =
            switch state {
            case .unknown: .unknown
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            }
    }
}
