import LocationModel
import LocationPolicy

/// A coordinate with its accuracy, and its placement relative to the places of users, computed once for each user.
///
/// Everything that is released refers to the position that rules about places look at: an exact location to its own, a reduced one to
/// that of the location from which it was made. Confined to the event loop.
package final class Position {
    let coordinate: Coordinate
    /// The horizontal accuracy in metres; `nil` if unknown.
    private let accuracy: Double?
    /// The placements by user, with the version of the user's places.
    private var placements: [UInt32: (version: Int, placements: [String: Placement])] = [:]

    init(_ coordinate: Coordinate, accuracy: Double?) { (self.coordinate, self.accuracy) = (coordinate, accuracy) }

    /// The placement relative to each place of a user, by name.
    func placements(in rules: UserRules) -> [String: Placement] {
        if let known = placements[rules.userID], known.version == rules.placesVersion { return known.placements }
        let found = rules.zones.mapValues { $0.placement(of: coordinate, accuracy: accuracy) }
        placements[rules.userID] = (rules.placesVersion, found)
        return found
    }
}
