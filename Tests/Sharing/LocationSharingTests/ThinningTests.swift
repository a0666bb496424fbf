import LocationModel
import SeededRandom
import Testing

extension Thinning {
    fileprivate func keeps(_ location: Location, after last: Location?) -> Bool {
        keeps(location, after: last.map(Reference.init))
    }
}

@Suite("Thinning by dead reckoning", .timeLimit(.minutes(10)))
struct ThinningTests {
    private static let start = Timestamp(secondsSince1970: 1_800_000_000)

    private static func fix(
        _ seconds: Double, _ coordinate: Coordinate, _ speed: Double?, _ course: Double?
    ) -> Location {
        var location = Location(coordinate: coordinate, timestamp: start.advanced(by: .seconds(seconds)))
        (location.horizontalAccuracy, location.speed, location.course) = (3, speed, course)
        return location
    }

    private static func reduce(_ fixes: [Location], _ thinning: Thinning = Thinning()) -> [Location] {
        fixes.reduce(into: []) { kept, fix in
            if thinning.keeps(fix, after: kept.last) { kept.append(fix) }
        }
    }

    /// Eight hours in town at one fix a second: streets of some hundred metres with turns, stops, and noise.
    private static func drive() -> [Location] {
        var generator = SeededGenerator(seed: 37)
        var coordinate = Coordinate(latitude: 47.1, longitude: 9.5)!
        var (speed, course, left, goal) = (0.0, 40.0, 300.0, 13.0)
        return (0..<28_800).map { second in
            left -= max(speed, 1)
            if left <= 0 {
                left = generator.uniform(80...900)
                goal = generator.uniform(0...1) < 0.2 ? 0 : generator.uniform(5...25)
                course = (course + generator.uniform(-100...100) + 360).truncatingRemainder(dividingBy: 360)
            }
            speed = max(0, speed + min(1.5, max(-2.5, goal - speed)))
            coordinate = coordinate.destination(distance: speed, bearing: course)
            let noise = generator.normalVector()
            let measured = coordinate.destination(distance: 0.8 * abs(noise.x), bearing: 360 * generator.uniform(0...1))
            return fix(Double(second), measured, max(0, speed + 0.1 * noise.y), course)
        }
    }

    @Test("of a day's drive less than a fifth is kept, and the rest is within 10 m of its prediction")
    func drive() {
        let fixes = Self.drive()
        var last: Location?
        var (worst, count) = (0.0, 0)
        for fix in fixes {
            if Thinning().keeps(fix, after: last) {
                (last, count) = (fix, count + 1)
            } else if let last {
                let time = fix.timestamp.duration(since: last.timestamp) / .seconds(1)
                worst = max(worst, Thinning.Reference(last).prediction(after: time).distance(to: fix.coordinate))
            }
        }
        #expect(worst <= 10 && worst > 9)
        #expect(count < fixes.count / 5 && count > fixes.count / 60, "\(count)")
    }

    @Test("of a parked user one fix a minute is kept, and another interval keeps another number")
    func parked() {
        let place = Coordinate(latitude: 47.1, longitude: 9.5)!
        let fixes = (0..<3600).map { Self.fix(Double($0), place, 0, nil) }
        #expect(Self.reduce(fixes).count == 60)
        var thinning = Thinning()
        thinning.maximumInterval = 600
        #expect(Self.reduce(fixes, thinning).count == 6)
    }

    @Test("the position is predicted by speed and course, and without them is that of the last fix")
    func prediction() {
        let place = Coordinate(latitude: 47.1, longitude: 9.5)!
        let moving = Self.fix(0, place, 10, 90)
        let ahead = Self.fix(30, place.destination(distance: 300, bearing: 90), 10, 90)
        #expect(!Thinning().keeps(ahead, after: moving))
        #expect(Thinning().keeps(Self.fix(30, place, 0, nil), after: moving))
        #expect(Thinning().keeps(ahead, after: Self.fix(0, place, nil, 90)))
        #expect(Thinning().keeps(ahead, after: Self.fix(0, place, 10, nil)))
    }

    @Test("a fix is not kept for an error within its own accuracy, nor twice, but after one that was later")
    func accuracy() {
        let place = Coordinate(latitude: 47.1, longitude: 9.5)!
        let last = Self.fix(10, place, 0, nil)
        var near = Self.fix(11, place.destination(distance: 30, bearing: 0), 0, nil)
        #expect(Thinning().keeps(near, after: last))
        near.horizontalAccuracy = 40
        #expect(!Thinning().keeps(near, after: last))
        #expect(!Thinning().keeps(last, after: last))
        #expect(Thinning().keeps(Self.fix(9, place, 0, nil), after: last))
    }
}
