import Glibc

func dot(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double { (a * b).sum() }

func dot(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> Double { (a * b).sum() }

func length(_ a: SIMD2<Double>) -> Double { hypot(a.x, a.y) }

/// The unit vector of `a`; north for a zero vector.
func unit(_ a: SIMD2<Double>) -> SIMD2<Double> {
    let length = length(a)
    return length > 0 ? a / length : SIMD2(0, 1)
}

/// The same direction, from 0 up to 360 degrees.
func normalized(degrees: Double) -> Double {
    let rest = remainder(degrees, 360)
    // Adding 360 to a remainder of −1e-20 gives 360.
    return rest >= 0 ? rest : (rest + 360 < 360 ? rest + 360 : 0)
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
