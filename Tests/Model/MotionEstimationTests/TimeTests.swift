import SeededRandom
import LocationModel
import MotionEstimation
import Testing
import TrackingSimulation

@Suite("Times of fixes", .timeLimit(.minutes(10)))
struct TimeTests {
    @Test("the second fix of the same time is ignored")
    func duplicate() {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 5)
        let before = test.frame(5.5)
        #expect(test.fix(5, east: 10, arrival: 5.1) == .duplicate)
        #expect(test.fix(4, east: 10, arrival: 5.2) == .duplicate)
        #expect(test.frame(5.5) == before)
    }

    @Test("an overtaken fix has the same effect as in time", arguments: [1, 3, 5])
    func late(delay: Int) throws {
        var inTime = FilterUnderTest()
        var overtaken = FilterUnderTest()
        func fix(_ test: inout FilterUnderTest, _ second: Int, arrival: Double? = nil) -> MotionFilter.Outcome {
            let time = Double(second)
            return test.fix(
                time, east: second % 4 == 0 ? 5 : 0, north: 10 * time, arrival: arrival, speed: 10, course: 0)
        }
        for second in 0...20 {
            #expect(fix(&inTime, second) == (second == 0 ? .restarted : .used))
            if second != 16 { _ = fix(&overtaken, second) }
            if second == 16 + delay {
                #expect(fix(&overtaken, 16, arrival: Double(second) + 0.1) == .late)
            }
        }
        // When the display correction has faded out, the results are equal.
        let (a, b) = (try #require(inTime.frame(20.95)), try #require(overtaken.frame(20.95)))
        #expect(a.coordinate.distance(to: b.coordinate) < 1e-3)
        #expect(abs(a.horizontalAccuracy - b.horizontalAccuracy) < 0.05)
    }

    @Test("two overtaken fixes have the same effect in any order of their arrival", arguments: [[17, 18], [18, 17]])
    func twoLate(order: [Int]) throws {
        var (inTime, overtaken, without) = (FilterUnderTest(), FilterUnderTest(), FilterUnderTest())
        func fix(_ test: inout FilterUnderTest, _ second: Int, arrival: Double? = nil) -> MotionFilter.Outcome {
            let time = Double(second)
            return test.fix(time, east: [17: 5, 18: -4][second] ?? 0, north: 10 * time, arrival: arrival)
        }
        for second in 0...20 {
            _ = fix(&inTime, second)
            if second != order[0] { _ = fix(&without, second) }
            if !order.contains(second) { _ = fix(&overtaken, second) }
            guard second == 19 else { continue }
            for (index, late) in order.enumerated() {
                #expect(fix(&overtaken, late, arrival: 19.1 + Double(index) / 10) == .late)
            }
        }
        let (a, b) = (try #require(inTime.frame(20.95)), try #require(overtaken.frame(20.95)))
        #expect(a.coordinate.distance(to: b.coordinate) < 1e-3)
        #expect(abs(a.horizontalAccuracy - b.horizontalAccuracy) < 0.05)
        // The first of them makes a difference that is seen here.
        let c = try #require(without.frame(20.95))
        #expect(a.coordinate.distance(to: c.coordinate) > 0.01)
    }

    @Test("a fix older than the remembered ones is ignored")
    func stale() {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 12)
        #expect(test.fix(2.5, north: 25, arrival: 12.1) == .stale)
    }

    @Test(
        "setting the receiver's clock does not move the user",
        arguments: [-31_557_600, -3600, -12, 12, 3600, 31_557_600.0])
    func clockSet(by change: Double) throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 20)
        for second in 21...25 {
            let time = Double(second)
            #expect(test.fix(time + change, north: 10 * time, arrival: time, speed: 10, course: 0) == .used)
            let frame = try #require(test.frame(time + 0.5))
            #expect(abs(test.field.position(of: frame.coordinate).y - (10 * time + 5)) < 0.5)
            #expect(
                abs(frame.timestamp.duration(since: test.field.timestamp(at: time + 0.5 + change)) / .seconds(1)) < 0.1)
        }
    }

    @Test("a clock set back a little is accepted at the third fix")
    func setBack() throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 1, until: 60)
        var outcomes: [MotionFilter.Outcome] = []
        for second in 61...66 {
            let time = Double(second)
            outcomes.append(test.fix(time - 9.5, north: time, arrival: time, speed: 1, course: 0))
        }
        #expect(!outcomes.prefix(2).contains(.used))
        #expect(outcomes.suffix(4).allSatisfy { $0 == .used })
        #expect(abs(try #require(test.position(66.5)).y - 66.5) < 1)
    }

    @Test("a receiver that repeats one time becomes stale")
    func repeats() {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 5)
        for second in 6...30 { #expect(test.fix(5, arrival: Double(second)) == .duplicate) }
        #expect(test.frame(30) == nil)
    }

    @Test("fixes with irregular arrivals are shown evenly")
    func jitter() throws {
        var random = SeededGenerator(seed: 3)
        var test = FilterUnderTest()
        var arrivals: [Double] = []
        for second in 0...60 { arrivals.append(Double(second) + random.uniform(0.1...0.6)) }
        var next = 0
        var last: Double?
        for tenth in 0..<600 {
            let now = Double(tenth) / 10
            while next < arrivals.count, arrivals[next] <= now {
                let time = Double(next)
                test.fix(time, north: 20 * time, arrival: arrivals[next], speed: 20, course: 0)
                next += 1
            }
            guard now > 30, let north = test.position(now)?.y else { continue }
            if let last { #expect(abs(north - last - 2) < 0.3) }
            last = north
        }
        #expect(last != nil)
    }

    @Test("a burst of delayed fixes ends at the last one")
    func stall() throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 10)
        for second in 11...16 {
            #expect(test.fix(Double(second), north: 10 * Double(second), arrival: 16.1, speed: 10, course: 0) == .used)
        }
        #expect(abs(try #require(test.position(17)).y - 170) < 2)
    }

    @Test("times at the ends of the range are handled")
    func ends() {
        var filter = MotionFilter()
        let start = ContinuousClock.now
        var location = FilterUnderTest().location(0)
        for (index, time) in [Int64.min, .max, 0, .min, .max - 1, .min + 1, -1].enumerated() {
            location.timestamp = Timestamp(nanosecondsSince1970: time)
            _ = filter.observe(location, at: start + .seconds(index))
            #expect(filter.frame(at: start + .seconds(index)) != nil)
        }
        #expect(filter.frame(at: start + .seconds(1 << 40)) == nil)
        _ = filter.frame(at: start - .seconds(1 << 40))
    }
}
