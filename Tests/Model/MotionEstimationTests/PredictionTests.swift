import Glibc
import LocationModel
import MotionEstimation
import Testing
import TrackingSimulation

@Suite("Prediction between fixes", .timeLimit(.minutes(10)))
struct PredictionTests {
    @Test("there is no frame before the first fix")
    func nothing() {
        #expect(FilterUnderTest().frame(0) == nil)
    }

    @Test("the first fix is shown unchanged")
    func first() throws {
        var test = FilterUnderTest()
        #expect(test.fix(0, east: 3, north: 4, accuracy: 5) == .restarted)
        let frame = try #require(test.frame(0))
        #expect(frame.coordinate.distance(to: test.field.coordinate(of: SIMD2(3, 4))) < 0.001)
        #expect(abs(frame.horizontalAccuracy - 5) < 0.1)
        #expect(frame.bearing == nil && frame.speed == nil && frame.heading == nil)
        #expect(!frame.isPredicted && frame.age == .zero)
        #expect(frame.timestamp == test.field.timestamp(at: 0))
        #expect(frame.sourceInformation == .init(isSimulated: true))
    }

    @Test("the position is extrapolated with the velocity", arguments: [0.1, 1, 10], [1.4, 14, 300])
    func carriedOn(interval: Double, speed: Double) throws {
        var test = FilterUnderTest()
        let last = interval * 20
        test.driveNorth(at: speed, until: last, interval: interval)
        for share in stride(from: 0.0, to: 1, by: 0.1) {
            let time = last + share * interval
            let frame = try #require(test.frame(time))
            let position = test.field.position(of: frame.coordinate)
            #expect(abs(position.y - time * speed) < 0.05 + 0.02 * interval + 0.005 * speed)
            #expect(abs(position.x) < 0.02)
            #expect(frame.isPredicted == (share > 0))
            #expect(abs(frame.age / .seconds(1) - share * interval) < 1e-6)
            #expect(abs(try #require(frame.speed) - speed) < 0.05 * speed)
        }
    }

    @Test("a curve is extrapolated")
    func curve() throws {
        var test = FilterUnderTest()
        // 10 m/s on a circle of 30 m.
        func place(_ time: Double) -> SIMD2<Double> { SIMD2(30 - 30 * cos(time / 3), 30 * sin(time / 3)) }
        for second in 0...12 {
            let (time, place) = (Double(second), place(Double(second)))
            let course = (time / 3 * 180 / .pi).truncatingRemainder(dividingBy: 360)
            test.fix(time, east: place.x, north: place.y, speed: 10, course: course)
        }
        let truth = place(12.9)
        let straight = place(12) + 9 * SIMD2(sin(4), cos(4))
        let shown = try #require(test.position(12.9))
        #expect(length(shown - truth) < length(straight - truth) / 2)
    }

    @Test("without a course, the speed follows the direction of the fixes")
    func speedAlone() throws {
        var test = FilterUnderTest()
        for second in 0...20 { test.fix(Double(second), east: 10 * Double(second), speed: 10) }
        let shown = try #require(test.position(20.9))
        #expect(length(shown - SIMD2(209, 0)) < 1.5)
    }

    @Test("without a speed, the speed is that of the fixes")
    func fixesAlone() throws {
        var test = FilterUnderTest()
        for second in 0...20 { test.fix(Double(second), east: 20 * Double(second)) }
        #expect(length(try #require(test.position(20.9)) - SIMD2(418, 0)) < 1.5)
        #expect(abs(try #require(test.frame(20.9)?.speed) - 20) < 1)
    }

    @Test("without an accuracy, the radius is an assumed one")
    func noAccuracy() throws {
        var test = FilterUnderTest()
        for second in 0...10 {
            test.fix(Double(second), east: 10 * Double(second), accuracy: nil, speed: 10, course: 90)
        }
        let frame = try #require(test.frame(10.5))
        #expect(length(test.field.position(of: frame.coordinate) - SIMD2(105, 0)) < 0.5)
        #expect((5...15).contains(frame.horizontalAccuracy))
    }

    @Test("an accuracy of zero and one of half the earth are limited to plausible values")
    func accuracies() throws {
        var test = FilterUnderTest()
        test.fix(0, accuracy: 1e8)
        #expect(try #require(test.frame(0)).horizontalAccuracy > 1e7)
        test.fix(1, east: 2000, accuracy: 3)
        let frame = try #require(test.frame(1.9))
        #expect(length(test.field.position(of: frame.coordinate) - SIMD2(2000, 0)) < 20)
        #expect(frame.horizontalAccuracy < 30)
        for second in 2...6 { test.fix(Double(second), east: 2000, accuracy: 0) }
        #expect(try #require(test.frame(6)).horizontalAccuracy > 0)
    }
}
