package import LocationModel

/// The trail of a user who is followed.
///
/// Times count from the start of the view.
package struct Trail: Sendable {
    package struct Point: Hashable, Sendable {
        package var coordinate: Coordinate
        package var time: Duration
        /// True if the way from the previous point is unknown.
        package var isFirst: Bool
    }

    /// The time for which a point is kept.
    package static let memory = Duration.seconds(15 * 60)

    /// The points, the oldest first.
    package private(set) var points: [Point] = []
    /// The distance travelled in metres, including points that are no longer kept.
    package private(set) var distance = 0.0
    /// The position up to which `distance` counts.
    private var milestone: Coordinate?
    private var last: (coordinate: Coordinate, time: Duration)?
    private var isInterrupted = false

    /// An empty trail.
    package init() {}

    /// Adds the user's position now.
    package mutating func add(_ coordinate: Coordinate, accuracy: Double, speed: Double? = nil, at now: Duration) {
        if let last {
            let (step, time) = (last.coordinate.distance(to: coordinate), now - last.time)
            if !PossibleMotion.allows(step, speed: speed, accuracy: accuracy, seconds: time / .seconds(1)) {
                interrupt()
            }
        }
        last = (coordinate, now)
        measure(coordinate, accuracy, speed)
        points.removeFirst(points.prefix { now - $0.time > Self.memory }.count)
        guard let end = points.last, !isInterrupted else {
            points.append(Point(coordinate: coordinate, time: now, isFirst: true))
            isInterrupted = false
            return
        }
        guard now - end.time >= .milliseconds(500), end.coordinate.distance(to: coordinate) >= 1 else { return }
        points.append(Point(coordinate: coordinate, time: now, isFirst: false))
    }

    /// Starts a new segment with the next position, because the way to it is unknown.
    package mutating func interrupt() {
        isInterrupted = true
        milestone = nil
        last = nil
    }

    /// The speed in m/s from which the user moves, and not the noise of the receiver.
    private static let movingSpeed = 0.5
    /// The longest steps to wait for, in metres, when the user moves and otherwise. Shorter ones would add up the noise.
    private static let (longestMovingStep, longestStep) = (5.0, 20.0)

    /// Counts a step once it exceeds the noise of the receiver while the user stands still. A user who moves at a measured
    /// speed need not move as far: a receiver that states tens of metres is rarely off by as much from step to step.
    private mutating func measure(_ coordinate: Coordinate, _ accuracy: Double, _ speed: Double?) {
        guard let milestone else {
            self.milestone = coordinate
            return
        }
        let step = milestone.distance(to: coordinate)
        let moves = speed.map { $0 >= Self.movingSpeed } ?? false
        guard step >= min(max(accuracy, 2), moves ? Self.longestMovingStep : Self.longestStep) else { return }
        distance += step
        self.milestone = coordinate
    }
}
