public import LocationModel

public struct MotionFilter: Sendable {
    var last: (Location, ContinuousClock.Instant)?
    var heading: Double?
    public init() {}
    public mutating func observe(_ location: Location, at arrival: ContinuousClock.Instant) -> Bool { last = (location, arrival); return true }
    public mutating func observe(_ heading: Heading, at arrival: ContinuousClock.Instant) { self.heading = heading.trueHeading }
    public mutating func loseSource(at: ContinuousClock.Instant) {}
    public func frame(at now: ContinuousClock.Instant) -> TrackingFrame? {
        guard let last, last.1.duration(to: now) < .seconds(3) else { return nil }
        var f = TrackingFrame(coordinate: last.0.coordinate, horizontalAccuracy: 5, span: 200, timestamp: last.0.timestamp)
        f.age = last.1.duration(to: now) / .seconds(1)
        f.isPredicted = f.age > 0
        f.bearing = last.0.course
        f.heading = heading
        f.speed = last.0.speed
        return f
    }
}
