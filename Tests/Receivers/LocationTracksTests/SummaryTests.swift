import Glibc
import LocationModel
import LocationTracks
import Testing

@Suite("Summary", .timeLimit(.minutes(10)))
struct SummaryTests {
    private func track(_ segments: [[Location]], withSpeeds: Bool = false) throws -> Track {
        let points = segments.map { segment in
            segment.map { location in
                let altitude = location.altitude.map { "<ele>\($0)</ele>" } ?? ""
                let speed = location.speed.map { "<speed>\($0)</speed>" } ?? ""
                let coordinate = location.coordinate
                return "<trkpt lat=\"\(coordinate.latitude)\" lon=\"\(coordinate.longitude)\">\(altitude)"
                    + "<time>\(location.timestamp)</time>\(speed)</trkpt>"
            }.joined(separator: "\n")
        }
        return try read(gpx("<trk>" + points.map { "<trkseg>\n\($0)</trkseg>" }.joined() + "</trk>"))
    }

    /// 10 m a second to the north from `start`, one point a second.
    private func drive(from start: Double, seconds: Range<Int>) throws -> [Location] {
        try seconds.map { try location(Double($0), start + Double($0 - seconds.lowerBound) * 10 / 111_133) }
    }

    @Test("measures length, times and speeds of a drive with a pause")
    func drive() throws {
        let first = try drive(from: 48, seconds: 0..<101)
        let second = try drive(from: 49, seconds: 1000..<1101)
        let summary = TrackSummary(of: try track([first, second]))
        #expect(summary.points == 202)
        #expect(summary.segments == 2)
        // A degree of latitude at 48.5° is 111,206 m (WGS 84), so 10 m are 10.007 m here.
        let expected =
            first[0].coordinate.distance(to: first[100].coordinate)
            + second[0].coordinate.distance(to: second[100].coordinate)
        #expect(abs(summary.length - expected) < 0.01)
        #expect(abs(expected - 2001.3) < 1)
        #expect(summary.duration == 1100)
        #expect(summary.movingTime == 200)
        #expect(summary.averageSpeed.map { abs($0 - 10) < 0.02 } == true)
        #expect(summary.highestSpeed.map { abs($0 - 10) < 0.02 } == true)
        #expect(summary.start == time(0))
        #expect(summary.end == time(1100))
        #expect(summary.climb == nil)
        #expect(summary.linesNotLater == [])
    }

    /// Positions that wander like a receiver's (Gauss–Markov: 3 m, 30 s), and half as much white noise.
    private func stop(at latitude: Double, seconds: Range<Int>, seed: UInt64) throws -> [Location] {
        var state = seed
        func normal() -> Double {
            func uniform() -> Double {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (Double(state >> 11) + 1) / 9_007_199_254_740_994
            }
            return (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform())
        }
        let kept = exp(-1.0 / 30)
        var (north, east) = (3 * normal(), 3 * normal())
        return try seconds.map { second in
            north = kept * north + 3 * (1 - kept * kept).squareRoot() * normal()
            east = kept * east + 3 * (1 - kept * kept).squareRoot() * normal()
            return try location(
                Double(second), latitude + (north + 0.5 * normal()) / 111_000,
                11.575569 + (east + 0.5 * normal()) / 74_000)
        }
    }

    @Test(
        "a standing receiver covers no distance, although its positions wander",
        arguments: 1...20 as ClosedRange<UInt64>)
    func standingStill(seed: UInt64) throws {
        let summary = TrackSummary(of: try track([try stop(at: 48, seconds: 0..<3600, seed: seed)]))
        #expect(summary.duration == 3599)
        #expect(try #require(summary.movingTime) < 36)
        #expect(summary.length < 100)
    }

    @Test("a stop between two drives is detected, with and without measured speeds", arguments: [false, true])
    func stopAndGo(hasSpeeds: Bool) throws {
        var locations = try drive(from: 48, seconds: 0..<120)
        let place = try #require(locations.last).coordinate.latitude
        locations += try stop(at: place, seconds: 120..<300, seed: 7)
        locations += try drive(from: place, seconds: 300..<420)
        if hasSpeeds {
            for index in locations.indices { locations[index].speed = (120..<300).contains(index) ? 0.1 : 10 }
        }
        let summary = TrackSummary(of: try track([locations]))
        #expect(try abs(#require(summary.movingTime) - 239) < (hasSpeeds ? 3 : 12))
        #expect(abs(summary.length - 2380) < 60)
    }

    @Test("a walk without measured speeds counts as moving")
    func walk() throws {
        let locations = try (0..<600).map { try location(Double($0), 48 + Double($0) * 1.2 / 111_206) }
        #expect(TrackSummary(of: try track([locations])).movingTime == 599)
    }

    @Test("points a minute apart count as moving, too")
    func sparse() throws {
        let locations = try (0..<10).map { try location(Double($0) * 60, 48 + Double($0) * 1e-3) }
        #expect(TrackSummary(of: try track([locations])).movingTime == 540)
    }

    @Test(
        "climb and descent ignore changes below five metres",
        arguments: [
            ([100, 110, 120], 20, 0), ([100, 104, 100, 104, 100], 0, 0), ([100, 103, 106, 109, 112], 12, 0),
            ([100, 150, 147, 151, 120, 124, 100], 51, 51), ([100, 96, 106, 80], 10, 26), ([100], 0, 0),
            ([110, 100, 104, 100, 110], 10, 10), ([100, 110, 80, 85, 90], 20, 30),
        ] as [([Double], Double, Double)])
    func elevation(altitudes: [Double], climb: Double, descent: Double) throws {
        let locations = try altitudes.enumerated().map { index, altitude in
            var location = try location(Double(index), 48)
            location.altitude = altitude
            return location
        }
        let summary = TrackSummary(of: try track([locations]))
        #expect(summary.climb == climb)
        #expect(summary.descent == descent)
        let twice = TrackSummary(
            of: try track([
                locations,
                locations.map {
                    var l = $0; l.timestamp = time(100); return l
                },
            ]))
        #expect(twice.climb == 2 * climb, "nothing is counted between segments")
    }

    @Test(
        "the bounding box is correct, also across the antimeridian",
        arguments: [
            ([10, 11, 12], 10, 12), ([179, -179, 178], 178, -179), ([5], 5, 5), ([-180, 180], 180, -180),
            ([-10, 10], -10, 10), ([170, -170, -150], 170, -150), ([0, 120, -121], 0, -121),
        ] as [([Double], Double, Double)])
    func bounds(longitudes: [Double], west: Double, east: Double) throws {
        let locations = try longitudes.enumerated().map { try location(Double($0), Double($0), $1) }
        let bounds = try #require(TrackSummary(of: try track([locations])).bounds)
        #expect(bounds.west == west)
        #expect(bounds.east == east)
        #expect(bounds.south == 0)
        #expect(bounds.north == Double(longitudes.count - 1))
    }

    /// A walk north at 1.4 m/s, a point every `interval` seconds.
    private func stroll(every interval: Double = 1, seconds: Double = 120) throws -> [Location] {
        try stride(from: 0, through: seconds, by: interval).map { try location($0, 47 + $0 * 1.4 / 111_170) }
    }

    @Test(
        "an impossible point is left out of the length and the speeds, and counted",
        arguments: [
            (1, 0.05, 1, false), (1, 0.003, 1, false), (10, 0.05, 1, false), (1, 0.05, 5, false), (1, -47, 1, false),
            (1, 0.05, 1, true), (1, 0.003, 1, true), (10, 0.05, 1, true), (1, 0.05, 5, true), (1, -47, 1, true),
        ] as [(Double, Double, Int, Bool)])
    func spike(interval: Double, degrees: Double, count: Int, hasSpeeds: Bool) throws {
        var locations = try stroll(every: interval)
        let length = TrackSummary(of: try track([locations])).length
        for index in 5..<5 + count {
            let place = locations[index].coordinate
            locations[index].coordinate = Coordinate(
                clampingLatitude: place.latitude + degrees, wrappingLongitude: place.longitude)
        }
        if hasSpeeds { for index in locations.indices { locations[index].speed = 1.4 } }
        let summary = TrackSummary(of: try track([locations]))
        #expect(summary.impossiblePoints == count)
        #expect(summary.impossibleSpeed > abs(degrees) * 111_000 / interval * 0.9)
        #expect(abs(summary.length - length) < 0.02 * length)
        #expect(try #require(summary.highestSpeed) < 2)
        #expect(summary.points == locations.count)
    }

    @Test(
        "a receiver that jumps to its true place leaves out the jump only, and a train and a satellite leave out nothing"
    )
    func jumps() throws {
        var jump = try stroll()
        for index in 60..<jump.count {
            jump[index].coordinate = Coordinate(
                clampingLatitude: jump[index].coordinate.latitude + 1, wrappingLongitude: 11.6)
        }
        let summary = TrackSummary(of: try track([jump]))
        #expect(summary.impossiblePoints == 1)
        #expect(abs(summary.length - 168) < 4)
        for speed in [83.0, 250, 7700] {
            let ride = try (0..<60).map { try location(Double($0), -20 + Double($0) * speed / 111_170) }
            let summary = TrackSummary(of: try track([ride]))
            #expect(summary.impossiblePoints == 0)
            #expect(abs(summary.length / (59 * speed) - 1) < 0.01)
        }
    }

    @Test("two points a second with the times of whole seconds count in full")
    func repeatedTimes() throws {
        let locations = try (0..<200).map { try location(Double($0 / 2), 48 + Double($0) * 5 / 111_200) }
        let summary = TrackSummary(of: try track([locations]))
        #expect(abs(summary.length - 995) < 2)
        #expect(summary.movingTime == 99)
        #expect(summary.linesNotLater == [])
        #expect(summary.impossiblePoints == 0)
        #expect(try abs(#require(summary.highestSpeed) - 10) < 1.1)
        // A train and a logger with the times of whole minutes.
        let train = try (0..<60).map { second in
            var location = try location(0, 48 + Double(second) * 800 / 111_200)
            location.timestamp = Timestamp(secondsSince1970: 1_700_000_040 + Int64(second / 6) * 60)
            return location
        }
        #expect(TrackSummary(of: try track([train])).impossiblePoints == 0)
        #expect(TrackProfile(of: try track([locations])).entries.count == 200)
    }

    @Test("the wandering of a standing receiver is counted separately, and a long step after a long time is not")
    func standing() throws {
        let summary = TrackSummary(of: try track([try stop(at: 48, seconds: 0..<600, seed: 3)]))
        #expect(summary.standingLength > 100)
        let hours = try (0..<5).map { try location(Double($0) * 3600, 48 + Double($0) * 1e-2) }
        let sparse = TrackSummary(of: try track([hours]))
        #expect(abs(sparse.length - 4448) < 5)
        #expect(sparse.standingLength == 0)
    }

    @Test("a logger that records each ten metres and pauses with its user loses no way")
    func pausingLogger() throws {
        var (seconds, metres) = (0.0, 0.0)
        var locations: [Location] = []
        for step in 0..<200 {
            seconds += step % 5 == 4 ? 90 : 8
            metres += step % 5 == 4 ? 1 : 10
            locations.append(try location(seconds, 47 + metres / 111_170))
        }
        let summary = TrackSummary(of: try track([locations]))
        #expect(abs(summary.length - 1590) < 8)
        #expect(abs(summary.standingLength - 40) < 2)
    }

    @Test(
        "the time to measure a track grows linearly with its points, also where they are dense",
        .timeLimit(.minutes(10)))
    func crowd() throws {
        let locations = try (0..<60_000).map { try location(Double($0) * 1e-5, 48 + Double($0 % 2) * 5e-4) }
        #expect(TrackSummary(of: try track([locations])).points == 60_000)
    }

    @Test("the path across the antimeridian is short")
    func antimeridian() throws {
        let locations = [try location(0, 0, 179.999), try location(60, 0, -179.999)]
        #expect(abs(TrackSummary(of: try track([locations])).length - 222.6) < 0.1)
    }

    @Test("missing times, decreasing times and missing points are reported")
    func missing() throws {
        let timeless = TrackSummary(
            of: try read(gpx(points: "<trkpt lat='0' lon='0'/><trkpt lat='0' lon='0.001'/>")))
        #expect(timeless.pointsWithoutTime == 2)
        #expect(timeless.duration == nil && timeless.movingTime == nil && timeless.highestSpeed == nil)
        #expect(abs(timeless.length - 111.32) < 0.01)

        let backward = TrackSummary(of: try track([try [0, 1, 2, 1, 2, 3].map { try location($0, 48 + $0 / 1000) }]))
        #expect(backward.linesNotLater == [6])
        #expect(backward.duration == 3)
        #expect(backward.movingTime == 4)

        let empty = TrackSummary(of: try read(gpx("")))
        #expect(empty.points == 0)
        #expect(empty.bounds == nil && empty.duration == nil && empty.length == 0)
    }
}
