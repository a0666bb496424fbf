/// Dead reckoning: a fix is left out if it is where the speed and course of the last fix that was kept lead to.
package struct Thinning: Codable, Hashable, Sendable {
    /// The parts of a kept fix that the next one is compared with.
    package struct Reference: Hashable, Sendable {
        package var coordinate: Coordinate
        package var timestamp: Timestamp
        package var speed: Double?
        package var course: Double?

        package init(_ location: Location) {
            (coordinate, timestamp) = (location.coordinate, location.timestamp)
            (speed, course) = (location.speed, location.course)
        }

        /// The position after some seconds at the speed and course; the same without one of them.
        package func prediction(after seconds: Double) -> Coordinate {
            guard let speed, let course else { return coordinate }
            return coordinate.destination(distance: speed * seconds, bearing: course)
        }
    }

    /// The longest distance between a fix that is left out and the position predicted for it, in metres, 1 to 1000. Default 10.
    package var maximumError = 10.0
    /// The longest time between two fixes that are kept, in seconds, 1 to 3600. Default 60.
    package var maximumInterval = 60.0

    /// The rule with these values; `nil` for the default.
    package init(maximumError: Double? = nil, maximumInterval: Double? = nil) {
        if let maximumError { self.maximumError = maximumError }
        if let maximumInterval { self.maximumInterval = maximumInterval }
    }

    /// True if a fix has to be kept.
    ///
    /// A fix that is less accurate than ``maximumError`` may differ from the prediction by its accuracy.
    ///
    /// - Parameter last: the last fix that was kept; `nil` if there is none.
    package func keeps(_ location: Location, after last: Reference?) -> Bool {
        guard let last else { return true }
        let time = location.timestamp.duration(since: last.timestamp) / .seconds(1)
        guard (0..<maximumInterval).contains(time) else { return true }
        let error = last.prediction(after: time).distance(to: location.coordinate)
        return error > max(maximumError, location.horizontalAccuracy ?? 0)
    }
}
