package import LocationConditions
package import LocationModel
package import LocationPolicy

/// The name of a condition among those of its client.
package struct ConditionName: Hashable, Sendable {
    /// The name of the monitor, which the program has chosen.
    package var monitor: String
    /// The identifier within the monitor.
    package var identifier: String

    /// A name.
    package init(_ monitor: String, _ identifier: String) { (self.monitor, self.identifier) = (monitor, identifier) }
}

/// The last state of a condition, as it is reported to its program.
package struct ConditionReport: Hashable, Sendable {
    /// The condition.
    package var name: ConditionName
    /// Its state.
    package var state: ConditionState
    /// The time of the change to it, or of the condition's addition.
    package var date: Timestamp
    /// True once it was reported to the program.
    package var isTold: Bool

    /// A state.
    package init(_ name: ConditionName, _ state: ConditionState, since date: Timestamp, isTold: Bool) {
        (self.name, self.state, self.date, self.isTold) = (name, state, date, isTold)
    }
}

/// A condition that a client has watched.
package struct StoredCondition: Hashable, Sendable {
    /// The client and its user.
    package var key: ClientKey
    /// The shape.
    package var condition: GeographicCondition
    /// The last state.
    package var report: ConditionReport

    /// A condition.
    package init(_ key: ClientKey, _ condition: GeographicCondition, _ report: ConditionReport) {
        (self.key, self.condition, self.report) = (key, condition, report)
    }
}

/// A visit that lasts, or that its client has not been told of.
package struct StoredVisit: Hashable, Sendable {
    /// The client and its user.
    package var key: ClientKey
    /// The visit.
    package var visit: Visit
    /// True once its arrival or, if it has ended, its departure was reported to the program.
    package var isTold: Bool

    /// A visit.
    package init(_ key: ClientKey, _ visit: Visit, isTold: Bool) {
        (self.key, self.visit, self.isTold) = (key, visit, isTold)
    }
}

extension GeographicCondition {
    /// The shape as text: `circle LATITUDE LONGITUDE RADIUS` or `polygon LATITUDE LONGITUDE …`, whose rings are separated
    /// by semicolons.
    var text: String {
        switch self {
        case .circle(let circle): "circle \(circle.center.latitude) \(circle.center.longitude) \(circle.radius)"
        case .polygon(let polygon):
            "polygon "
                + ([polygon.ring] + polygon.holes).map { ring in
                    ring.map { "\($0.latitude) \($0.longitude)" }.joined(separator: " ")
                }.joined(separator: ";")
        }
    }

    /// The shape that a text stands for; `nil` unless it is a valid one.
    init?(text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "circle":
            let numbers = words[1].split(separator: " ").compactMap { Double($0) }
            guard numbers.count == 3, let center = Coordinate(latitude: numbers[0], longitude: numbers[1]),
                let circle = try? CircularGeographicCondition(center: center, radius: numbers[2])
            else { return nil }
            self = .circle(circle)
        case "polygon":
            var rings: [[Coordinate]] = []
            for ring in words[1].split(separator: ";") {
                guard let ring = Self.ring(ring) else { return nil }
                rings.append(ring)
            }
            guard let outer = rings.first,
                let polygon = try? PolygonGeographicCondition(ring: outer, holes: Array(rings.dropFirst()))
            else { return nil }
            self = .polygon(polygon)
        default: return nil
        }
    }

    private static func ring(_ text: Substring) -> [Coordinate]? {
        let numbers = text.split(separator: " ").map { Double($0) }
        guard numbers.count.isMultiple(of: 2) else { return nil }
        var ring: [Coordinate] = []
        for index in stride(from: 0, to: numbers.count, by: 2) {
            guard let latitude = numbers[index], let longitude = numbers[index + 1],
                let point = Coordinate(latitude: latitude, longitude: longitude)
            else { return nil }
            ring.append(point)
        }
        return ring
    }
}
