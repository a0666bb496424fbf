public import LocationModel

/// A recorded track, as read from a file.
public struct Track: Hashable, Sendable {
    /// A part that was recorded without a pause.
    public struct Segment: Hashable, Sendable {
        /// At least one point, in the order of the file.
        public var points: [Point]
        /// The name of the track, route or feature that it is a part of; `nil` without one.
        public var name: String?
        /// Its description; `nil` without one.
        public var details: String?
        /// Its colour as `#rrggbb`; `nil` without one.
        public var color: String?
        /// True for a line; false for points that are features of their own, as GeoJSON has them.
        public var isLine = true
    }

    /// The name of the first track in the file that has one.
    public var name: String?
    /// The segments of all tracks in the file, or of all routes if it has no tracks, in its order; empty in a track
    /// without points.
    public var segments: [Segment]
    /// The waypoints of GPX, and the points of GeoJSON that have a name and no time, in the order of the file.
    public var waypoints: [Waypoint] = []
    /// The routes of a file that has tracks as well; empty in others.
    public var routes: [Segment] = []
    /// The parts of the file that were left out, with the routes beside tracks.
    public var omissions = Omissions()
    /// The parts of the file that were left out, without the routes beside tracks.
    package var omissionsBesideRoutes = Omissions()

    /// All points in order.
    public var points: some Sequence<Point> { segments.lazy.flatMap(\.points) }

    /// The number of points.
    public var pointCount: Int { segments.reduce(0) { $0 + $1.points.count } }
}

extension Track {
    /// A recorded location, possibly without a time.
    ///
    /// A file may have a million, so a point takes 96 bytes and not the 200 of optional values: an unknown number is
    /// stored as infinity, an unknown time as the first of all.
    public struct Point: Hashable, Sendable {
        /// The recorded position.
        public let coordinate: Coordinate
        private var mean = Double.infinity
        private var ellipsoidal = Double.infinity
        private var horizontalError = Double.infinity
        private var verticalError = Double.infinity
        private var direction = Double.infinity
        private var directionError = Double.infinity
        private var pace = Double.infinity
        private var paceError = Double.infinity
        private var timestamp = Timestamp(nanosecondsSince1970: .min)
        private let lineNumber: UInt32
        /// True if a replay or a simulator produced the point.
        var isSimulated = false

        init(_ coordinate: Coordinate, line: Int) {
            (self.coordinate, lineNumber) = (coordinate, UInt32(clamping: line))
        }

        /// The line on which the point begins, counted from 1.
        public var line: Int { Int(lineNumber) }

        /// The time of the point; `nil` when the file has none.
        public internal(set) var time: Timestamp? {
            get { timestamp.nanosecondsSince1970 == .min ? nil : timestamp }
            set { timestamp = newValue ?? Timestamp(nanosecondsSince1970: .min) }
        }

        /// Height above mean sea level, in metres; `nil` if unknown.
        public var altitude: Double? { self[.altitude] }
        /// Height above the WGS 84 ellipsoid, in metres; `nil` if unknown.
        public var ellipsoidalAltitude: Double? { self[.ellipsoidalAltitude] }
        /// The measured speed over ground, in metres a second; `nil` if unknown.
        public var speed: Double? { self[.speed] }

        subscript(measurement: Measurement) -> Double? {
            get {
                let value =
                    switch measurement {
                    case .altitude: mean
                    case .ellipsoidalAltitude: ellipsoidal
                    case .horizontalAccuracy: horizontalError
                    case .verticalAccuracy: verticalError
                    case .course: direction
                    case .courseAccuracy: directionError
                    case .speed: pace
                    case .speedAccuracy: paceError
                    }
                return value == .infinity ? nil : value
            }
            set {
                let value = newValue ?? .infinity
                switch measurement {
                case .altitude: mean = value
                case .ellipsoidalAltitude: ellipsoidal = value
                case .horizontalAccuracy: horizontalError = value
                case .verticalAccuracy: verticalError = value
                case .course: direction = value
                case .courseAccuracy: directionError = value
                case .speed: pace = value
                case .speedAccuracy: paceError = value
                }
            }
        }

        /// The recorded location with `time` as its timestamp.
        public func location(at time: Timestamp) -> Location {
            var location = Location(coordinate: coordinate, timestamp: time)
            for measurement in Measurement.allCases { location[measurement] = self[measurement] }
            if isSimulated { location.sourceInformation = .init(isSimulated: true) }
            return location
        }
    }
}

extension Track {
    /// A named place.
    public struct Waypoint: Hashable, Sendable {
        /// The position.
        public var coordinate: Coordinate
        /// The name.
        public var name: String?
        /// The description.
        public var details: String?
        /// The colour as `#rrggbb`; `nil` without one.
        public var color: String?
    }
}
