import LocationModel

/// The course of a track along its length: the distance and the speed at each point.
public struct TrackProfile: Hashable, Sendable {
    /// A point of the track.
    public struct Entry: Hashable, Sendable {
        /// The point.
        public let point: Track.Point
        /// The distance from the start of the track, in metres, counted as ``TrackSummary/length`` is.
        public let distance: Double
        /// The measured speed, or else that over at least five seconds around the point, in metres a second; `nil` if it is
        /// unknown.
        public let speed: Double?
    }

    /// The points in the order of the track.
    public private(set) var entries: [Entry] = []

    /// Measures `track`.
    public init(of track: Track) {
        entries.reserveCapacity(track.pointCount)
        var distance = 0.0
        guard track.points.allSatisfy({ $0.time != nil }) else {
            for segment in track.segments {
                var last: Coordinate?
                for point in segment.points {
                    distance += last?.distance(to: point.coordinate) ?? 0
                    last = point.coordinate
                    entries.append(Entry(point: point, distance: distance, speed: point.speed))
                }
            }
            return
        }
        for run in track.segments.flatMap(TrackRun.runs(of:)) {
            let motion = Motion(run)
            let speeds = motion.speeds
            for (index, point) in run.points.enumerated() {
                if index > 0 { distance += motion.covered[index - 1] }
                entries.append(Entry(point: point, distance: distance, speed: point.speed ?? speeds[index]))
            }
        }
    }
}
