import Glibc
import LocationModel
import MotionEstimation
import Testing

/// A flight along a great circle on a sphere of the earth's size, close enough to a plane's path for some minutes.
private struct Flight {
    /// Unit vectors of the starting point and of the direction there.
    var start, direction: SIMD3<Double>
    var speed = 300.0

    func coordinate(at time: Double) -> Coordinate {
        // A fix exactly on a pole could have the course of any meridian.
        let angle = speed * (time + 0.25) / 6_371_000
        let point = cos(angle) * start + sin(angle) * direction
        return Coordinate(
            latitude: atan2(point.z, hypot(point.x, point.y)) * 180 / .pi,
            longitude: atan2(point.y, point.x) * 180 / .pi)!
    }
}

@Suite("Special places", .timeLimit(.minutes(10)))
struct PlaceTests {
    private func fly(_ flight: Flight, speedIsTold: Bool) throws {
        var filter = MotionFilter()
        let start = ContinuousClock.now
        for second in -20...20 {
            let time = Double(second)
            var location = Location(
                coordinate: flight.coordinate(at: time),
                timestamp: Timestamp(nanosecondsSince1970: Int64(1e18) + Int64(second) * 1_000_000_000))
            location.horizontalAccuracy = 5
            location.sourceInformation = .init(isSimulated: true)
            if speedIsTold {
                location.speed = flight.speed
                location.course = course(
                    from: flight.coordinate(at: time - 0.1), to: flight.coordinate(at: time + 0.1))
            }
            let outcome = filter.observe(location, at: start + .seconds(second))
            // Without a speed, such a long distance is only believed when it continues.
            guard second > -10 else { continue }
            #expect(outcome == .used)
            for tenth in 0..<10 {
                let later = Double(tenth) / 10
                let frame = try #require(filter.frame(at: start + .milliseconds(second * 1000 + tenth * 100)))
                // The reported speed is that on a sphere, up to half a percent from that on the ellipsoid.
                #expect(frame.coordinate.distance(to: flight.coordinate(at: time + later)) < (speedIsTold ? 10 : 3))
                #expect(frame.horizontalAccuracy < 100)
            }
        }
    }

    /// The course in degrees from true north, for points that are close together.
    private func course(from: Coordinate, to: Coordinate) -> Double {
        let (a, b) = (from.latitude * .pi / 180, to.latitude * .pi / 180)
        let difference = (to.longitude - from.longitude) * .pi / 180
        let angle = atan2(sin(difference) * cos(b), cos(a) * sin(b) - sin(a) * cos(b) * cos(difference))
        return (angle * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
    }

    @Test(
        "motion is smooth across the antimeridian at 300 m/s, in both directions", arguments: [true, false], [1.0, -1])
    func antimeridian(speedIsTold: Bool, sign: Double) throws {
        try fly(
            Flight(start: SIMD3(-1, 0, 0), direction: SIMD3(0, -sign * cos(0.5), sin(0.5))), speedIsTold: speedIsTold)
    }

    @Test("motion is smooth over the poles at 300 m/s", arguments: [true, false], [1.0, -1])
    func poles(speedIsTold: Bool, sign: Double) throws {
        try fly(Flight(start: SIMD3(0, 0, sign), direction: SIMD3(0.6, 0.8, 0)), speedIsTold: speedIsTold)
    }

    @Test("a fix on a pole is shown")
    func atPole() throws {
        var filter = MotionFilter()
        let start = ContinuousClock.now
        for second in 0...5 {
            var location = Location(
                coordinate: Coordinate(latitude: 90, longitude: Double(second) * 70 - 180)!,
                timestamp: Timestamp(nanosecondsSince1970: Int64(second) * 1_000_000_000))
            location.speed = 0
            _ = filter.observe(location, at: start + .seconds(second))
            let frame = try #require(filter.frame(at: start + .seconds(second)))
            #expect(frame.coordinate.distance(to: location.coordinate) < 0.01)
        }
    }

    @Test("the bearing over a pole turns from north to south")
    func bearing() throws {
        var filter = MotionFilter()
        let start = ContinuousClock.now
        let flight = Flight(start: SIMD3(0, 0, 1), direction: SIMD3(1, 0, 0), speed: 100)
        var bearings: [Double] = []
        for second in -10...10 {
            let location = Location(
                coordinate: flight.coordinate(at: Double(second)),
                timestamp: Timestamp(nanosecondsSince1970: Int64(second) * 1_000_000_000))
            _ = filter.observe(location, at: start + .seconds(second))
            if let bearing = filter.frame(at: start + .seconds(second))?.bearing { bearings.append(bearing) }
        }
        #expect(abs(remainder(try #require(bearings.dropFirst(3).first), 360)) < 2)
        #expect(abs(try #require(bearings.last) - 180) < 2)
    }
}
