/// The buckets that contestants are kept in: columns around the world, so that the last one touches the first, and rows.
struct Raster: Sendable {
    /// How many pixels the world is wide.
    let world: Double
    private let columns: Int
    private let rows: Int
    private let columnsPerPixel: Double
    private let rowsPerPixel: Double

    /// Buckets of at least `width` by `height` pixels.
    init(world: Double, width: Double, height: Double) {
        self.world = world
        columns = max(1, Int(world / width))
        rows = max(1, Int(world / height))
        columnsPerPixel = Double(columns) / world
        rowsPerPixel = Double(rows) / world
    }

    /// A column and a row in one number.
    struct Key: Hashable, Sendable {
        let bits: UInt64

        @inline(__always)
        init(_ column: Int, _ row: Int) {
            bits = UInt64(UInt32(truncatingIfNeeded: column)) << 32 | UInt64(UInt32(truncatingIfNeeded: row))
        }

        /// Neighbours mostly share a line of the cache: four by four of them follow one another.
        @inline(__always)
        var hash: UInt32 {
            let (column, row) = (UInt32(truncatingIfNeeded: bits >> 32), UInt32(truncatingIfNeeded: bits))
            return SlotTable.hash(tile(2)) << 4 | (column & 3) << 2 | (row & 3)
        }

        /// The square of 2 to the `shift` buckets each way that it lies in.
        @inline(__always)
        func tile(_ shift: UInt64) -> UInt64 {
            ((bits >> (32 + shift)) << 32) | ((bits & 0xFFFF_FFFF) >> shift)
        }
    }

    @inline(__always)
    private func row(_ y: Double) -> Int { Int(min(max(y * rowsPerPixel, 0), Double(rows - 1))) }

    @inline(__always)
    private func wrapped(_ column: Int) -> Int {
        if column >= 0, column < columns { return column }
        let rest = column % columns
        return rest < 0 ? rest + columns : rest
    }

    /// The bucket of a place. What lies north or south of the world belongs to the buckets at its edge.
    @inline(__always)
    func key(x: Double, y: Double) -> Key {
        Key(wrapped(Int(floor: x * columnsPerPixel)), row(y))
    }

    /// The buckets that a rectangle touches, which may reach around the world: each once.
    struct Block {
        let columns: ClosedRange<Int>
        let rows: ClosedRange<Int>

        var count: Double { Double(columns.count) * Double(rows.count) }
    }

    @inline(__always)
    func block(minX: Double, maxX: Double, minY: Double, maxY: Double) -> Block {
        let first = Int(floor: minX * columnsPerPixel)
        let last = min(Int(floor: max(minX, maxX) * columnsPerPixel), first + columns - 1)
        return Block(columns: first...last, rows: row(minY)...row(max(minY, maxY)))
    }

    @inline(__always)
    func forEachKey(in block: Block, _ body: (Key) -> Void) {
        var row = block.rows.lowerBound
        while row <= block.rows.upperBound {
            var column = block.columns.lowerBound
            while column <= block.columns.upperBound {
                body(Key(wrapped(column), row))
                column += 1
            }
            row += 1
        }
    }

    /// How far two places are apart from west to east, the shorter way.
    @inline(__always)
    func difference(_ one: Double, _ other: Double) -> Double {
        let difference = abs(one - other)
        return difference > world / 2 ? world - difference : difference
    }
}

extension Int {
    /// The largest whole number that is not larger than `value`, which is in range. Without the call into the C library
    /// that `rounded(.down)` is on x86-64.
    @inline(__always)
    init(floor value: Double) {
        let truncated = Int(value)
        self = value < Double(truncated) ? truncated - 1 : truncated
    }
}
