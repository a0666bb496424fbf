import LocationModel

/// A track under construction, which all readers fill.
struct TrackDraft {
    /// The largest number of points: eleven days at one a second.
    static let maximumPoints = 1_000_000
    /// The beginning of GPS time. An earlier time is that of a clock that was never set, such as 1901 or 1970.
    static let firstTime = Timestamp(secondsSince1970: 315_964_800)

    var name: String?
    private(set) var segments: [Track.Segment] = []
    private var count = 0
    private var current: [Track.Point] = []
    private var waypoints: [Track.Waypoint] = []
    private var omissions = Track.Omissions()
    /// The points of routes, which count where there is no track.
    private var routes: [Track.Segment] = []

    /// The time of the last point.
    var lastTime: Timestamp? { (current.last ?? segments.last?.points.last)?.time }

    /// Returns the track.
    ///
    /// - Throws: the reason for the first omission if nothing else is in it.
    mutating func finish(file: String) throws(TrackError) -> Track {
        endSegment()
        if segments.isEmpty {
            swap(&segments, &routes)
            name = name ?? segments.lazy.compactMap(\.name).first
        }
        removeMeaninglessTimes()
        let omissionsBesideRoutes = omissions
        if let route = routes.first?.points.first {
            leaveOut(line: route.line, "a route beside a track", count: routes.count)
        }
        if segments.isEmpty, waypoints.isEmpty, omissions.count > 0 {
            throw TrackError(file: file, line: omissions.line, reason: omissions.reason)
        }
        return Track(
            name: name, segments: segments, waypoints: waypoints, routes: routes, omissions: omissions,
            omissionsBesideRoutes: omissionsBesideRoutes)
    }

    /// Ends the current segment; the next point begins another.
    mutating func endSegment(_ texts: Texts = Texts(), isLine: Bool = true) {
        guard !current.isEmpty else { return }
        segments.append(texts.segment(current, isLine: isLine))
        current = []
    }

    /// Ends the current route. Its points have been added to `current`, where nothing else is.
    mutating func endRoute(_ texts: Texts) {
        guard !current.isEmpty else { return }
        routes.append(texts.segment(current, isLine: true))
        current = []
    }

    /// Sets the texts of the segments from the one at `first`, which belong to one track.
    mutating func describeSegments(from first: Int, _ texts: Texts) {
        for index in segments.indices.dropFirst(first) {
            (segments[index].name, segments[index].details) = (texts.name, texts.details)
        }
    }

    /// What a file says about a track, a route or a line.
    struct Texts {
        var name: String?
        var details: String?
        var color: String?

        fileprivate func segment(_ points: [Track.Point], isLine: Bool) -> Track.Segment {
            Track.Segment(points: points, name: name, details: details, color: color, isLine: isLine)
        }
    }

    mutating func add(_ waypoint: Track.Waypoint) throws(TrackRefusal) {
        try countOne()
        waypoints.append(waypoint)
    }

    mutating func add(_ point: Track.Point) throws(TrackRefusal) {
        try countOne()
        current.append(point)
    }

    /// A point at the given degrees, on a line of the file; `nil` without a valid position.
    mutating func point(line: Int, latitude: Double?, longitude: Double?) -> Track.Point? {
        guard let coordinate = coordinate(line: line, latitude: latitude, longitude: longitude) else { return nil }
        return Track.Point(coordinate, line: line)
    }

    mutating func coordinate(line: Int, latitude: Double?, longitude: Double?) -> Coordinate? {
        guard let latitude, let longitude else {
            leaveOut(line: line, "the latitude or the longitude of this point is missing or no number")
            return nil
        }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            leaveOut(line: line, "this point is nowhere: a latitude is −90 to 90 degrees, a longitude −180 to 180")
            return nil
        }
        return coordinate
    }

    /// Sets a number of `point`; `nil`, or a number out of range, leaves it unknown.
    mutating func set(_ measurement: Measurement, _ value: Double?, of point: inout Track.Point, line: Int? = nil) {
        guard let value, measurement.range.contains(value) else {
            let (low, high) = (Int(measurement.range.lowerBound), Int(measurement.range.upperBound))
            return leaveOut(
                line: line ?? point.line, "the \(measurement.words) of this point is no number from \(low) to \(high)")
        }
        point[measurement] = measurement == .course && value == 360 ? 0 : value
    }

    /// Sets the time of `point`; `nil` leaves it unknown, as does one before there were receivers.
    mutating func set(_ time: Timestamp?, of point: inout Track.Point, line: Int? = nil) {
        guard let time else {
            return leaveOut(
                line: line ?? point.line, "the time of this point is none such as 2026-11-21T08:30:00Z")
        }
        guard time >= Self.firstTime else {
            return leaveOut(
                line: line ?? point.line, "the time of this point is before 1980, so the clock was not set")
        }
        point.time = time
    }

    mutating func leaveOut(line: Int, _ reason: String, count: Int = 1) {
        for _ in 0..<count { omissions.add(line: line, reason) }
    }

    /// Removes the times if they are all the same in different places, as programs write them that have none.
    private mutating func removeMeaninglessTimes() {
        let points = segments.lazy.flatMap(\.points)
        guard let first = points.first(where: { $0.time != nil }),
            points.allSatisfy({ $0.time == nil || $0.time == first.time }),
            points.contains(where: { $0.time != nil && $0.coordinate != first.coordinate })
        else { return }
        var count = 0
        for segment in segments.indices {
            for point in segments[segment].points.indices where segments[segment].points[point].time != nil {
                segments[segment].points[point].time = nil
                count += 1
            }
        }
        leaveOut(line: first.line, "the times of all points are the same, so they are none", count: count)
    }

    private mutating func countOne() throws(TrackRefusal) {
        count += 1
        guard count <= Self.maximumPoints else {
            throw TrackRefusal(reason: "there are more than \(Self.maximumPoints) points; split the file")
        }
    }
}

/// The reason why a file is refused, for `TrackError.reason`. The reader adds the line.
struct TrackRefusal: Error {
    var reason: String
}
