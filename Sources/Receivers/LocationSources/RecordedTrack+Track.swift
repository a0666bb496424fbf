import Glibc
import LocationModel
import LocationTracks

/// Converts the points of a track to the reports of a receiver that has followed it.
extension RecordedTrack {
    /// The lowest speed, in metres a second, at which the direction between two points counts as a course.
    private static let leastSpeedForCourse = 0.5

    /// A report for each point of `track`. Missing speeds and courses are derived from the neighbouring points in the
    /// segment; without them follow mode would have no motion.
    static func reports(of track: Track, file: String) throws(TrackError) -> [ReceiverReport] {
        var last: Timestamp?
        var reports: [ReceiverReport] = []
        for segment in track.segments {
            var locations: [Location] = []
            for point in segment.points {
                guard let time = point.time else {
                    throw TrackError(
                        file: file, line: point.line,
                        reason: "this point has no time; only a track whose points all have one can be played")
                }
                if let last, time < last {
                    throw TrackError(
                        file: file, line: point.line,
                        reason: "the time of this point is before that of the one ahead of it; a track must be in order"
                    )
                }
                last = time
                locations.append(point.location(at: time))
            }
            for index in locations.indices { reports.append(report(of: index, in: locations)) }
        }
        return reports
    }

    private static func report(of index: Int, in locations: [Location]) -> ReceiverReport {
        var location = locations[index]
        if location.speed == nil || location.course == nil {
            let before = locations[max(index - 1, 0)]
            let after = locations[min(index + 1, locations.count - 1)]
            let seconds = after.timestamp.duration(since: before.timestamp) / .seconds(1)
            if seconds > 0 {
                let speed = before.coordinate.distance(to: after.coordinate) / seconds
                location.speed = location.speed ?? speed
                if location.course == nil, speed >= leastSpeedForCourse {
                    location.course = MeanSphere.course(from: before.coordinate.degrees, to: after.coordinate.degrees)
                }
            }
        }
        let isThreeDimensional = location.altitude != nil || location.ellipsoidalAltitude != nil
        return .position(
            PositionReport(
                device: nil, mode: isThreeDimensional ? .threeDimensional : .twoDimensional, time: location.timestamp,
                location: location))
    }
}
