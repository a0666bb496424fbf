import Glibc
import LocationModel

/// An upper bound of the error of a receiver's velocities, from the velocities and the positions it reports.
///
/// gpsd derives the accuracy of a speed from the dilution of precision where the receiver states none: 26 to 575 m/s,
/// 95 %, in recordings. Speeds from Doppler shifts are far better than that. The fixes show by how much:
///
/// - The part of the error that is new at each fix: half of the mean square of the change from one velocity to the next
///   (J. von Neumann et al., "The mean square successive difference", Annals of Mathematical Statistics 12, 1941). The
///   user's acceleration only adds to it.
/// - The part that lasts: the distance between two positions, less the integral of the velocities between them, divided
///   by the time. The errors of the positions only add to it, and the longer the time, the less.
///
/// An error that lasts for a few seconds appears with a share in each part; together these are at least 70 % of its
/// variance.
struct VelocityErrorBound: Sendable {
    /// The time over which velocities are compared with positions, in seconds: the shares of the past decay with it.
    private static let window = 10.0
    /// The time after which a comparison counts 1/e, in seconds.
    private static let memory = 10.0
    /// The shortest time between two samples, in seconds: errors last too long to change within a tenth of a second.
    private static let shortestStep = 0.9
    /// The longest time between two fixes, in seconds; the velocities within a longer one are unknown.
    private static let longestStep = 10.0
    /// The number of comparisons before there is a bound.
    private static let fewest = 3

    private typealias Sample = (coordinate: Coordinate, velocity: SIMD2<Double>)

    /// The last fix, and the fix of the last comparison.
    private var last, compared: Sample?
    /// The integral of the velocities since the last comparison, in metres, and the seconds since then.
    private var travelled = SIMD2<Double>.zero
    private var elapsed = 0.0
    /// The integral of the velocities less the distance between positions, in metres, and its time in seconds, both with
    /// a decaying past.
    private var drift = SIMD2<Double>.zero
    private var reach = 0.0
    /// The sums of the squares for one axis, weighted by time, and of their divisors.
    private var driftSquares = 0.0
    private var reachSquares = 0.0
    private var changeSquares = 0.0
    private var seconds = 0.0
    private var count = 0

    /// The bound of the standard deviation along each axis, in m/s; `nil` while there are too few fixes.
    var sigma: Double? {
        guard count >= Self.fewest else { return nil }
        return (driftSquares / reachSquares + changeSquares / seconds).squareRoot()
    }

    /// Adds the measured velocity and position of a fix, `interval` seconds after the last one.
    mutating func add(
        _ velocity: SIMD2<Double>, at coordinate: Coordinate, in plane: TangentPlane, interval: Double
    ) {
        // Behind a gap the reception may be another.
        if interval > Self.longestStep { self = VelocityErrorBound() }
        guard let last, let compared else {
            (last, compared) = ((coordinate, velocity), (coordinate, velocity))
            return
        }
        self.last = (coordinate, velocity)
        travelled += interval * (last.velocity + velocity) / 2
        elapsed += interval
        guard elapsed >= Self.shortestStep else { return }
        let way = plane.point(of: coordinate) - plane.point(of: compared.coordinate)
        let kept = exp(-elapsed / Self.window)
        drift = kept * drift + travelled - way
        reach = kept * reach + elapsed
        let change = velocity - compared.velocity
        remember(drift: dot(drift, drift) / 2, change: dot(change, change) / 4)
        self.compared = (coordinate, velocity)
        (travelled, elapsed) = (.zero, 0)
    }

    /// Ends the comparison with earlier fixes, after one without a velocity. What they have shown is kept.
    mutating func interrupt() {
        (last, compared) = (nil, nil)
        (travelled, elapsed, drift, reach) = (.zero, 0, .zero, 0)
    }

    private mutating func remember(drift: Double, change: Double) {
        let kept = exp(-elapsed / Self.memory)
        driftSquares = kept * driftSquares + elapsed * drift
        reachSquares = kept * reachSquares + elapsed * reach * reach
        changeSquares = kept * changeSquares + elapsed * change
        seconds = kept * seconds + elapsed
        count += 1
    }
}
