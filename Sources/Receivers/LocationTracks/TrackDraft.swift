import LocationModel

/// A track under construction, which both readers fill.
struct TrackDraft {
    /// The largest number of points: eleven days at one a second.
    static let maximumPoints = 1_000_000

    var name: String?
    private(set) var segments: [Track.Segment] = []
    private var count = 0
    private var current: [Track.Point] = []
    private var waypoints: [Track.Waypoint] = []

    /// The time of the last point.
    var lastTime: Timestamp? { (current.last ?? segments.last?.points.last)?.time }

    /// The track so far.
    var track: Track {
        mutating get {
            endSegment()
            return Track(name: name, segments: segments, waypoints: waypoints)
        }
    }

    /// Ends the current segment; the next point begins another.
    mutating func endSegment() {
        guard !current.isEmpty else { return }
        segments.append(Track.Segment(points: current))
        current = []
    }

    mutating func add(_ waypoint: Track.Waypoint) throws(TrackRefusal) {
        try countOne()
        waypoints.append(waypoint)
    }

    mutating func add(_ point: PointDraft) throws(TrackRefusal) {
        try countOne()
        current.append(Track.Point(point.location, time: point.time, line: point.line))
    }

    private mutating func countOne() throws(TrackRefusal) {
        count += 1
        guard count <= Self.maximumPoints else {
            throw TrackRefusal(reason: "there are more than \(Self.maximumPoints) points; split the file")
        }
    }
}

/// The reason why a part of a file is refused, for `TrackError.reason`. The reader adds the line.
struct TrackRefusal: Error {
    var reason: String
}

/// A point under construction.
struct PointDraft {
    let line: Int
    private(set) var location: Location
    private(set) var time: Timestamp?

    /// A point at the given degrees, on a line of the file.
    init(line: Int, latitude: Double?, longitude: Double?) throws(TrackRefusal) {
        guard let latitude, let longitude else {
            throw TrackRefusal(reason: "the latitude or the longitude of this point is missing or no number")
        }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw TrackRefusal(
                reason: "this point is nowhere: a latitude is −90 to 90 degrees, a longitude −180 to 180")
        }
        self.line = line
        location = Location(coordinate: coordinate, timestamp: Timestamp(nanosecondsSince1970: 0))
    }

    /// Sets a number; `nil` means that the text was not a number.
    mutating func set(_ measurement: Measurement, _ value: Double?) throws(TrackRefusal) {
        guard let value, measurement.range.contains(value) else {
            let (low, high) = (measurement.range.lowerBound, measurement.range.upperBound)
            throw TrackRefusal(
                reason: "the \(measurement.words) of this point is no number from \(Int(low)) to \(Int(high))")
        }
        location[keyPath: measurement.keyPath] = measurement == .course && value == 360 ? 0 : value
    }

    /// Sets the time from its text.
    mutating func setTime(_ text: String) throws(TrackRefusal) {
        guard let time = Timestamp(dateTime: text) else {
            throw TrackRefusal(reason: "the time of this point is none such as 2026-11-21T08:30:00Z")
        }
        self.time = time
        location.timestamp = time
    }

    /// Marks the point as simulated.
    mutating func setSimulated() {
        location.sourceInformation = .init(isSimulated: true)
    }
}

extension Timestamp {
    /// Reads XML Schema's `dateTime`: ISO 8601 with any number of decimals, in UTC (`Z`), with an offset (`+02:00`), or
    /// without a zone, which GPX defines as UTC. `nil` for anything else.
    init?(dateTime text: some StringProtocol) {
        let text = text.trimmed
        if text.hasSuffix("Z") {
            self.init(text)
            return
        }
        let zone = text.suffix(6)
        guard let sign = zone.first, sign == "+" || sign == "-" else {
            self.init(text + "Z")
            return
        }
        let digits = zone.dropFirst().utf8.map { Int64($0) - Int64(UInt8(ascii: "0")) }
        guard zone.utf8.count == 6, digits[2] == Int64(UInt8(ascii: ":")) - Int64(UInt8(ascii: "0")),
            [0, 1, 3, 4].allSatisfy({ (0...9).contains(digits[$0]) })
        else {
            // These are the date's own hyphens: `2026-11-21T08:30` has no seconds and is refused below.
            self.init(text + "Z")
            return
        }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[3] * 10 + digits[4])
        guard hours < 14 && minutes < 60 || hours == 14 && minutes == 0, let local = Timestamp(text.dropLast(6) + "Z")
        else { return nil }
        let offset = (hours * 60 + minutes) * (sign == "+" ? 1 : -1)
        let time = local.advanced(by: .seconds(-60 * offset))
        // The zone may shift it out of the years that can be written.
        guard Timestamp(time.description) == time else { return nil }
        self = time
    }
}
