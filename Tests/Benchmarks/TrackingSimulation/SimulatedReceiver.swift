import SeededRandom
import Glibc
public import LocationModel

/// A simulated receiver: its errors, its reported values and its delays.
///
/// The error of the position is a first-order Gauss–Markov process plus white noise, that of the velocity is white (the
/// Doppler shift is measured anew for each fix). J. Rios et al. found this form in recordings (Sensors 20 (2020) 6050);
/// a sigma of 3 m belongs to a receiver with 8 m at 95 %, which the GPS SPS Performance Standard promises. Correlation
/// times in the literature range from seconds to many minutes; D. L. Wilson's measurements of a Garmin 12XL bend at one
/// minute.
public struct SimulatedReceiver: Sendable {
    /// The standard deviation of the lasting error along each axis, in metres.
    public var sigma = 3.0
    /// The correlation time of that error, in seconds.
    public var correlationTime = 30.0
    /// The standard deviation of the white error, in metres.
    public var whiteSigma = 0.5
    /// The standard deviation of the velocity along each axis, in m/s; each seed has its own.
    public var velocitySigma = 0.1...0.3
    /// True if it reports speed and course.
    public var tellsVelocity = true
    /// The ratio of the stated accuracy to the true one.
    public var statedScale = 1.0
    /// True if its positions are exact, whatever accuracy it states.
    public var isExact = false
    /// The delay of the fastest fix in seconds, by seed.
    public var delay = 0.05...0.35
    /// The mean of the random additional delay, in seconds.
    public var jitter = 0.05
    /// The interval between fixes in seconds.
    public var interval = 1.0

    /// A receiver with the values above.
    public init() {}

    /// A fix and its arrival.
    public struct Delivery: Sendable {
        /// The fix.
        public var location: Location
        /// Its position, in metres.
        public var position: SIMD2<Double>
        /// Its arrival, in seconds since the start.
        public var arrival: Double
    }

    /// The fixes of `journey`, in the order of arrival.
    public func deliveries(of journey: Journey, in field: Field, seed: UInt64) -> [Delivery] {
        var random = SeededGenerator(seed: seed ^ 0x5EED)
        let velocitySigma = random.uniform(velocitySigma)
        let delay = random.uniform(delay)
        let persistence = exp(-interval / correlationTime)
        let total = (sigma * sigma + whiteSigma * whiteSigma).squareRoot()
        var lasting = sigma * random.normalVector()
        var last = 0.0
        return stride(from: 0, through: journey.duration, by: interval).map { time in
            let error = isExact ? .zero : lasting + whiteSigma * random.normalVector()
            let position = journey.position(at: time) + error
            lasting =
                persistence * lasting
                + sigma * (1 - persistence * persistence).squareRoot() * random.normalVector()
            var location = Location(coordinate: field.coordinate(of: position), timestamp: field.timestamp(at: time))
            location.horizontalAccuracy = total * Field.sigmasInRadius68 * statedScale
            let velocity = journey.velocity(at: time) + velocitySigma * random.normalVector()
            if tellsVelocity {
                let speed = hypot(velocity.x, velocity.y)
                let course = atan2(velocity.x, velocity.y) * 180 / .pi
                location.speed = speed
                location.course = course < 0 ? course + 360 : course
                location.speedAccuracy = velocitySigma
                location.courseAccuracy = min(velocitySigma / max(speed, 0.01) * 180 / .pi, 180)
            }
            last = max(last, time + delay + random.exponential(mean: jitter))
            return Delivery(location: location, position: position, arrival: last)
        }
    }
}

/// A local plane on the earth for a simulation, and its starting time.
public struct Field: Sendable {
    static let sigmasInRadius68 = (-2 * log(1 - 0.68)).squareRoot()

    private let latitude = 48.0, longitude = 11.0
    private let metresPerDegree: SIMD2<Double>
    /// The start of the simulation on the monotonic clock.
    public let start: ContinuousClock.Instant

    /// A field whose simulation starts at `start`.
    public init(start: ContinuousClock.Instant) {
        self.start = start
        let lengths = WGS84.metresPerDegree(atLatitude: latitude)
        metresPerDegree = SIMD2(lengths.longitude, lengths.latitude)
    }

    /// Exact to a thousandth of a length within some tens of kilometres, and the same for everything compared.
    public func coordinate(of position: SIMD2<Double>) -> Coordinate {
        let degrees = position / metresPerDegree
        guard let coordinate = Coordinate(latitude: latitude + degrees.y, longitude: longitude + degrees.x) else {
            preconditionFailure("the simulation left the field")
        }
        return coordinate
    }

    /// The inverse of `coordinate(of:)`.
    public func position(of coordinate: Coordinate) -> SIMD2<Double> {
        SIMD2(coordinate.longitude - longitude, coordinate.latitude - latitude) * metresPerDegree
    }

    /// The receiver's time, in seconds since the start.
    public func timestamp(at time: Double) -> Timestamp {
        Timestamp(nanosecondsSince1970: 1_790_000_000_000_000_000 + Int64((time * 1e9).rounded()))
    }

    /// The time on the monotonic clock.
    public func instant(at time: Double) -> ContinuousClock.Instant { start + .nanoseconds(Int64(time * 1e9)) }
}
