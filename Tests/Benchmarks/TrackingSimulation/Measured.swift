import Glibc

/// The measurements of all frames of a scenario.
public struct Measured: Sendable {
    private var errors: [Double] = []
    private var heldErrors: [Double] = []
    private var covered = 0
    private var radii = 0.0
    private var path = 0.0
    private var heldPath = 0.0
    /// The number of journeys.
    public internal(set) var journeys = 0
    /// The third differences of the shown position, in m/s³.
    public internal(set) var jerks: [Double] = []
    /// The overshoots beyond the position where the display settles after a hard stop, as multiples of the stated
    /// radius.
    public internal(set) var overshoots: [Double] = []
    /// The overshoots beyond the true position.
    public internal(set) var beyond: [Double] = []
    /// The largest movement between two frames beyond the user's own, in metres.
    public private(set) var largestJump = 0.0

    mutating func note(error: Double, held: Double, radius: Double) {
        errors.append(error)
        heldErrors.append(held)
        radii += radius
        if error <= radius { covered += 1 }
    }

    mutating func noteStep(_ moved: Double, beyond: Double) {
        path += moved
        largestJump = max(largestJump, beyond)
    }

    mutating func noteHeldJump(_ from: SIMD2<Double>?, _ to: SIMD2<Double>) {
        if let from { heldPath += length(to - from) }
    }

    /// The root mean square of the error, in metres.
    public var rms: Double { Self.rms(errors) }
    /// The same for holding the last fix.
    public var heldRMS: Double { Self.rms(heldErrors) }
    /// The ratio of the error to that of holding the last fix, by root mean square.
    public var rmsRatio: Double { rms / heldRMS }
    /// The same ratio by the mean.
    public var meanRatio: Double { errors.reduce(0, +) / heldErrors.reduce(0, +) }
    /// The same ratio by the 95th percentile.
    public var p95Ratio: Double { errors.quantile(0.95) / heldErrors.quantile(0.95) }
    /// The share of frames whose radius contains the true position.
    public var coverage: Double { Double(covered) / Double(errors.count) }
    /// The mean of the stated radii, in metres.
    public var radius: Double { radii / Double(errors.count) }
    /// The length of the shown path, as a multiple of that of the last fixes.
    public var wander: Double { path / heldPath }
    /// The number of frames.
    public var frames: Int { errors.count }

    private static func rms(_ values: [Double]) -> Double {
        (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
    }
}

extension [Double] {
    /// The quantile at this share; 0 without values.
    public func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Swift.min(Int(Double(count) * share), count - 1)]
    }
}
