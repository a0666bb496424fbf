import Glibc
import LocationModel
import MotionEstimation
import TrackingSimulation

/// A filter with short calls: seconds since the start, metres to the east and north.
struct FilterUnderTest {
    var filter = MotionFilter()
    let field = Field(start: .now)

    /// Passes a fix of a simulated receiver, which has no delay unless `arrival` says so.
    @discardableResult
    mutating func fix(
        _ time: Double, east: Double = 0, north: Double = 0, arrival: Double? = nil, accuracy: Double? = 4,
        speed: Double? = nil, course: Double? = nil
    ) -> MotionFilter.Outcome {
        filter.observe(
            location(time, east: east, north: north, accuracy: accuracy, speed: speed, course: course),
            at: field.instant(at: arrival ?? time))
    }

    func location(
        _ time: Double, east: Double = 0, north: Double = 0, accuracy: Double? = 4, speed: Double? = nil,
        course: Double? = nil
    ) -> Location {
        var location = Location(
            coordinate: field.coordinate(of: SIMD2(east, north)), timestamp: field.timestamp(at: time))
        location.horizontalAccuracy = accuracy
        (location.speed, location.course) = (speed, course)
        (location.speedAccuracy, location.courseAccuracy) = (speed.map { _ in 0.1 }, course.map { _ in 1 })
        location.sourceInformation = .init(isSimulated: true)
        return location
    }

    /// Drives north from second 0 with a fix each `interval`, until `last`.
    mutating func driveNorth(at speed: Double, until last: Double, interval: Double = 1) {
        for index in 0...Int((last / interval).rounded()) {
            let time = Double(index) * interval
            fix(time, north: time * speed, speed: speed, course: 0)
        }
    }

    func frame(_ time: Double) -> TrackingFrame? { filter.frame(at: field.instant(at: time)) }

    /// The shown position, in metres to the east and north.
    func position(_ time: Double) -> SIMD2<Double>? { frame(time).map { field.position(of: $0.coordinate) } }

    /// The distance between the positions shown at two times, in metres.
    func way(_ from: Double, _ to: Double) -> Double? {
        guard let from = frame(from), let to = frame(to) else { return nil }
        return from.coordinate.distance(to: to.coordinate)
    }
}

func length(_ vector: SIMD2<Double>) -> Double { hypot(vector.x, vector.y) }
