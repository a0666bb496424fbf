/// The combined estimate of all error models at the last fix: position, velocity and acceleration in a plane, with
/// their covariance along each axis (the fourth row and column are empty).
struct MotionState: Sendable {
    private let east, north: SIMD4<Double>
    private let covariance: Matrix4

    /// The mean of `filters` by their `weights`, with their covariances and the spread of their means.
    init(_ filters: [KalmanFilter], weights: [Double]) {
        var (east, north, covariance) = (SIMD4<Double>.zero, SIMD4<Double>.zero, Matrix4.zero)
        for (filter, weight) in zip(filters, weights) {
            east += weight * filter.east
            north += weight * filter.north
        }
        for (filter, weight) in zip(filters, weights) {
            covariance.add(filter.covariance, times: weight)
            covariance.rows.0[0] += weight * filter.unestimatedVariance
            // One covariance serves both axes, so take the mean of the two squares.
            covariance.addSquare(of: filter.east - east, times: weight / 2)
            covariance.addSquare(of: filter.north - north, times: weight / 2)
        }
        (east.w, north.w) = (0, 0)
        covariance.separate(KalmanFilter.Part.error)
        (self.east, self.north, self.covariance) = (east, north, covariance)
    }

    var position: SIMD2<Double> { SIMD2(east.x, north.x) }
    var velocity: SIMD2<Double> { SIMD2(east.y, north.y) }
    var acceleration: SIMD2<Double> { SIMD2(east.z, north.z) }
    var positionVariance: Double { covariance.rows.0.x }
    var velocityVariance: Double { covariance.rows.1.y }
    var accelerationVariance: Double { covariance.rows.2.z }

    /// The variance of the position along one axis, `interval` seconds ahead.
    func positionVariance(after interval: Double) -> Double {
        var covariance = covariance
        var rest = interval
        while rest > 0 {
            let step = min(rest, Dynamics.longestStep)
            rest -= step
            Dynamics.Transition(step, persistence: 1).carry(&covariance)
        }
        return covariance.rows.0.x
    }
}
