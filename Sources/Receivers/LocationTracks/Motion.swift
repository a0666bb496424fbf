import LocationModel

/// Measures the length, moving time and highest speed of a run of points with times.
///
/// The time between two points counts as moving if the measured speed, averaged over both, is at least half a metre a
/// second. Without measured speeds the positions decide, and those of a receiver at rest wander: then the straight
/// distances over the twenty seconds before and over the twenty seconds after must both have that speed. Wandering
/// returns to its origin, and requiring both distinguishes a stop from the seconds around it.
struct Motion {
    /// The lowest speed that counts as moving, in metres a second: a third of a stroll.
    static let leastSpeed = 0.5
    /// The length of the windows that distinguish moving from wandering, in seconds.
    static let window = 20.0
    /// The shortest time over which a highest speed is measured, in seconds.
    static let shortestForHighest = 5.0

    /// Points of one segment with increasing times.
    struct Run {
        var points: [Track.Point]
        /// The line of the first point if its time is not later than that of the point before it.
        var lineNotLater: Int?
    }

    /// The distance covered from each point to the next while moving, in metres; 0 at rest.
    private(set) var covered: [Double] = []
    /// The distance covered while moving, in metres.
    private(set) var length = 0.0
    /// The time spent moving, in seconds.
    private(set) var movingTime = 0.0
    /// The highest speed by positions, in metres a second; `nil` for a run of one point.
    private(set) var highestSpeed: Double?

    private let coordinates: [Coordinate]
    /// The seconds since the first point.
    private let times: [Double]

    /// Splits a segment where its times do not increase. All points must have a time.
    static func runs(of segment: Track.Segment) -> [Run] {
        var runs: [Run] = []
        var last: Timestamp?
        for point in segment.points {
            guard let time = point.time else { continue }
            if let last, time > last {
                runs[runs.count - 1].points.append(point)
            } else {
                runs.append(Run(points: [point], lineNotLater: last == nil ? nil : point.line))
            }
            last = time
        }
        return runs
    }

    init(_ run: Run) {
        coordinates = run.points.map(\.coordinate)
        let start = run.points.first?.time
        times = run.points.map { point in
            guard let start, let time = point.time else { return 0 }
            return time.seconds(since: start)
        }
        for index in run.points.indices.dropLast() {
            let speeds = (run.points[index].speed, run.points[index + 1].speed)
            let isMoving: Bool
            if let first = speeds.0, let second = speeds.1 {
                isMoving = (first + second) / 2 >= Self.leastSpeed
            } else {
                isMoving = isUnderWay(after: index)
            }
            covered.append(isMoving ? coordinates[index].distance(to: coordinates[index + 1]) : 0)
            length += covered[index]
            if isMoving { movingTime += times[index + 1] - times[index] }
        }
        measureHighestSpeed()
    }

    private func isUnderWay(after index: Int) -> Bool {
        let earliest = times[index + 1] - Self.window
        let latest = times[index] + Self.window
        let before = times[...index].lastIndex { $0 <= earliest } ?? 0
        let behind = times[(index + 1)...].firstIndex { $0 >= latest } ?? times.count - 1
        return speed(from: before, to: index + 1) >= Self.leastSpeed
            && speed(from: index, to: behind) >= Self.leastSpeed
    }

    private func speed(from first: Int, to second: Int) -> Double {
        coordinates[first].distance(to: coordinates[second]) / (times[second] - times[first])
    }

    /// The speeds at the points by positions, each over the shortest stretch around the point that has the duration for a
    /// highest speed, or over the whole run; `nil` for a run of one point.
    var speeds: [Double?] {
        guard times.count > 1 else { return times.map { _ in nil } }
        let half = Self.shortestForHighest / 2
        var (first, second) = (0, 0)
        return times.map { time in
            while times[first + 1] <= time - half { first += 1 }
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
            highestSpeed = max(highestSpeed ?? 0, speed(from: first, to: second))
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
