package import LocationModel

/// A named circle that raises an alarm when a vehicle enters or leaves it.
package struct FleetArea: Hashable, Sendable {
    /// The possible radii, in metres.
    package static let radii = 20.0...100_000
    /// The greatest number of areas.
    package static let mostAreas = 100
    /// The longest name and the longest search text, in bytes.
    package static let longestText = 400
    /// The longest identifier, in bytes.
    package static let longestID = 64
    /// The accuracy of a position without one, in metres: OwnTracks' apps leave it out when they know none.
    private static let usualAccuracy = 10.0
    /// The distance from the border that gives the side, as a multiple of the accuracy: 99.9 % of the positions of a vehicle on the
    /// border are nearer.
    private static let doubt = 2.0

    /// What identifies it in the file and on pages.
    package let id: String
    /// The name, as the user wrote it.
    package let name: String
    /// The centre.
    package let center: Coordinate
    /// The radius in metres, within ``radii``.
    package let radius: Double
    /// The text that the names of its vehicles contain; empty for all vehicles.
    package let search: String

    /// An area; `nil` if a value is outside of its limits.
    package init?(id: String, name: String, center: Coordinate, radius: Double, search: String = "") {
        guard (1...Self.longestID).contains(id.utf8.count), (1...Self.longestText).contains(name.utf8.count),
            !name.allSatisfy(\.isWhitespace), search.utf8.count <= Self.longestText, Self.radii.contains(radius)
        else { return nil }
        (self.id, self.name, self.center, self.radius, self.search) = (id, name, center, radius, search)
    }

    /// True if a position is inside, false if it is outside, `nil` if it is too uncertain to decide.
    ///
    /// It is outside from twice its accuracy beyond the border, and inside from as far within it, or from half the radius if that is
    /// less and the accuracy is better. Between the two a vehicle stays where it was, so that one that stands on the border raises no
    /// alarm after another.
    package func contains(_ location: Location) -> Bool? {
        let accuracy = location.horizontalAccuracy ?? Self.usualAccuracy
        let distance = distanceFromBorder(location.coordinate, exactWithin: Self.doubt * accuracy)
        if distance > Self.doubt * accuracy { return false }
        guard accuracy <= radius / 2 else { return nil }
        return distance < -min(Self.doubt * accuracy, radius / 2) ? true : nil
    }

    /// The distance in metres, negative inside: exact if it is less than `limit`, otherwise on a sphere, at a tenth of the cost.
    private func distanceFromBorder(_ coordinate: Coordinate, exactWithin limit: Double) -> Double {
        let rough = MeanSphere.distance(from: center.degrees, to: coordinate.degrees)
        // The sphere's distances are within 0.6 %.
        if abs(rough - radius) > limit + 0.01 * rough { return rough - radius }
        return center.distance(to: coordinate) - radius
    }
}

/// A vehicle that has entered or left an area.
package struct FleetAlarm: Hashable, Sendable {
    /// What has happened.
    package enum Kind: String, Hashable, Sendable, Encodable {
        case entered
        case left
    }

    /// The greatest number of alarms that wait to be shown.
    package static let mostKept = 100

    /// What has happened.
    package let kind: Kind
    /// The area, as it was then.
    package let area: FleetArea
    /// The vehicle, with the first position on the other side.
    package let vehicle: Vehicle

    /// The time of that position.
    package var time: Timestamp { vehicle.position.location.timestamp }
}

extension Vehicle {
    /// Takes in its position, and returns the areas that it has entered or left.
    ///
    /// - Parameter isFirst: true if nothing is known of where it was before, so that it has entered none of those in which it is.
    mutating func enter(_ areas: [FleetArea], isFirst: Bool) -> [FleetAlarm] {
        var alarms: [FleetAlarm] = []
        for area in areas {
            guard let isInside = area.contains(position.location) else {
                if isFirst { undecided.insert(area.id) }
                continue
            }
            let wasUndecided = undecided.remove(area.id) != nil
            guard isInside != inside.contains(area.id) else { continue }
            if isInside { inside.insert(area.id) } else { inside.remove(area.id) }
            guard !isFirst, !wasUndecided, area.search.isEmpty || matches(area.search) else { continue }
            alarms.append(FleetAlarm(kind: isInside ? .entered : .left, area: area, vehicle: self))
        }
        return alarms
    }

    mutating func forget(_ ids: Set<String>) {
        inside.subtract(ids)
        undecided.subtract(ids)
    }
}
