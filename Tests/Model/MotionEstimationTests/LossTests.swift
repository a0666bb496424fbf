import LocationModel
import MotionEstimation
import Testing
import TrackingSimulation

@Suite("Without fixes", .timeLimit(.minutes(10)))
struct LossTests {
    @Test("a prediction ends three seconds after the last fix, and the radius continues to grow")
    func ends() throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 14, until: 20)
        #expect(try #require(test.way(22.9, 23)) < 0.3)
        #expect(test.position(23) == test.position(29))
        #expect(try #require(test.frame(23.1)).speed == nil)
        var last = 0.0
        for tenth in stride(from: 20.0, through: 30, by: 0.1) {
            let frame = try #require(test.frame(tenth))
            #expect(frame.horizontalAccuracy > last)
            #expect(abs(frame.age / .seconds(1) - (tenth - 20)) < 1e-6)
            last = frame.horizontalAccuracy
        }
        // The user may have continued at 14 m/s.
        #expect(try #require(test.frame(29)).horizontalAccuracy > 80)
    }

    @Test("there is no frame after ten seconds, or after three and a half intervals of a slow receiver")
    func tooOld() {
        var test = FilterUnderTest()
        test.driveNorth(at: 14, until: 20)
        #expect(test.frame(29.9) != nil)
        #expect(test.frame(30.1) == nil)
        var slow = FilterUnderTest()
        slow.driveNorth(at: 14, until: 100, interval: 10)
        #expect(slow.frame(134) != nil)
        #expect(slow.frame(136) == nil)
    }

    @Test("a lost source ends frames at once, and the next fix is shown in its place")
    func lost() throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 14, until: 20)
        test.filter.sourceLost(at: test.field.instant(at: 21))
        #expect(test.frame(21) == nil)
        #expect(test.frame(20.5) == nil)
        #expect(test.fix(27, north: 27 * 14 + 10, speed: 14, course: 0) == .used)
        #expect(abs(try #require(test.position(27)).y - (27 * 14 + 10)) < 3)
    }

    @Test("far away after a loss, the estimate is reset at the first fix")
    func elsewhere() throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 2, until: 20)
        test.filter.sourceLost(at: test.field.instant(at: 21))
        #expect(test.fix(30, north: 9000, speed: 2, course: 0) == .restarted)
        #expect(abs(try #require(test.position(30)).y - 9000) < 0.01)
    }

    @Test("after a gap of more than a minute, the estimate is reset")
    func gap() {
        var test = FilterUnderTest()
        test.driveNorth(at: 14, until: 20)
        #expect(test.fix(81, north: 300, speed: 0) == .restarted)
    }
}

@Suite("Outliers", .timeLimit(.minutes(10)))
struct OutlierTests {
    @Test("one outlier is ignored")
    func single() throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 10)
        #expect(test.fix(11, east: 400, north: 110, speed: 10, course: 0) == .outlier)
        #expect(length(try #require(test.position(11.5)) - SIMD2(0, 115)) < 1)
        #expect(abs(try #require(test.frame(11.5)).age / .seconds(1) - 1.5) < 1e-6)
        #expect(test.fix(12, north: 120, speed: 10, course: 0) == .used)
        #expect(length(try #require(test.position(12.5)) - SIMD2(0, 125)) < 1)
    }

    @Test("three outliers that agree are accepted and shown at once")
    func moved() throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 10)
        #expect(test.fix(11, east: 5000, speed: 10, course: 0) == .outlier)
        #expect(test.fix(12, east: 5000, north: 10, speed: 10, course: 0) == .outlier)
        #expect(test.fix(13, east: 5000, north: 20, speed: 10, course: 0) == .restarted)
        #expect(length(try #require(test.position(13)) - SIMD2(5000, 20)) < 0.1)
        #expect(test.fix(14, east: 5000, north: 30, speed: 10, course: 0) == .used)
    }

    @Test("three outliers that disagree are ignored")
    func scattered() {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 10)
        for second in 11...16 {
            let east = Double(second % 3 - 1) * 6000 + 2000
            #expect(test.fix(Double(second), east: east, speed: 0) == .outlier)
        }
    }

    @Test("a single impossible speed is ignored")
    func speed() throws {
        var test = FilterUnderTest()
        test.driveNorth(at: 10, until: 10)
        #expect(test.fix(11, north: 110, speed: 200, course: 90) == .used)
        #expect(length(try #require(test.position(11.9)) - SIMD2(0, 119)) < 3)
    }
}
