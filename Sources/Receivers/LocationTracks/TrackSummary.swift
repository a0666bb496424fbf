public import LocationModel

/// Statistics of a track.
///
/// Unknown values are `nil`: without the times of all points there are no durations and speeds, without altitudes no
/// climb. A pause between two segments counts in `duration` only.
public struct TrackSummary: Hashable, Sendable {
    /// The bounding box of all points, in degrees.
    public struct Bounds: Hashable, Sendable {
        /// The lowest and the highest latitude.
        public var south, north: Double
        /// The westernmost and easternmost longitude: `west` is greater than `east` when the box crosses the
        /// antimeridian.
        public var west, east: Double
    }

    /// The track's name.
    public var name: String?
    /// The numbers of points and of segments.
    public var (points, segments) = (0, 0)
    /// The number of waypoints.
    public var waypoints = 0
    /// The number of points without a time.
    public var pointsWithoutTime = 0
    /// The lines of points whose times are before those of the points before them. Nothing is measured across such a step.
    public var linesNotLater: [Int] = []
    /// The number of points that a receiver reported in a place where nobody can have been at that time. The ways to and
    /// from them are left out of ``length`` and the speeds.
    public var impossiblePoints = 0
    /// The highest of the speeds that those ways would need, in metres a second.
    public var impossibleSpeed = 0.0
    /// The length that is left out of ``length`` because the positions of a standing receiver wander, in metres.
    public var standingLength = 0.0
    /// The earliest and the latest time.
    public var (start, end): (Timestamp?, Timestamp?) = (nil, nil)
    /// The length of the path on the ellipsoid (`Coordinate.distance(to:)`), in metres: within segments and, where
    /// there are times, only while moving, so that a standing receiver covers no distance.
    public var length = 0.0
    /// The time from `start` to `end`, in seconds.
    public var duration: Double?
    /// The time spent moving, as `Motion` defines it, in seconds.
    public var movingTime: Double?
    /// The total ascent and descent, in metres, as `ElevationChange` defines them.
    public var (climb, descent): (Double?, Double?) = (nil, nil)
    /// The length divided by the moving time, in metres a second; `nil` without movement.
    public var averageSpeed: Double?
    /// The highest measured speed, or without measured speeds the highest one over at least five seconds between
    /// points, in metres a second.
    public var highestSpeed: Double?
    /// The bounding box; `nil` without points.
    public var bounds: Bounds?

    /// Summarises `track`.
    public init(of track: Track) {
        name = track.name
        segments = track.segments.count
        points = track.pointCount
        waypoints = track.waypoints.count
        pointsWithoutTime = track.points.count { $0.time == nil }
        bounds = Bounds(around: track.points.map(\.coordinate))
        measureElevation(track)
        if pointsWithoutTime == 0 {
            measureMotion(track)
        } else {
            length = track.segments.reduce(0) { length, segment in
                length
                    + zip(segment.points, segment.points.dropFirst()).reduce(0) {
                        $0 + $1.0.coordinate.distance(to: $1.1.coordinate)
                    }
            }
        }
    }

    private mutating func measureMotion(_ track: Track) {
        guard let start = track.points.lazy.compactMap(\.time).min(),
            let end = track.points.lazy.compactMap(\.time).max()
        else { return }
        (self.start, self.end) = (start, end)
        duration = end.seconds(since: start)
        var movingTime = 0.0
        var (derived, measured): (Double?, Double?) = (nil, nil)
        for segment in track.segments {
            for run in TrackRun.runs(of: segment) {
                if let line = run.lineEarlier { linesNotLater.append(line) }
                impossiblePoints += run.impossible.count
                impossibleSpeed = max(impossibleSpeed, run.impossible.speed)
                let motion = Motion(run)
                length += motion.length
                standingLength += motion.wandered
                movingTime += motion.movingTime
                derived = [derived, motion.highestSpeed].compactMap(\.self).max()
                for point in run.points {
                    if let speed = point.speed { measured = max(measured ?? 0, speed) }
                }
            }
        }
        self.movingTime = movingTime
        averageSpeed = movingTime > 0 ? length / movingTime : nil
        highestSpeed = measured ?? derived
    }

    /// Uses altitudes above mean sea level if there are any, otherwise those above the ellipsoid, but never a mix.
    private mutating func measureElevation(_ track: Track) {
        let hasAltitude = track.points.contains { $0.altitude != nil }
        var change = ElevationChange()
        var isKnown = false
        for segment in track.segments {
            for point in segment.points {
                guard let altitude = hasAltitude ? point.altitude : point.ellipsoidalAltitude else { continue }
                change.add(altitude)
                isKnown = true
            }
            change.endSegment()
        }
        if isKnown { (climb, descent) = (change.climb, change.descent) }
    }
}

extension TrackSummary.Bounds {
    /// The bounding box of `coordinates`; `nil` without any.
    ///
    /// It leaves out the largest gap between neighbouring longitudes around the globe.
    init?(around coordinates: [Coordinate]) {
        let longitudes = coordinates.map(\.longitude).sorted()
        guard let south = coordinates.map(\.latitude).min(), let north = coordinates.map(\.latitude).max(),
            var west = longitudes.first, var east = longitudes.last
        else { return nil }
        var widest = west + 360 - east
        for (left, right) in zip(longitudes, longitudes.dropFirst()) where right - left > widest {
            widest = right - left
            (west, east) = (right, left)
        }
        self.init(south: south, north: north, west: west, east: east)
    }
}

/// Accumulates ascent and descent without the noise of the altitudes.
///
/// Only a change of at least `hysteresis` counts: an ascent ends at the highest point that is followed by such a
/// descent, and vice versa. So noise of half that size adds nothing on a level road, and a hill counts in full.
struct ElevationChange {
    /// The smallest change that counts, in metres: about the spread of the altitudes of a receiver in the open.
    static let hysteresis = 5.0

    /// The totals so far, in metres.
    private(set) var (climb, descent) = (0.0, 0.0)
    /// Ascending, the altitude of the last turn and the highest since; descending, the lowest since and that of the
    /// last turn; before the first turn, the lowest and the highest.
    private var (low, high): (Double?, Double?) = (nil, nil)
    private var direction = 0

    mutating func add(_ altitude: Double) {
        let lowest = direction > 0 ? low ?? altitude : min(low ?? altitude, altitude)
        let highest = direction < 0 ? high ?? altitude : max(high ?? altitude, altitude)
        if direction >= 0, highest - altitude >= Self.hysteresis {
            turn(low: lowest, high: highest)
            (low, high, direction) = (altitude, highest, -1)
        } else if direction <= 0, altitude - lowest >= Self.hysteresis {
            turn(low: lowest, high: highest)
            (low, high, direction) = (lowest, altitude, 1)
        } else {
            (low, high) = (lowest, highest)
        }
    }

    /// Ends a segment: altitudes before and after it are not compared.
    mutating func endSegment() {
        if let low, let high { turn(low: low, high: high) }
        (low, high, direction) = (nil, nil, 0)
    }

    /// Adds the change between the last two turns. Before the first turn there is none.
    private mutating func turn(low: Double, high: Double) {
        if direction > 0 { climb += high - low }
        if direction < 0 { descent += high - low }
    }
}
