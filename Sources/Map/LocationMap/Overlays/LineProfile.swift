public import LocationModel

/// The course of a line along its length, such as the altitudes of a recorded track. The page shows it when the user clicks
/// the line.
public struct LineProfile: Hashable, Sendable {
    /// The line at one point.
    public struct Sample: Hashable, Sendable {
        /// The distance from the start, in metres.
        public var distance: Double
        /// The position.
        public var coordinate: Coordinate
        /// The altitude in metres; `nil` if it is unknown.
        public var altitude: Double?
        /// The speed in metres a second; `nil` if it is unknown.
        public var speed: Double?
        /// The time; `nil` if it is unknown.
        public var time: Timestamp?

        /// Creates a sample.
        public init(
            distance: Double, coordinate: Coordinate, altitude: Double? = nil, speed: Double? = nil,
            time: Timestamp? = nil
        ) {
            (self.distance, self.coordinate, self.altitude) = (distance, coordinate, altitude)
            (self.speed, self.time) = (speed, time)
        }
    }

    /// The greatest number of samples that a profile keeps: two for a pixel of a narrow diagram.
    public static let maximumCount = 600

    /// The samples by ascending distance, at most ``maximumCount``. Of more, those with the lowest and the highest altitude of
    /// equal parts of the length are kept, and the first and the last.
    public let samples: [Sample]
    /// The time from the start to the end; `nil`, the default, if it is unknown.
    public var duration: Duration?
    /// The time in motion; `nil`, the default, if it is unknown.
    public var movingTime: Duration?
    /// The total ascent, in metres; `nil`, the default, if it is unknown.
    public var climb: Double?
    /// The total descent, in metres; `nil`, the default, if it is unknown.
    public var descent: Double?

    /// Creates a profile of `samples`. Those whose distance is less than that of the one before, or not finite, are left out.
    public init(samples: [Sample]) {
        var last = 0.0
        let ascending = samples.filter { sample in
            guard sample.distance.isFinite, sample.distance >= last else { return false }
            last = sample.distance
            return true
        }
        self.samples = Self.thinned(ascending, length: last)
    }

    /// The length of the line, in metres.
    public var length: Double { samples.last?.distance ?? 0 }

    private static func thinned(_ samples: [Sample], length: Double) -> [Sample] {
        guard samples.count > maximumCount, let first = samples.first, let last = samples.last else { return samples }
        // Two samples of each part, and the ends.
        let parts = Double(maximumCount / 2 - 2)
        let part = { (sample: Sample) in length > 0 ? Int(sample.distance / length * parts) : 0 }
        var kept = [first]
        var near: [Sample] = []
        for sample in samples.dropFirst().dropLast() {
            if let before = near.last, part(before) != part(sample) {
                kept += extremes(of: near)
                near.removeAll(keepingCapacity: true)
            }
            near.append(sample)
        }
        return kept + extremes(of: near) + [last]
    }

    /// The samples with the lowest and the highest altitude, in their order.
    private static func extremes(of samples: [Sample]) -> [Sample] {
        let altitude = { (index: Int) in samples[index].altitude ?? -.infinity }
        guard let lowest = samples.indices.min(by: { altitude($0) < altitude($1) }),
            let highest = samples.indices.max(by: { altitude($0) < altitude($1) })
        else { return [] }
        return Set([lowest, highest]).sorted().map { samples[$0] }
    }
}
