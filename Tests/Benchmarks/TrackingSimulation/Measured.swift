import Glibc

/// What was seen of all frames of a scenario.
public struct Measured: Sendable {
    private var errors: [Double] = []
    private var heldErrors: [Double] = []
    private var covered = 0
    private var radii = 0.0
    private var path = 0.0
    private var heldPath = 0.0
    /// How many journeys there were.
    public internal(set) var journeys = 0
    /// The third difference of what is shown, in m/s³.
    public internal(set) var jerks: [Double] = []
    /// How far what is shown goes beyond where it settles after a hard stop, by the stated radius.
    public internal(set) var overshoots: [Double] = []
    /// And beyond where the user really stands.
    public internal(set) var beyond: [Double] = []
    /// The longest way between two frames that is more than the user's own, in metres.
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

    /// The root of the mean square of the error, in metres.
    public var rms: Double { Self.rms(errors) }
    /// That of holding the last fix.
    public var heldRMS: Double { Self.rms(heldErrors) }
    /// The error by that of holding the last fix: by root mean square,
    public var rmsRatio: Double { rms / heldRMS }
    /// by the mean,
    public var meanRatio: Double { errors.reduce(0, +) / heldErrors.reduce(0, +) }
    /// and by the 95th percentile.
    public var p95Ratio: Double { errors.quantile(0.95) / heldErrors.quantile(0.95) }
    /// The share of frames in which the truth is within the stated radius.
    public var coverage: Double { Double(covered) / Double(errors.count) }
    /// The mean of the stated radii, in metres.
    public var radius: Double { radii / Double(errors.count) }
    /// How long the way is that is shown, by that of the last fixes.
    public var wander: Double { path / heldPath }
    /// How many frames there were.
    public var frames: Int { errors.count }

    private static func rms(_ values: [Double]) -> Double {
        (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
    }
}

extension [Double] {
    /// The value that this share of all does not exceed; 0 of none.
    public func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Swift.min(Int(Double(count) * share), count - 1)]
    }
}
