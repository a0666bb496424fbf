import LocationModel

/// Measures the length, moving time and highest speed of a run of points with times.
///
/// The time between two points counts as moving if the measured speed, averaged over both, is at least half a metre a
/// second. Without measured speeds the positions decide, and those of a receiver at rest wander: then the straight
/// distances over the twenty seconds before and over the twenty seconds after must both have that speed. Wandering
/// returns to its origin, and requiring both distinguishes a stop from the seconds around it. No receiver wanders fifty
/// metres from one point to the next, so such a step counts in any case.
struct Motion {
    /// The lowest speed that counts as moving, in metres a second: a third of a stroll.
    static let leastSpeed = 0.5
    /// The length of the windows that distinguish moving from wandering, in seconds.
    static let window = 20.0
    /// The length of a step that counts as moving however long it took, in metres.
    static let longestWandering = 50.0
    /// The shortest time over which a highest speed is measured, in seconds.
    static let shortestForHighest = 5.0

    /// The distance covered from each point to the next while moving, in metres; 0 at rest.
    private(set) var covered: [Double] = []
    /// The distance covered while moving, in metres.
    private(set) var length = 0.0
    /// The length of the steps at rest, in metres, by which the positions wandered.
    private(set) var wandered = 0.0
    /// The time spent moving, in seconds.
    private(set) var movingTime = 0.0
    /// The highest speed by positions, in metres a second; `nil` for a run of one point, or of one moment.
    private(set) var highestSpeed: Double?

    private let coordinates: [Coordinate]
    /// The seconds since the first point.
    private let times: [Double]

    init(_ run: TrackRun) {
        coordinates = run.points.map(\.coordinate)
        let start = run.points.first?.time
        times = run.points.map { point in
            guard let start, let time = point.time else { return 0 }
            return time.seconds(since: start)
        }
        covered.reserveCapacity(times.count)
        var (before, behind) = (0, 0)
        for index in run.points.indices.dropLast() {
            while times[before + 1] <= times[index + 1] - Self.window { before += 1 }
            behind = max(behind, index + 1)
            while behind < times.count - 1, times[behind] < times[index] + Self.window { behind += 1 }
            // A pause of a logger that records each ten metres is no part of the way before and after it.
            let start = before < index && times[before + 1] - times[before] > Self.window ? before + 1 : before
            let end =
                behind > index + 1 && times[behind] - times[behind - 1] > Self.window ? behind - 1 : behind
            let step = coordinates[index].distance(to: coordinates[index + 1])
            let isMoving: Bool
            if let first = run.points[index].speed, let second = run.points[index + 1].speed {
                isMoving = (first + second) / 2 >= Self.leastSpeed
            } else {
                isMoving =
                    step >= Self.longestWandering
                    || isUnderWay(from: start, to: index + 1) && isUnderWay(from: index, to: end)
            }
            covered.append(isMoving ? step : 0)
            if isMoving {
                length += step
                movingTime += times[index + 1] - times[index]
            } else {
                wandered += step
            }
        }
        measureHighestSpeed()
    }

    private func isUnderWay(from first: Int, to second: Int) -> Bool {
        let distance = coordinates[first].distance(to: coordinates[second])
        return distance > 0 && distance >= Self.leastSpeed * (times[second] - times[first])
    }

    /// The speed over a stretch; `nil` if it took no time.
    private func speed(from first: Int, to second: Int) -> Double? {
        let seconds = times[second] - times[first]
        return seconds > 0 ? coordinates[first].distance(to: coordinates[second]) / seconds : nil
    }

    /// The speeds at the points by positions, each over the shortest stretch around the point that has the duration for a
    /// highest speed, or over the whole run; `nil` for a run of one point.
    var speeds: [Double?] {
        guard times.count > 1 else { return times.map { _ in nil } }
        let half = Self.shortestForHighest / 2
        var (first, second) = (0, 0)
        return times.map { time in
            while first + 1 < times.count, times[first + 1] <= time - half { first += 1 }
            while second < times.count - 1, times[second] < time + half { second += 1 }
            return speed(from: first, to: second)
        }
    }

    /// Measures over the shortest stretches of sufficient duration, or over the whole run if none is long enough.
    private mutating func measureHighestSpeed() {
        guard times.count > 1 else { return }
        var second = 1
        for first in times.indices {
            while second < times.count, times[second] - times[first] < Self.shortestForHighest { second += 1 }
            guard second < times.count else { break }
            highestSpeed = max(highestSpeed ?? 0, speed(from: first, to: second) ?? 0)
        }
        if highestSpeed == nil { highestSpeed = speed(from: 0, to: times.count - 1) }
    }
}

extension Timestamp {
    /// The seconds since `other`. Dividing a `Duration` by a second would lose precision.
    func seconds(since other: Timestamp) -> Double {
        let (seconds, attoseconds) = duration(since: other).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
