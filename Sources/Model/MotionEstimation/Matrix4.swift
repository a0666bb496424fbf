/// A symmetric 4×4 matrix: a covariance. Stored as rows, without heap allocation.
struct Matrix4: Sendable {
    var rows: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)

    init(diagonal d: SIMD4<Double>) {
        rows = (SIMD4(d.x, 0, 0, 0), SIMD4(0, d.y, 0, 0), SIMD4(0, 0, d.z, 0), SIMD4(0, 0, 0, d.w))
    }

    static let zero = Matrix4(diagonal: .zero)

    func times(_ vector: SIMD4<Double>) -> SIMD4<Double> {
        SIMD4(dot(rows.0, vector), dot(rows.1, vector), dot(rows.2, vector), dot(rows.3, vector))
    }

    mutating func transpose() {
        let (a, b, c, d) = rows
        rows = (
            SIMD4(a.x, b.x, c.x, d.x), SIMD4(a.y, b.y, c.y, d.y), SIMD4(a.z, b.z, c.z, d.z), SIMD4(a.w, b.w, c.w, d.w)
        )
    }

    /// Adds `factor` times `other`.
    mutating func add(_ other: Matrix4, times factor: Double) {
        rows.0 += factor * other.rows.0
        rows.1 += factor * other.rows.1
        rows.2 += factor * other.rows.2
        rows.3 += factor * other.rows.3
    }

    /// Adds `factor` times the product of `v` with itself.
    mutating func addSquare(of v: SIMD4<Double>, times factor: Double) {
        let scaled = v * factor
        rows.0 += v.x * scaled
        rows.1 += v.y * scaled
        rows.2 += v.z * scaled
        rows.3 += v.w * scaled
    }

    /// (I − k·hᵀ)·P·(I − k·hᵀ)ᵀ + k·kᵀ·variance, P being this matrix.
    mutating func correct(gain k: SIMD4<Double>, h: SIMD4<Double>, variance: Double) {
        subtract(k, times: h)
        transpose()
        subtract(k, times: h)
        addSquare(of: k, times: variance)
    }

    /// Removes a component's variance and its correlation with all others.
    mutating func separate(_ part: Int) {
        rows.0[part] = 0
        rows.1[part] = 0
        rows.2[part] = 0
        rows.3[part] = 0
        switch part {
        case 0: rows.0 = .zero
        case 1: rows.1 = .zero
        case 2: rows.2 = .zero
        default: rows.3 = .zero
        }
    }

    /// (I − k·hᵀ)·M.
    private mutating func subtract(_ k: SIMD4<Double>, times h: SIMD4<Double>) {
        // The row hᵀ·M.
        var row = h.x * rows.0
        row += h.y * rows.1
        row += h.z * rows.2
        row += h.w * rows.3
        rows.0 -= k.x * row
        rows.1 -= k.y * row
        rows.2 -= k.z * row
        rows.3 -= k.w * row
    }
}
