import LocationModel

/// What a stretch of points with times amounts to, and which part of it was spent moving.
///
/// The time between two points was spent moving if the speed that the receiver measured, averaged over both, is at least
/// half a metre a second. Where it measured none, positions have to do, and those of a receiver at rest wander: then the
/// straight way over the twenty seconds that end with the one point and over those that begin with the other must both
/// have been so fast. Wandering about returns; and that it is both tells a stop from the seconds before and after it.
struct Motion {
    /// Slower than this is standing still, in metres a second: a third of a stroll.
    static let leastSpeed = 0.5
    /// How long the ways are that tell moving from wandering about, in seconds.
    static let window = 20.0
    /// How long a way has to be for its speed to be a highest one, in seconds.
    static let shortestForHighest = 5.0

    /// Points of one segment whose times go forward.
    struct Run {
        var points: [Track.Point]
        /// The line of the first point if it is not later than the one before it.
        var lineNotLater: Int?
    }

    /// In metres, while moving.
    private(set) var length = 0.0
    /// In seconds.
    private(set) var movingTime = 0.0
    /// By the positions, in metres a second; `nil` for a run of one point.
    private(set) var highestSpeed: Double?

    private let coordinates: [Coordinate]
    /// Seconds since the first.
    private let times: [Double]

    /// Takes a segment apart where its times do not go forward. All points must have one.
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
            if isMoving {
                length += coordinates[index].distance(to: coordinates[index + 1])
                movingTime += times[index + 1] - times[index]
            }
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

    /// Over the shortest ways that are long enough; over all of it when none is.
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
    /// How long after `other` this is. To divide a `Duration` by a second loses the last digits.
    func seconds(since other: Timestamp) -> Double {
        let (seconds, attoseconds) = duration(since: other).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
