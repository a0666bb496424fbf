import LocationModel
import LocationTracks

/// Converts the points of a track to the reports of a receiver that has followed it.
extension RecordedTrack {
    /// The lowest speed, in metres a second, at which the direction between two points counts as a course.
    private static let leastSpeedForCourse = 0.5

    /// The pace at which a track without times is played, in metres a second.
    private static let walk = 1.4
    /// The longest time that such a track takes, in seconds: a longer one is played faster.
    private static let longestWalk = 86_400.0
    /// The longest time between two points. After a longer one, and after one that goes back, the receiver's clock was set.
    private static let longestPause = Duration.seconds(366 * 86_400)

    /// The reports of a receiver that has followed `track`. Missing speeds and courses are derived from the neighbouring
    /// points in the segment; without them follow mode would have no motion.
    static func reports(of track: Track) -> [ReceiverReport] {
        let hasTimes = track.points.contains { $0.time != nil }
        return (hasTimes ? timed(track) : walked(track)).flatMap { locations in
            locations.indices.map { report(of: $0, in: locations) }
        }
    }

    /// The points that have a time, by segment. A second passes when the clock was set.
    private static func timed(_ track: Track) -> [[Location]] {
        var last: Timestamp?
        var correction = Duration.zero
        return track.segments.map { segment in
            segment.points.compactMap { point in
                guard let time = point.time else { return nil }
                var corrected = time.advanced(by: correction)
                if let last, !(.zero...longestPause).contains(corrected.duration(since: last)) {
                    corrected = last.advanced(by: .seconds(1))
                    correction = corrected.duration(since: time)
                }
                last = corrected
                return point.location(at: corrected)
            }
        }
    }

    /// The way through points without times, with a location a second.
    private static func walked(_ track: Track) -> [[Location]] {
        let length = track.segments.reduce(0) { length, segment in
            zip(segment.points, segment.points.dropFirst()).reduce(length) {
                $0 + $1.0.coordinate.distance(to: $1.1.coordinate)
            }
        }
        let pace = max(walk, length / longestWalk)
        var time = Timestamp(secondsSince1970: 1_000_000_000)
        func now() -> Timestamp {
            time = time.advanced(by: .seconds(1))
            return time
        }
        return track.segments.map { segment in
            var locations: [Location] = []
            var last: Track.Point?
            for point in segment.points {
                if let last {
                    let count = Int(last.coordinate.distance(to: point.coordinate) / pace)
                    for index in 0..<count {
                        var location = last.location(at: now())
                        location.coordinate = last.coordinate.toward(
                            point.coordinate, Double(index + 1) / Double(count + 1))
                        locations.append(location)
                    }
                }
                last = point
                locations.append(point.location(at: now()))
            }
            return locations
        }
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

extension Coordinate {
    /// The point at a part of the way to another one, on a straight line on the map.
    fileprivate func toward(_ other: Coordinate, _ part: Double) -> Coordinate {
        let east = (other.longitude - longitude).remainder(dividingBy: 360)
        return Coordinate(
            latitude: latitude + part * (other.latitude - latitude),
            longitude: (longitude + part * east).remainder(dividingBy: 360)) ?? other
    }
}
