extension TilePath {
    /// The tile of a number; `nil` beyond zoom level 24.
    init?(hilbertNumber number: UInt64) {
        var (rest, z) = (number, 0)
        while z <= 24, rest >= UInt64(1) << UInt64(2 * z) {
            rest -= UInt64(1) << UInt64(2 * z)
            z += 1
        }
        var (x, y): (UInt64, UInt64) = (0, 0)
        for level in 0..<min(z, 25) {
            let side = UInt64(1) << UInt64(level)
            let right = rest >> 1 & 1
            let lower = (rest ^ right) & 1
            if lower == 0 {
                if right == 1 { (x, y) = (side &- 1 &- x, side &- 1 &- y) }
                swap(&x, &y)
            }
            x += side * right
            y += side * lower
            rest >>= 2
        }
        self.init(z: z, x: Int(truncatingIfNeeded: x), y: Int(truncatingIfNeeded: y))
    }

    /// The number of the tile in PMTiles: the levels one after the other, each along a Hilbert curve
    /// (<https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md>, section 4.1.1).
    var hilbertNumber: UInt64 {
        // A quarter of what the levels above have, each: (4^z - 1) / 3.
        var number = ((UInt64(1) << UInt64(2 * z)) - 1) / 3
        var (x, y) = (UInt64(x), UInt64(y))
        var side = (UInt64(1) << UInt64(z)) >> 1
        while side > 0 {
            let (right, lower): (UInt64, UInt64) = (x & side == 0 ? 0 : 1, y & side == 0 ? 0 : 1)
            number += side * side * ((3 * right) ^ lower)
            // The quarter's own curve is turned.
            if lower == 0 {
                if right == 1 { (x, y) = (side &- 1 &- x, side &- 1 &- y) }
                swap(&x, &y)
            }
            side >>= 1
        }
        return number
    }
}
