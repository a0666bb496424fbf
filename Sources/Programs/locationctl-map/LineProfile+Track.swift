import LocationMap
import LocationTracks

extension LineProfile {
    /// The profile of a recorded track.
    init(of track: Track) {
        let summary = TrackSummary(of: track)
        // Above mean sea level if there are any such, otherwise above the ellipsoid, but never a mix.
        let hasAltitude = track.points.contains { $0.altitude != nil }
        self.init(
            samples: TrackProfile(of: track).entries.map { entry in
                Sample(
                    distance: entry.distance, coordinate: entry.point.coordinate,
                    altitude: hasAltitude ? entry.point.altitude : entry.point.ellipsoidalAltitude, speed: entry.speed,
                    time: entry.point.time)
            })
        (duration, movingTime) = (summary.duration.map { .seconds($0) }, summary.movingTime.map { .seconds($0) })
        (climb, descent) = (summary.climb, summary.descent)
    }
}
