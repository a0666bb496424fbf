public import LocationModel

/// What a track amounts to.
///
/// What is unknown is `nil`: without the times of all points there are no durations and no speeds, without altitudes no
/// climb. A pause between two segments is part of `duration` and of nothing else.
public struct TrackSummary: Hashable, Sendable {
    /// The smallest area that holds all points, in degrees.
    public struct Bounds: Hashable, Sendable {
        /// The lowest and the highest latitude.
        public var south, north: Double
        /// The longitudes between which, going east, all points lie: `west` is above `east` where that crosses the
        /// antimeridian.
        public var west, east: Double
    }

    /// The track's name.
    public var name: String?
    /// How many points there are, in how many segments.
    public var (points, segments) = (0, 0)
    /// Points without a time.
    public var pointsWithoutTime = 0
    /// The lines of points that are not later than the one before them. Nothing is measured between the two.
    public var linesNotLater: [Int] = []
    /// The time of the first point and of the last, by their times.
    public var (start, end): (Timestamp?, Timestamp?) = (nil, nil)
    /// The way along the points on the ellipsoid (`Coordinate.distance(to:)`), in metres: between points of one segment,
    /// and, where there are times, only while moving, so that a receiver which stands still goes nowhere.
    public var length = 0.0
    /// From the first time to the last, in seconds.
    public var duration: Double?
    /// How much of it was spent moving, by the rule of `Motion`, in seconds.
    public var movingTime: Double?
    /// All that it went up and down, in metres, by the rule of `ElevationChange`.
    public var (climb, descent): (Double?, Double?) = (nil, nil)
    /// The length by the moving time, in metres a second; `nil` for what never moved.
    public var averageSpeed: Double?
    /// The highest speed that the receiver measured; where it measured none, the highest over at least five seconds
    /// between points. In metres a second.
    public var highestSpeed: Double?
    /// Where it was; `nil` without a point.
    public var bounds: Bounds?

    /// Summarises `track`.
    public init(of track: Track) {
        name = track.name
        segments = track.segments.count
        points = track.pointCount
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
        var derived: Double?
        for segment in track.segments {
            for run in Motion.runs(of: segment) {
                if let line = run.lineNotLater { linesNotLater.append(line) }
                let motion = Motion(run)
                length += motion.length
                movingTime += motion.movingTime
                derived = [derived, motion.highestSpeed].compactMap(\.self).max()
            }
        }
        self.movingTime = movingTime
        averageSpeed = movingTime > 0 ? length / movingTime : nil
        highestSpeed = track.points.lazy.compactMap(\.speed).max() ?? derived
    }

    /// Altitudes above mean sea level where there are any, else those above the ellipsoid: never both.
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
    /// The smallest area around `coordinates`; `nil` without any.
    ///
    /// Among the longitudes in order, around the globe, the largest gap is what the area leaves out.
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

/// What altitudes add up to, without their noise.
///
/// Only a change of at least `hysteresis` counts: going up ends at the highest point from which it then goes down so far,
/// and the other way round. So a noise of half that size about a level road adds nothing, and a hill counts in full.
struct ElevationChange {
    /// In metres; about the spread of the altitudes of a receiver in the open.
    static let hysteresis = 5.0

    /// In metres.
    private(set) var (climb, descent) = (0.0, 0.0)
    /// Going up, the altitude of the last turn and the highest since; going down, the lowest since and that of the last
    /// turn; before the first turn, the lowest and the highest.
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

    /// What comes next does not follow what came before.
    mutating func endSegment() {
        if let low, let high { turn(low: low, high: high) }
        (low, high, direction) = (nil, nil, 0)
    }

    /// Counts what lies between the last two turns; before the first one nothing has changed enough.
    private mutating func turn(low: Double, high: Double) {
        if direction > 0 { climb += high - low }
        if direction < 0 { descent += high - low }
    }
}
