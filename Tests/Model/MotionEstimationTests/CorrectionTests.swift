import SeededRandom
import LocationModel
import MotionEstimation
import Testing
import TrackingSimulation

@Suite("Corrections at a fix", .timeLimit(.minutes(10)))
struct CorrectionTests {
    @Test("the shown position does not jump, and is correct within a second")
    func noJump() throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 10)
        let before = try #require(test.position(11))
        #expect(test.fix(11, east: 6, north: 110, speed: 10, course: 0) == .used)
        let after = try #require(test.position(11))
        #expect(length(after - before) < 1e-6)
        var last = after
        for frame in 1...60 {
            let position = try #require(test.position(11 + Double(frame) / 60))
            #expect(length(position - last) < 0.5)
            last = position
        }
        // On the line that starts at the fix, at its speed.
        let rest = try #require(test.position(11.9))
        #expect(rest.x > 1 && abs(rest.y - 119) < 1)
    }

    @Test("a stopping user is shown to stop, with or without observed braking")
    func stops() throws {
        var braking = FilterUnderTest()
        braking.driveNorth(at: 14, until: 10)
        // 6 m/s² from second 10.5 on: at 11 s 11 m/s, at 12 s 5 m/s, at rest after 12.83 s, 16.3 m on.
        braking.fix(11, north: 153.25, speed: 11, course: 0)
        braking.fix(12, north: 161.25, speed: 5, course: 0)
        let end = 163.33
        for tenth in 0...10 {
            let frame = try #require(braking.frame(12 + Double(tenth) / 10))
            #expect(braking.field.position(of: frame.coordinate).y - end < frame.horizontalAccuracy)
        }
        braking.fix(13, north: end, speed: 0, course: 0)
        let settled = try #require(braking.position(14))
        #expect(abs(settled.y - end) < 0.5)
        #expect(braking.position(15.5) == settled)
        #expect(try #require(braking.frame(15.5)).speed == 0)

        var wall = FilterUnderTest()
        wall.driveNorth(at: 5, until: 10)
        wall.fix(11, north: 50, speed: 0)
        for tenth in 0...20 {
            let frame = try #require(wall.frame(11 + Double(tenth) / 10))
            #expect(wall.field.position(of: frame.coordinate).y - 50 < frame.horizontalAccuracy)
        }
        #expect(try #require(wall.frame(13)).isPredicted == false)
    }

    @Test("a braking user never moves backwards")
    func noReverse() throws {
        var test = FilterUnderTest()
        for second in 0...3 {
            let time = Double(second)
            test.fix(time, north: 12 * time - 1.5 * time * time, speed: 12 - 3 * time, course: 0)
        }
        var last = -Double.infinity
        for tenth in 9...30 {
            let north = try #require(test.position(3 + Double(tenth) / 10)).y
            #expect(north >= last - 1e-9)
            last = north
        }
    }

    @Test("a standing user wanders no more than the fixes do")
    func stands() throws {
        var random = SeededGenerator(seed: 7)
        var test = FilterUnderTest()
        var (shownWay, fixWay) = (0.0, 0.0)
        var lastFix = SIMD2<Double>.zero
        var lastShown = SIMD2<Double>.zero
        for second in 0...120 {
            let fix = random.normalVector()
            test.fix(
                Double(second), east: fix.x, north: fix.y, speed: abs(0.2 * random.normal()),
                course: random.uniform(0...359))
            if second > 0 { fixWay += length(fix - lastFix) }
            lastFix = fix
            for tenth in 0..<10 {
                let shown = try #require(test.position(Double(second) + Double(tenth) / 10))
                if second > 0 { shownWay += length(shown - lastShown) }
                lastShown = shown
            }
        }
        #expect(shownWay < fixWay)
    }

    @Test("the bearing turns the shorter way, also across north")
    func shorterWay() throws {
        var test = FilterUnderTest()
        for second in 0...5 {
            test.fix(
                Double(second), east: -1.7365 * Double(second), north: 9.848 * Double(second), speed: 10, course: 350)
        }
        #expect(abs(try #require(test.frame(5.5)?.bearing) - 350) < 1)
        let corner = SIMD2(-1.7365, 9.848) * 5
        for second in 6...8 {
            let way = SIMD2(1.7365, 9.848) * Double(second - 5) + corner
            test.fix(Double(second), east: way.x, north: way.y, speed: 10, course: 10)
            for frame in 0..<60 {
                let bearing = try #require(test.frame(Double(second) + Double(frame) / 60)?.bearing)
                #expect(bearing > 300 || bearing < 60)
                #expect((0..<360).contains(bearing))
            }
        }
        #expect(abs(try #require(test.frame(8.9)?.bearing) - 10) < 5)
    }

    @Test("there is no bearing before the first movement, and the last one is kept at standstill")
    func bearing() throws {
        var test = FilterUnderTest()
        for second in 0...3 { test.fix(Double(second), speed: 0.1, course: Double(second) * 90) }
        #expect(try #require(test.frame(3.5)).bearing == nil)
        for second in 4...8 { test.fix(Double(second), east: 3 * Double(second - 3), speed: 3, course: 90) }
        #expect(abs(try #require(test.frame(8.5)?.bearing) - 90) < 1)
        for second in 9...30 { test.fix(Double(second), east: 15, speed: 0, course: 200) }
        #expect(abs(try #require(test.frame(30.5)?.bearing) - 90) < 2)
    }

    @Test("the span is a minute's distance within its bounds, and changes gradually")
    func span() throws {
        var test = FilterUnderTest()
        test.fix(0, speed: 0)
        #expect(abs(try #require(test.frame(0)).span - 200) < 1e-6)
        test.driveNorth(at: 20, until: 30)
        #expect(abs(try #require(test.frame(30.5)).span - 1200) < 20)
        test.fix(31, north: 615, speed: 10, course: 0)
        var last = try #require(test.frame(31)).span
        for frame in 1...60 {
            let span = try #require(test.frame(31 + Double(frame) / 60)).span
            #expect(abs(span / last - 1) < 0.02)
            last = span
        }
        var fast = FilterUnderTest()
        fast.driveNorth(at: 900, until: 3)
        #expect(abs(try #require(fast.frame(3)).span - 20_000) < 1e-6)
    }

    @Test("a compass heading is shown for three seconds")
    func heading() throws {
        var test = FilterUnderTest()
        test.fix(0)
        test.filter.observe(
            Heading(trueHeading: 77, timestamp: test.field.timestamp(at: 0)), at: test.field.instant(at: 0))
        #expect(try #require(test.frame(2.9)).heading == 77)
        #expect(try #require(test.frame(3.1)).heading == nil)
    }
}
