public import LocationModel

/// A recorded track, as read from a file.
public struct Track: Hashable, Sendable {
    /// A part that was recorded without a pause.
    public struct Segment: Hashable, Sendable {
        /// At least one point, in the order of the file.
        public var points: [Point]
    }

    /// The name of the first track in the file that has one.
    public var name: String?
    /// The segments of all tracks in the file, in its order; empty in a track without points.
    public var segments: [Segment]
    /// The waypoints of GPX, and the points of GeoJSON that have a name and no time, in the order of the file.
    public var waypoints: [Waypoint] = []

    /// All points in order.
    public var points: some Sequence<Point> { segments.lazy.flatMap(\.points) }

    /// The number of points.
    public var pointCount: Int { segments.reduce(0) { $0 + $1.points.count } }
}

extension Track {
    /// A recorded location, possibly without a time.
    public struct Point: Hashable, Sendable {
        /// The time of the point; `nil` when the file has none.
        public let time: Timestamp?
        /// The line on which the point begins, counted from 1.
        public let line: Int
        /// The location, dated 1970 if its time is unknown.
        private let location: Location

        init(_ location: Location, time: Timestamp?, line: Int) {
            self.location = location
            self.time = time
            self.line = line
        }

        /// The recorded position.
        public var coordinate: Coordinate { location.coordinate }
        /// Height above mean sea level, in metres.
        public var altitude: Double? { location.altitude }
        /// Height above the WGS 84 ellipsoid, in metres.
        public var ellipsoidalAltitude: Double? { location.ellipsoidalAltitude }
        /// The measured speed over ground, in metres a second.
        public var speed: Double? { location.speed }

        /// The recorded location with `time` as its timestamp.
        public func location(at time: Timestamp) -> Location {
            var location = location
            location.timestamp = time
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
    }
}
