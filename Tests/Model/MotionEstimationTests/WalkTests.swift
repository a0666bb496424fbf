import Glibc
import LocationModel
import MotionEstimation
import Testing
import TrackingSimulation

/// Walks with receivers whose stated accuracies are not those of their measurements.
@Suite("At walking pace", .timeLimit(.minutes(10)))
struct WalkTests {
    /// The accuracies in a fix, for a radius or a range of 68 %; `nil` for none.
    struct Stated: Sendable, CustomTestStringConvertible {
        var speed, course, position: Double?
        var testDescription: String { "speed \(speed ?? -1), course \(course ?? -1), position \(position ?? -1)" }

        /// gpsd's `eps` of 26 to 575 m/s with `eph` of 17 to 45 m, as in recordings; a credible one, one that is too
        /// small, and none.
        static let all =
            [13, 290, 2.6, 0.1, 0.03, nil].flatMap { speed in
                [nil, 4, 10.5, 28].map { Stated(speed: speed, course: nil, position: $0) }
            } + [Stated(speed: 13, course: 90, position: 28), Stated(speed: nil, course: 27, position: 28)]
    }

    /// The shown motion from the tenth second on.
    struct Shown {
        var speeds: [Double] = []
        /// Degrees to the right of the direction of travel; 180 without a bearing.
        var turns: [Double] = []
        /// The way of the display, in metres.
        var way = 0.0

        func share(_ values: [Double], within bound: Double, of middle: Double = 0) -> Double {
            Double(values.filter { abs($0 - middle) <= bound }.count) / Double(max(values.count, 1))
        }

        var meanSpeed: Double { speeds.reduce(0, +) / Double(max(speeds.count, 1)) }
    }

    /// A receiver in the open: its velocities are good, and its positions are smooth.
    private static var receiver: SimulatedReceiver {
        var receiver = SimulatedReceiver()
        (receiver.sigma, receiver.correlationTime, receiver.whiteSigma) = (2, 100, 0.2)
        receiver.velocitySigma = 0.05...0.15
        return receiver
    }

    private static func walk(at speed: Double, stating stated: Stated, seeds: Range<UInt64> = 400..<410) -> Shown {
        var shown = Shown()
        for seed in seeds {
            let direction = Double(seed)
            var journey = Journey(speed: speed, direction: direction)
            journey.go(76)
            let field = Field(start: .now)
            let deliveries = receiver.deliveries(of: journey, in: field, seed: seed)
            var filter = MotionFilter()
            var next = 0
            var last: Coordinate?
            for tenth in 0..<750 {
                let time = Double(tenth) / 10
                while next < deliveries.count, deliveries[next].arrival <= time {
                    var location = deliveries[next].location
                    location.speedAccuracy = stated.speed
                    location.courseAccuracy = stated.course
                    location.horizontalAccuracy = stated.position
                    _ = filter.observe(location, at: field.instant(at: deliveries[next].arrival))
                    next += 1
                }
                guard time >= 10, let frame = filter.frame(at: field.instant(at: time)) else { continue }
                shown.speeds.append(frame.speed ?? 0)
                shown.turns.append(frame.bearing.map { remainder($0 - direction * 180 / .pi, 360) } ?? 180)
                if let last { shown.way += last.distance(to: frame.coordinate) }
                last = frame.coordinate
            }
        }
        return shown
    }

    @Test("after ten seconds the speed is right within 0.3 m/s and the course within 15°", arguments: Stated.all)
    func walks(stated: Stated) {
        for speed in [1.4, 3] {
            let shown = Self.walk(at: speed, stating: stated)
            #expect(shown.speeds.count > 6400)
            #expect(abs(shown.meanSpeed - speed) < 0.1)
            #expect(shown.share(shown.speeds, within: 0.3, of: speed) > 0.88)
            #expect(shown.share(shown.turns, within: 15) > 0.97)
        }
    }

    /// A course is kept at standstill, and a stated accuracy that is too small is believed: one of ten has a course.
    @Test(
        "a standing user is shown with no speed and hardly a course, whatever the receiver states",
        arguments: Stated.all)
    func stands(stated: Stated) {
        let shown = Self.walk(at: 0, stating: stated)
        #expect(shown.meanSpeed < 0.05)
        #expect(shown.share(shown.speeds, within: 0.3) > 0.95)
        let isBelieved = stated.speed.map { $0 <= 0.1 } ?? false
        #expect(shown.share(shown.turns, within: 0, of: 180) >= (isBelieved ? 0.85 : 1))
    }

    @Test("a recorded boat at walking pace, with eps of 47 m/s, is shown with its speed and course after ten seconds")
    func boat() throws {
        let log = try #require(RecordedLog.all().first { $0.name == "boat" })
        #expect(log.locations.allSatisfy { $0.speedAccuracy.map { $0 > 20 } ?? true })
        var filter = MotionFilter()
        let start = ContinuousClock.now
        for (location, next) in zip(log.locations, log.locations.dropFirst()) {
            let time = location.timestamp.duration(since: log.locations[0].timestamp)
            _ = filter.observe(location, at: start + time)
            let later = next.timestamp.duration(since: log.locations[0].timestamp) - .milliseconds(1)
            guard time >= .seconds(10), let frame = filter.frame(at: start + later) else { continue }
            #expect(abs(try #require(frame.speed) - (try #require(next.speed))) < 0.3)
            #expect(abs(remainder(try #require(frame.bearing) - (try #require(next.course)), 360)) < 15)
        }
    }

    @Test("a velocity that contradicts the positions is doubted, and the stated accuracy counts")
    func contradicted() throws {
        var test = FilterUnderTest()
        for second in 0...40 {
            var location = test.location(Double(second), accuracy: 28, speed: 1.2, course: Double(second * 73 % 360))
            (location.speedAccuracy, location.courseAccuracy) = (290, nil)
            _ = test.filter.observe(location, at: test.field.instant(at: Double(second)))
        }
        let frame = try #require(test.frame(40.5))
        #expect(try #require(frame.speed) < 0.1)
        #expect(frame.bearing == nil)
    }
}
