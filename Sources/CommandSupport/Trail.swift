package import LocationModel

/// The way the user came while they were followed.
///
/// Times are those of the view, from its start.
package struct Trail: Sendable {
    /// A place on the way.
    package struct Point: Hashable, Sendable {
        package var coordinate: Coordinate
        package var time: Duration
        /// Whether nothing is known of the way to here.
        package var isFirst: Bool
    }

    /// How long a place stays.
    package static let memory = Duration.seconds(15 * 60)

    /// The places, the oldest first.
    package private(set) var points: [Point] = []
    /// How far it was in all, in metres, also what has been forgotten since.
    package private(set) var distance = 0.0
    /// The end of the way that `distance` counts.
    private var milestone: Coordinate?
    private var last: (coordinate: Coordinate, time: Duration)?
    private var isInterrupted = false

    /// No way yet.
    package init() {}

    /// Goes on to where the user is now.
    package mutating func add(_ coordinate: Coordinate, accuracy: Double, speed: Double? = nil, at now: Duration) {
        if let last {
            let (step, time) = (last.coordinate.distance(to: coordinate), now - last.time)
            if !Self.isPossible(step, speed: speed, accuracy: accuracy, in: time) { interrupt() }
        }
        last = (coordinate, now)
        measure(coordinate, accuracy)
        points.removeFirst(points.prefix { now - $0.time > Self.memory }.count)
        guard let end = points.last, !isInterrupted else {
            points.append(Point(coordinate: coordinate, time: now, isFirst: true))
            isInterrupted = false
            return
        }
        guard now - end.time >= .milliseconds(500), end.coordinate.distance(to: coordinate) >= 1 else { return }
        points.append(Point(coordinate: coordinate, time: now, isFirst: false))
    }

    /// Begins anew with the next place: how the user gets there is not known.
    package mutating func interrupt() {
        isInterrupted = true
        milestone = nil
        last = nil
    }

    /// Counts a step once it is longer than what the receiver makes up while the user stands still.
    private mutating func measure(_ coordinate: Coordinate, _ accuracy: Double) {
        guard let milestone else {
            self.milestone = coordinate
            return
        }
        let step = milestone.distance(to: coordinate)
        guard step >= min(max(accuracy, 2), 20) else { return }
        distance += step
        self.milestone = coordinate
    }

    /// Whether somebody can have gone so far in that time: nobody is faster than 400 m/s, and with a measured speed not much
    /// faster than that. What goes further is a correction, or a recording that begins again.
    static func isPossible(_ distance: Double, speed: Double?, accuracy: Double, in time: Duration) -> Bool {
        let seconds = max(0, time / .seconds(1))
        guard let speed else { return distance <= 100 + 400 * seconds }
        return distance <= max(accuracy, 5) + seconds * (3 * speed + 30)
    }
}
