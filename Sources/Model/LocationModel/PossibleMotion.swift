/// The limits of what a user can have moved between two fixes. A longer way is an error of the receiver, or its correction.
package enum PossibleMotion {
    /// True if somebody can have moved this far in that time: with a measured speed not much faster than at that speed,
    /// without one at up to 400 m/s.
    ///
    /// - Parameters:
    ///   - distance: the straight distance, in metres.
    ///   - speed: the higher of the measured speeds at both ends, in metres a second; `nil` if one is unknown.
    ///   - accuracy: the uncertainty of both positions, in metres.
    ///   - seconds: the time; below 0 counts as 0.
    package static func allows(_ distance: Double, speed: Double?, accuracy: Double, seconds: Double) -> Bool {
        let seconds = max(0, seconds)
        guard let speed else { return distance <= max(accuracy, 100) + 400 * seconds }
        return distance <= max(accuracy, 5) + seconds * (3 * speed + 30)
    }

    /// The uncertainty of the distance between two positions, in metres, from their accuracies, which may be unknown.
    package static func accuracy(_ one: Double?, _ other: Double?) -> Double { 50 + (one ?? 0) + (other ?? 0) }
}

extension Location {
    /// True if a user can have moved here since `last`, which is earlier; false if the receiver has jumped.
    package func isPossible(after last: Location) -> Bool {
        PossibleMotion.allows(
            last.coordinate.distance(to: coordinate),
            speed: speed.flatMap { speed in last.speed.map { max(speed, $0) } },
            accuracy: PossibleMotion.accuracy(horizontalAccuracy, last.horizontalAccuracy),
            seconds: timestamp.duration(since: last.timestamp) / .seconds(1))
    }
}
