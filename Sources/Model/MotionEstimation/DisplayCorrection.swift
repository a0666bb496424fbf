/// Fades out the difference between the shown position and the position predicted from a new fix.
///
/// The difference decays within `duration` along the polynomial of fifth degree that begins with the given position,
/// velocity and acceleration and ends with zero in all three: no jump in any of them, and the least jerk possible (T.
/// Flash and N. Hogan, "The coordination of arm movements", Journal of Neuroscience 5, 1985). With s = t/T it is (1 −
/// s)³·(c₀ + c₁s + c₂s²).
struct DisplayCorrection: Sendable {
    private let c0, c1, c2: SIMD2<Double>
    private let duration: Double

    /// No correction.
    static let none = DisplayCorrection(from: .rest, to: .rest, duration: 1)

    /// Blends from `shown` to `meant`, both at the time of the fix, in `duration` seconds.
    init(from shown: Kinematics, to meant: Kinematics, duration: Double) {
        c0 = shown.position - meant.position
        c1 = duration * (shown.velocity - meant.velocity) + 3 * c0
        c2 = duration * duration / 2 * (shown.acceleration - meant.acceleration) + 3 * (c1 - c0)
        self.duration = duration
    }

    /// The offset to add to the prediction, `interval` seconds after the fix.
    func kinematics(after interval: Double) -> Kinematics {
        let s = min(interval / duration, 1)
        let rest = 1 - s
        // The second factor and its derivatives with respect to s.
        let f = c0 + s * (c1 + s * c2)
        let f1 = c1 + 2 * s * c2
        let f2 = 2 * c2
        let velocity = rest * rest * (rest * f1 - 3 * f)
        let acceleration = rest * (rest * rest * f2 - 6 * rest * f1 + 6 * f)
        return Kinematics(
            position: rest * rest * rest * f,
            velocity: velocity / duration,
            acceleration: acceleration / (duration * duration))
    }
}
