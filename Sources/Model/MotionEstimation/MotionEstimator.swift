import Glibc
import LocationModel

/// Estimates motion from fixes with one Kalman filter for each error model, weighted by how well it predicts the fixes.
///
/// This is D. T. Magill's adaptive estimator ("Optimal adaptive estimation of sampled stochastic processes", IEEE
/// Trans. AC-10, 1965): a receiver whose error varies from fix to fix is averaged, one whose error hardly varies is
/// followed, and the stated uncertainty fits either.
///
/// It uses the times of fixes only, not their arrivals; the same fixes in the same order give the same state.
struct MotionEstimator: Sendable {
    enum Outcome {
        case used, outlier, restarted
    }

    /// The time of the last fix that was used.
    private(set) var timestamp: Timestamp
    private(set) var plane: TangentPlane
    private(set) var state: MotionState
    private var filters: [KalmanFilter]
    private var weights: [Double]
    private var outliers = OutlierRun()
    private var velocityErrorBound = VelocityErrorBound()
    /// True after an impossible velocity. A second one in a row is believed.
    private var distrustedVelocity = false

    /// Starts at `location`; without a velocity of its own, with the average velocity since the fix `before`.
    init(at location: Location, after before: Location? = nil) {
        let measurement = Measurement(location)
        timestamp = location.timestamp
        let plane = TangentPlane(at: location.coordinate)
        self.plane = plane
        let velocity = measurement.velocity(in: plane)
        let way = velocity == nil ? before.flatMap { measurement.velocity(in: plane, from: $0) } : nil
        weights = ErrorModel.all.map(\.probability)
        filters = ErrorModel.all.map { model in
            var filter = KalmanFilter(model: model, position: .zero, sigma: measurement.sigma)
            if let velocity { filter.set(velocity: velocity, sigma: measurement.velocitySigma(within: nil)) }
            if let way { filter.set(velocity: way.velocity, sigma: way.sigma) }
            if measurement.stands { filter.stop(sigma: Measurement.standingSigma) }
            return filter
        }
        if let velocity, measurement.isVelocityMeasured {
            velocityErrorBound.add(velocity, at: location.coordinate, in: plane, interval: 0)
        }
        state = MotionState(filters, weights: weights)
    }

    /// Processes a fix `elapsed` seconds after the last one that was used.
    ///
    /// - Parameter isAlone: true if no outlier detection follows, so that an implausible fix resets the estimate at
    ///   once.
    mutating func observe(_ location: Location, elapsed: Double, isAlone: Bool) -> Outcome {
        guard elapsed <= Dynamics.longestGap else { return restart(at: location) }
        let measurement = Measurement(location)
        let position = plane.point(of: location.coordinate)
        let (filtersBefore, weightsBefore) = (filters, weights)
        for index in filters.indices { filters[index].predict(elapsed) }
        let predicted = MotionState(filters, weights: weights)
        // Count the whole stated error, so that the gate stays open for errors that change at once.
        let spread = predicted.positionVariance + measurement.sigma * measurement.sigma
        let innovation = position - predicted.position
        guard dot(innovation, innovation) <= ValidationGate.position * spread else {
            (filters, weights) = (filtersBefore, weightsBefore)
            let confirmed = outliers.add(location)
            return confirmed != nil || isAlone ? restart(at: location, after: confirmed) : .outlier
        }
        outliers = OutlierRun()
        timestamp = location.timestamp

        var velocity = measurement.velocity(in: plane)
        if let measured = velocity {
            let difference = measured - predicted.velocity
            let sigma = measurement.velocitySigma(within: velocityErrorBound.sigma)
            let spread = predicted.velocityVariance + sigma * sigma
            let isPossible =
                dot(difference, difference) <= ValidationGate.velocity * spread
                || length(difference) <= ValidationGate.acceleration * elapsed
            if !isPossible && !distrustedVelocity { velocity = nil }
            distrustedVelocity = !isPossible && !distrustedVelocity
        }
        if let velocity, measurement.isVelocityMeasured {
            velocityErrorBound.add(velocity, at: location.coordinate, in: plane, interval: elapsed)
        } else {
            velocityErrorBound.interrupt()
        }
        let velocitySigma = measurement.velocitySigma(within: velocityErrorBound.sigma)
        var likelihoods = [Double](repeating: 0, count: filters.count)
        for index in filters.indices {
            if let velocity {
                likelihoods[index] += filters[index].update(velocity: velocity, sigma: velocitySigma)
            }
            likelihoods[index] += filters[index].update(position: position, sigma: measurement.sigma)
        }
        if measurement.stands {
            for index in filters.indices { filters[index].stop(sigma: Measurement.standingSigma) }
        }
        weigh(by: likelihoods, elapsed: elapsed)
        recentre()
        state = MotionState(filters, weights: weights)
        return .used
    }

    private mutating func restart(at location: Location, after before: Location? = nil) -> Outcome {
        self = MotionEstimator(at: location, after: before)
        return .restarted
    }

    /// Updates the weights by Bayes' rule, forgetting slowly so that a change of the receiver is noticed.
    private mutating func weigh(by likelihoods: [Double], elapsed: Double) {
        let memory = exp(-elapsed / 300)
        let news = min(elapsed, 1)
        let logarithms = zip(weights, likelihoods).map { memory * log($0) + news * $1 }
        let best = logarithms.max() ?? 0
        for index in weights.indices { weights[index] = max(exp(logarithms[index] - best), 1e-4) }
        let sum = weights.reduce(0, +)
        for index in weights.indices { weights[index] /= sum }
    }

    /// Moves the plane's origin to the user once they are far from it.
    private mutating func recentre() {
        let position = MotionState(filters, weights: weights).position
        guard length(position) > 500, let middle = plane.coordinate(of: position) else { return }
        let next = TangentPlane(at: middle)
        for index in filters.indices {
            let (east, north) = (filters[index].east, filters[index].north)
            let place = plane.coordinate(of: SIMD2(east.x, north.x)).map { next.point(of: $0) } ?? .zero
            (filters[index].east.x, filters[index].north.x) = (place.x, place.y)
            for part in 1...3 {
                let vector = plane.vector(SIMD2(east[part], north[part]), in: next)
                (filters[index].east[part], filters[index].north[part]) = (vector.x, vector.y)
            }
        }
        plane = next
    }
}

/// Gates for implausible measurements, as squares in standard deviations: quantiles of χ² with two degrees of freedom,
/// −2 ln(1 − p).
private enum ValidationGate {
    /// 99.99 %.
    static let position = 18.4
    /// 99.9999 %.
    static let velocity = 27.6
    /// A velocity change within this acceleration, in m/s², which tyres can produce, always passes.
    static let acceleration = 10.0
}

/// Detects a receiver that was really moved: a run of outliers that agree with one another.
private struct OutlierRun: Sendable {
    /// The length of a run that is believed.
    private static let believed = 3

    private var last: Location?
    private var count = 0

    /// Adds an outlier. When the run is long enough, returns the one before it.
    mutating func add(_ location: Location) -> Location? {
        defer { last = location }
        guard let last else {
            count = 1
            return nil
        }
        let seconds = abs(location.timestamp.duration(since: last.timestamp).seconds)
        let speed = max(Measurement(last).speed ?? 300, Measurement(location).speed ?? 300, 1)
        let sigma = max(Measurement(last).sigma, Measurement(location).sigma)
        // Twice the distance at that speed, or at an airliner's if it is unknown, plus the position errors of both
        // fixes.
        let reach = 2 * speed * min(seconds, Dynamics.longestGap) + (2 * ValidationGate.position).squareRoot() * sigma
        count = last.coordinate.distance(to: location.coordinate) <= reach ? count + 1 : 1
        return count >= Self.believed ? last : nil
    }
}
