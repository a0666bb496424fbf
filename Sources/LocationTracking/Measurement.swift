import LocationModel

/// What a filter takes from a fix, with sane values where the receiver gives none or impossible ones.
struct Measurement {
    private let location: Location

    init(_ location: Location) {
        self.location = location
    }

    /// The stated error of the position along each axis, in metres.
    var sigma: Double {
        guard let radius = location.horizontalAccuracy else { return Self.assumedSigma }
        // More than half the way round the earth says no more than that.
        return min(max(ErrorModel.sigma(radius68: radius), 0.1), 1e7)
    }

    /// In m/s; `nil` for what no receiver on or above the earth can have.
    var speed: Double? { location.speed.flatMap { $0 <= 1e4 ? $0 : nil } }

    /// The receiver says that it stands. Many do so below some speed of their own.
    var stands: Bool { speed.map { $0 < 0.03 } ?? false }

    /// The velocity in `plane`: by speed and course; zero when standing, whatever the course.
    ///
    /// `nil` with a speed that has no course: to take it in the direction that the filter believes in would confirm
    /// whatever it believes.
    func velocity(in plane: TangentPlane) -> SIMD2<Double>? {
        guard let speed else { return nil }
        if stands { return .zero }
        if let course = location.course { return speed * plane.direction(course: course, at: location.coordinate) }
        // Slow is as good as standing, give or take the speed itself.
        return speed < Self.slow ? .zero : nil
    }

    /// The velocity in `plane` with which one comes here from `before`, and its error; `nil` for fixes of one moment.
    func velocity(in plane: TangentPlane, from before: Location) -> (velocity: SIMD2<Double>, sigma: Double)? {
        let seconds = location.timestamp.duration(since: before.timestamp).seconds
        guard seconds > 0.01, seconds <= Dynamics.longestGap else { return nil }
        let way = plane.point(of: location.coordinate) - plane.point(of: before.coordinate)
        return (way / seconds, (sigma + Measurement(before).sigma) / seconds)
    }

    /// The error of the velocity along each axis, in m/s: the mean of that along and that across the course.
    ///
    /// gpsd makes up an error from those of two positions where a receiver gives none; that is tens of m/s and says
    /// nothing of a speed that comes from Doppler shifts. So what is above `largestSpeedSigma` is not believed.
    var velocitySigma: Double {
        if stands { return Self.standingSigma }
        if location.course == nil, let speed { return max(speed, Self.assumedSpeedSigma) }
        let assumed = min(max(Self.speedSigmaShare * sigma, Self.assumedSpeedSigma), Self.largestSpeedSigma)
        let along = location.speedAccuracy.flatMap { $0 <= Self.largestSpeedSigma ? $0 : nil } ?? assumed
        let across = location.courseAccuracy.map { min((speed ?? 0) * $0 * .pi / 180, Self.largestSpeedSigma) } ?? along
        let scale = Self.scaleError * (speed ?? 0)
        let square = (along * along + across * across) / 2 + scale * scale
        return min(max(square.squareRoot(), 0.05), Self.largestSpeedSigma)
    }

    /// Without a stated accuracy: that of a receiver with a fair view of the sky. The GPS SPS Performance Standard (2020)
    /// promises 8 m, 95 %, for the signal alone.
    static let assumedSigma = 6.0
    /// Receivers' data sheets promise 0.05 to 0.1 m/s; with reflections it is more. Where few satellites stand badly,
    /// position and speed suffer alike, so there is also a share of the position's error in it, per second.
    static let assumedSpeedSigma = 0.3
    static let speedSigmaShare = 0.1
    static let largestSpeedSigma = 3.0
    /// The share of the speed that it may be off by: at 10 km height the way over ground is 0.16 % shorter than that through
    /// the air.
    static let scaleError = 0.003
    /// In m/s.
    static let slow = 1.0
    /// Someone who stands may still shuffle.
    static let standingSigma = 0.1
}
