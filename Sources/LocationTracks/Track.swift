public import LocationModel

/// A recorded track: where a receiver was, as read from a file.
public struct Track: Hashable, Sendable {
    /// A stretch that was recorded without a pause.
    public struct Segment: Hashable, Sendable {
        /// At least one, in the order of the file.
        public var points: [Point]
    }

    /// The name of the first track in the file that has one.
    public var name: String?
    /// The stretches of all tracks in the file, in its order; none in a track that nothing was recorded in yet.
    public var segments: [Segment]
    /// The places that the file names besides, in its order: the waypoints of GPX, and the points of GeoJSON that have a name
    /// and no time.
    public var waypoints: [Waypoint] = []

    /// All points in order.
    public var points: some Sequence<Point> { segments.lazy.flatMap(\.points) }

    /// How many points there are.
    public var pointCount: Int { segments.reduce(0) { $0 + $1.points.count } }
}

extension Track {
    /// One recorded location, which may lack its time.
    public struct Point: Hashable, Sendable {
        /// When the receiver was there; `nil` when the file does not say.
        public let time: Timestamp?
        /// The line that the point begins on, counted from 1.
        public let line: Int
        /// With 1970 for a time that is not known.
        private let location: Location

        init(_ location: Location, time: Timestamp?, line: Int) {
            self.location = location
            self.time = time
            self.line = line
        }

        /// Where the receiver was.
        public var coordinate: Coordinate { location.coordinate }
        /// Height above mean sea level, in metres.
        public var altitude: Double? { location.altitude }
        /// Height above the WGS 84 ellipsoid, in metres.
        public var ellipsoidalAltitude: Double? { location.ellipsoidalAltitude }
        /// The speed over ground, in metres a second, as the receiver measured it.
        public var speed: Double? { location.speed }

        /// What was recorded, as if it were measured at `time`.
        public func location(at time: Timestamp) -> Location {
            var location = location
            location.timestamp = time
            return location
        }
    }
}

extension Track {
    /// A place with a name.
    public struct Waypoint: Hashable, Sendable {
        /// Where it is.
        public var coordinate: Coordinate
        /// What it is called.
        public var name: String?
        /// What else the file says of it.
        public var details: String?
    }
}
