import LocationModel

/// Points of one segment between which somebody has moved: their times do not decrease, and no step is impossible.
struct TrackRun {
    /// A step that nobody can have made.
    struct Impossible {
        /// The number of points to which such a step leads, whether they are left out or begin another run.
        var count = 0
        /// The highest of the speeds that the steps would need, in metres a second.
        var speed = 0.0
    }

    /// The most points, and the longest time in seconds, after which a receiver is back on the way that it left.
    private static let (longestExcursion, longestTime) = (20, 120.0)

    /// The points, at least one.
    private(set) var points: [Track.Point] = []
    /// The line of the first point if its time is before that of the point before it.
    private(set) var lineEarlier: Int?
    /// The steps that were left out within this run and on the way to it.
    private(set) var impossible = Impossible()

    /// Splits a segment where its times decrease, and where a step is impossible, and leaves out the points of a receiver
    /// that was elsewhere for a moment. All points must have a time.
    static func runs(of segment: Track.Segment) -> [TrackRun] {
        let points = segment.points
        guard let first = points.first else { return [] }
        var runs = [TrackRun()]
        // The numbers of the points of each run: most tracks have one run of all points, which needs no copy of them.
        var kept: [[Int32]] = [[0]]
        // Some loggers have the times of whole minutes.
        let minute: Int64 = 60_000_000_000
        let isByMinutes = points.allSatisfy { ($0.time?.nanosecondsSince1970 ?? 0) % minute == 0 }
        func way(_ from: Track.Point, _ to: Track.Point) -> Step { Step(from, to, resolution: isByMinutes ? 60 : 1) }
        var last = first
        /// The speed of the last possible step, in metres a second.
        var pace = 0.0
        var index = 1
        while index < points.count {
            let point = points[index]
            defer {
                last = points[index]
                index += 1
            }
            if let time = point.time, let lastTime = last.time, time < lastTime {
                runs.append(TrackRun(lineEarlier: point.line))
                kept.append([Int32(index)])
                continue
            }
            let step = way(last, point)
            let next = index + 1 < points.count ? points[index + 1] : nil
            // Most steps are far too short to be anything else.
            let isShort = step.isPossible && step.distance <= step.accuracy
            let isLast = index + 1 == points.count && step.speed == nil && step.pace <= 2 * pace
            if isShort || isLast
                || step.isPossible && !(next.map { step.isReturned(by: way(point, $0), way(last, $0)) } ?? false)
            {
                kept[kept.count - 1].append(Int32(index))
                pace = step.pace
                continue
            }
            if !step.isPossible, let next, step.isContinued(by: way(point, next), way(last, next)) {
                kept[kept.count - 1].append(Int32(index))
                pace = step.pace
                continue
            }
            // Back within a moment, or elsewhere for good.
            let end = min(points.count, index + 1 + longestExcursion)
            let back = points[(index + 1)..<end].firstIndex { later in
                let step = way(last, later)
                return step.seconds >= 0 && step.seconds <= longestTime && step.isPossible
            }
            let run = runs.count - 1
            if let back {
                runs[run].add(back - index, step)
                kept[run].append(Int32(back))
                index = back
            } else if step.isPossible {
                kept[run].append(Int32(index))
            } else {
                runs.append(TrackRun())
                kept.append([Int32(index)])
                runs[run + 1].add(1, step)
            }
        }
        for (run, kept) in kept.enumerated() {
            runs[run].points = kept.count == points.count ? points : kept.map { points[Int($0)] }
        }
        return runs
    }

    private mutating func add(_ count: Int, _ step: Step) {
        impossible.count += count
        impossible.speed = max(impossible.speed, step.pace)
    }

    /// The way from one point to another.
    private struct Step {
        let distance: Double
        let seconds: Double
        /// The difference between two times of the track, in seconds, by which `seconds` may be too short.
        let resolution: Double
        /// The higher of the measured speeds; `nil` unless both are known.
        let speed: Double?
        /// The uncertainty of both positions, in metres.
        let accuracy: Double

        init(_ from: Track.Point, _ to: Track.Point, resolution: Double) {
            self.resolution = resolution
            distance = from.coordinate.distance(to: to.coordinate)
            seconds = if let start = from.time, let end = to.time { end.seconds(since: start) } else { 0 }
            speed = from.speed.flatMap { speed in to.speed.map { max(speed, $0) } }
            accuracy = PossibleMotion.accuracy(from[.horizontalAccuracy], to[.horizontalAccuracy])
        }

        /// The speed that it takes, in metres a second; 0 if it takes no time.
        var pace: Double { seconds > 0 ? distance / seconds : 0 }

        var isPossible: Bool {
            PossibleMotion.allows(distance, speed: speed, accuracy: accuracy, seconds: seconds + resolution)
        }

        /// True if the next step leads back from a place where nobody can have been between them, given that `both` steps
        /// together show the speed.
        func isReturned(by next: Step, _ both: Step) -> Bool {
            guard distance > accuracy, next.distance > next.accuracy, both.seconds > 0, next.seconds >= 0 else {
                return false
            }
            let speed = both.distance / both.seconds
            return [self, next].allSatisfy { step in
                !PossibleMotion.allows(
                    step.distance, speed: speed, accuracy: step.accuracy, seconds: step.seconds + resolution)
            }
        }

        /// True if the next step continues at a similar speed, as that of a satellite does.
        func isContinued(by next: Step, _ both: Step) -> Bool {
            guard speed == nil, seconds > 0, next.seconds > 0 else { return false }
            return next.pace > pace / 2
                && both.distance > 0.75 * (distance + next.distance)
        }
    }
}
