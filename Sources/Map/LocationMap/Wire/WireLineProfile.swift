/// The profile of a line in the form for pages.
struct WireLineProfile: Encodable {
    /// The samples, each as an array of its distance, longitude, latitude, altitude, speed and milliseconds since 1970.
    var samples: [[Double?]]
    var duration, movingTime, climb, descent: Double?

    init(_ profile: LineProfile) {
        samples = profile.samples.map { sample in
            [
                Self.rounded(sample.distance, to: 10), Self.rounded(sample.coordinate.longitude, to: 1e6),
                Self.rounded(sample.coordinate.latitude, to: 1e6), Self.rounded(sample.altitude, to: 10),
                Self.rounded(sample.speed, to: 100),
                sample.time.map { Double($0.nanosecondsSince1970 / 1_000_000) },
            ]
        }
        duration = Self.rounded(profile.duration.map { $0 / .seconds(1) }, to: 10)
        movingTime = Self.rounded(profile.movingTime.map { $0 / .seconds(1) }, to: 10)
        (climb, descent) = (Self.rounded(profile.climb, to: 10), Self.rounded(profile.descent, to: 10))
    }

    private static func rounded(_ value: Double?, to parts: Double) -> Double? {
        guard let value, value.isFinite else { return nil }
        return (value * parts).rounded() / parts
    }
}
