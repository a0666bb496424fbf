import LocationModel

/// The measured values of a fix, with defaults for missing and impossible ones.
struct Measurement {
    private let location: Location

    init(_ location: Location) {
        self.location = location
    }

    /// The standard deviation of the position along each axis, in metres.
    var sigma: Double {
        guard let radius = location.horizontalAccuracy else { return Self.assumedSigma }
        // Half the circumference of the earth is the largest meaningful error.
        return min(max(ErrorModel.sigma(radius68: radius), 0.1), 1e7)
    }

    /// The speed in m/s; `nil` if it is impossible on or above the earth.
    var speed: Double? { location.speed.flatMap { $0 <= 1e4 ? $0 : nil } }

    /// True if the receiver reports standstill. Many do so below a speed of their own.
    var stands: Bool { speed.map { $0 < 0.03 } ?? false }

    /// The velocity in `plane`, from speed and course; zero at standstill, whatever the course.
    ///
    /// `nil` for a speed without a course: combining it with the estimated direction would only confirm the estimate.
    func velocity(in plane: TangentPlane) -> SIMD2<Double>? {
        guard let speed else { return nil }
        if stands { return .zero }
        if let course = location.course { return speed * plane.direction(course: course, at: location.coordinate) }
        // Treat a slow speed as zero, with the speed itself as its error.
        return speed < Self.slow ? .zero : nil
    }

    /// The average velocity in `plane` since the fix `before`, and its error; `nil` for fixes of the same time.
    func velocity(in plane: TangentPlane, from before: Location) -> (velocity: SIMD2<Double>, sigma: Double)? {
        let seconds = location.timestamp.duration(since: before.timestamp).seconds
        guard seconds > 0.01, seconds <= Dynamics.longestGap else { return nil }
        let way = plane.point(of: location.coordinate) - plane.point(of: before.coordinate)
        return (way / seconds, (sigma + Measurement(before).sigma) / seconds)
    }

    /// True if `velocity(in:)` is the receiver's own, and not assumed because of a slow speed without a course.
    var isVelocityMeasured: Bool { stands || (speed != nil && location.course != nil) }

    /// The standard deviation of the velocity along each axis, in m/s: the mean of the errors along and across the
    /// course.
    ///
    /// If a receiver states none, gpsd derives one from the errors of two positions; that is tens of m/s and says
    /// nothing about a speed from Doppler shifts. So values above `largestSpeedSigma` are ignored, and no value counts
    /// beyond `bound`, that of `VelocityErrorBound`, if it is known.
    func velocitySigma(within bound: Double?) -> Double {
        if stands { return Self.standingSigma }
        if location.course == nil, let speed { return max(speed, Self.assumedSpeedSigma) }
        let assumed = min(max(Self.speedSigmaShare * sigma, Self.assumedSpeedSigma), Self.largestSpeedSigma)
        let along = location.speedAccuracy.flatMap { $0 <= Self.largestSpeedSigma ? $0 : nil } ?? assumed
        let across = location.courseAccuracy.map { min((speed ?? 0) * $0 * .pi / 180, Self.largestSpeedSigma) } ?? along
        let scale = Self.scaleError * (speed ?? 0)
        let square = (along * along + across * across) / 2 + scale * scale
        // Positions that are smoothed with the velocities agree with them better than with the truth.
        let largest = bound.map { min(max($0, Self.assumedSpeedSigma), Self.largestSpeedSigma) }
        return min(max(square.squareRoot(), Self.smallestSpeedSigma), largest ?? Self.largestSpeedSigma)
    }

    /// The default without a stated accuracy, for a receiver with a fair view of the sky. The GPS SPS Performance
    /// Standard (2020) promises 8 m, 95 %, for the signal alone.
    static let assumedSigma = 6.0
    /// Data sheets promise 0.05 to 0.1 m/s; reflections make it more. Where satellites are few or badly placed,
    /// position and speed suffer alike, so a share of the position's error is added, per second.
    static let assumedSpeedSigma = 0.3
    static let speedSigmaShare = 0.1
    static let smallestSpeedSigma = 0.1
    static let largestSpeedSigma = 3.0
    /// The relative error of the speed: at 10 km altitude the distance over ground is 0.16 % shorter than the distance
    /// through the air.
    static let scaleError = 0.003
    /// Speeds below this, in m/s, count as slow.
    static let slow = 1.0
    /// A standing person may still shuffle.
    static let standingSigma = 0.1
}
