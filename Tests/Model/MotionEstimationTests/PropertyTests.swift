import SeededRandom
import LocationModel
import MotionEstimation
import Testing
import TrackingSimulation

@Suite("Properties for random input", .timeLimit(.minutes(10)))
struct PropertyTests {
    @Test("frames are sound after any sequence of fixes", arguments: UInt64(0)..<40)
    func sound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var filter = MotionFilter()
        let start = ContinuousClock.now
        var (now, time) = (0.0, 0.0)
        for _ in 0..<150 {
            now += pick(&random, [0, 0.1, 1, 10, 100])
            time += pick(&random, [0, 0.1, 1, 1, 1, 10, -1, -5, 1e6, -1e6])
            _ = filter.observe(location(&random, at: time), at: start + .seconds(now))
            if random.uniform(0...1) < 0.02 { filter.sourceLost(at: start + .seconds(now)) }
            for later in [0, 0.016, 0.5, 2, 4, 20, -1] {
                guard let frame = filter.frame(at: start + .seconds(now + later)) else { continue }
                #expect(frame.horizontalAccuracy.isFinite && frame.horizontalAccuracy > 0)
                #expect(frame.coordinate.latitude.isFinite && frame.coordinate.longitude.isFinite)
                #expect((199.9...20_001).contains(frame.span))
                #expect(frame.age >= .zero)
                #expect(frame.bearing.map { (0..<360).contains($0) } ?? true)
                #expect(frame.speed.map { $0.isFinite && $0 >= 0 } ?? true)
            }
        }
    }

    private func location(_ random: inout SeededGenerator, at time: Double) -> Location {
        let latitude = pick(&random, [48, 48.0001, -90, 90, 0, 89.9999, random.uniform(-90...90)])
        let longitude = pick(&random, [11, 11.0001, -180, 180, 0, random.uniform(-180...180)])
        var location = Location(
            coordinate: Coordinate(latitude: latitude, longitude: longitude)!,
            timestamp: Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000 + Int64(time * 1e9)))
        func sometimes(_ values: [Double]) -> Double? {
            random.uniform(0...1) < 0.6 ? pick(&random, values) : nil
        }
        location.horizontalAccuracy = sometimes([0, 1e-9, 1, 5, 50, 1e4, 1e8, .greatestFiniteMagnitude])
        location.speed = sometimes([0, 1e-9, 1, 14, 300, 1e4, 1e9, .greatestFiniteMagnitude])
        location.course = sometimes([0, 90, 180, 359.999])
        location.speedAccuracy = sometimes([0, 0.1, 10, 1e8])
        location.courseAccuracy = sometimes([0, 1, 180, 1e8])
        return location
    }

    private func pick(_ random: inout SeededGenerator, _ values: [Double]) -> Double {
        values[Int(random.next() % UInt64(values.count))]
    }

    @Test("frames do not jump except at a reset", arguments: UInt64(0)..<20)
    func noJump(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var test = FilterUnderTest()
        var last: TrackingFrame?
        var time = 0.0
        var way = SIMD2<Double>.zero
        for _ in 0..<60 {
            time += 1
            way += SIMD2(random.uniform(-5...15), random.uniform(-5...15))
            let error = 4 * random.normalVector()
            let outcome = test.fix(
                time, east: way.x + error.x, north: way.y + error.y, arrival: time + random.uniform(0...0.3),
                speed: random.uniform(0...1) < 0.7 ? random.uniform(0...20) : nil, course: random.uniform(0...359))
            if outcome == .restarted { last = nil }
            for frame in 0..<30 {
                let shown = try #require(test.frame(time + 0.3 + Double(frame) / 60))
                // 150 m/s for a sixtieth of a second.
                if let last, frame > 0 { #expect(last.coordinate.distance(to: shown.coordinate) < 2.5) }
                last = shown
            }
        }
    }
}
