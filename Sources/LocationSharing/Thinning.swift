package import LocationModel

/// Dead reckoning: a fix is left out if it is where the speed and course of the last fix that was kept lead to.
package struct Thinning: Codable, Hashable, Sendable {
    /// The longest distance between a fix that is left out and the position predicted for it, in metres, 1 to 1000. Default 10.
    package var maximumError = 10.0
    /// The longest time between two fixes that are kept, in seconds, 1 to 3600. Default 60.
    package var maximumInterval = 60.0

    /// The rule with these values; `nil` for the default.
    package init(maximumError: Double? = nil, maximumInterval: Duration? = nil) {
        if let maximumError { self.maximumError = maximumError }
        if let maximumInterval { self.maximumInterval = maximumInterval / .seconds(1) }
    }

    /// True if a fix has to be kept.
    ///
    /// A fix that is less accurate than ``maximumError`` may differ from the prediction by its accuracy.
    ///
    /// - Parameter last: the last fix that was kept; `nil` if there is none.
    package func keeps(_ location: Location, after last: Location?) -> Bool {
        guard let last else { return true }
        let time = location.timestamp.duration(since: last.timestamp) / .seconds(1)
        guard (0..<maximumInterval).contains(time) else { return true }
        let error = Self.prediction(after: time, from: last).distance(to: location.coordinate)
        return error > max(maximumError, location.horizontalAccuracy ?? 0)
    }

    /// The position after some seconds at the speed and course of a fix; that of the fix if it has none.
    package static func prediction(after seconds: Double, from last: Location) -> Coordinate {
        guard let speed = last.speed, let course = last.course else { return last.coordinate }
        return last.coordinate.destination(distance: speed * seconds, bearing: course)
    }
}
