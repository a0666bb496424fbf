/// The grid of buckets: columns around the world, of which the last is next to the first, and rows.
struct Raster: Sendable {
    /// The width of the world in pixels.
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

    /// The area of a bucket, in square pixels.
    var bucketArea: Double { 1 / (columnsPerPixel * rowsPerPixel) }

    @inline(__always)
    private func row(_ y: Double) -> Int { min(max(Int(floor: y * rowsPerPixel), 0), rows - 1) }

    @inline(__always)
    private func key(_ column: Int, _ row: Int) -> BucketDirectory.Key {
        var column = column
        if column < 0 || column >= columns {
            column %= columns
            if column < 0 { column += columns }
        }
        return BucketDirectory.Key(
            column: Int32(truncatingIfNeeded: column), row: Int32(truncatingIfNeeded: row), kind: 0)
    }

    /// The bucket of a place. Places north or south of the world belong to the buckets at its edge.
    @inline(__always)
    func key(x: Double, y: Double) -> BucketDirectory.Key { key(Int(floor: x * columnsPerPixel), row(y)) }

    /// The buckets that a rectangle touches, which may extend around the world: each once.
    struct Block {
        var firstColumn: Int
        var lastColumn: Int
        var firstRow: Int
        var lastRow: Int

        var count: Double { Double(lastColumn - firstColumn + 1) * Double(lastRow - firstRow + 1) }
    }

    @inline(__always)
    func block(minX: Double, maxX: Double, minY: Double, maxY: Double) -> Block {
        let first = Int(floor: minX * columnsPerPixel)
        return Block(
            firstColumn: first, lastColumn: min(Int(floor: maxX * columnsPerPixel), first &+ columns &- 1),
            firstRow: row(minY), lastRow: row(maxY))
    }

    /// Calls `body` with the existing buckets in `block`.
    @inline(__always)
    func forEachBucket(in block: Block, _ directory: BucketDirectory, _ body: (Int32) -> Void) {
        // In one piece, or in several if the rectangle extends around the world.
        var column = block.firstColumn
        while column <= block.lastColumn {
            let first = key(column, block.firstRow).column
            let last = min(block.lastColumn &- column, columns &- 1 &- Int(first)) &+ Int(first)
            directory.forEach(
                fromColumn: first, row: Int32(truncatingIfNeeded: block.firstRow),
                toColumn: Int32(truncatingIfNeeded: last), row: Int32(truncatingIfNeeded: block.lastRow), body)
            column &+= last &- Int(first) &+ 1
        }
    }

    /// Returns the distance from west to east between two places, the shorter way around the world.
    @inline(__always)
    func difference(_ one: Double, _ other: Double) -> Double {
        let difference = abs(one - other)
        return difference > world / 2 ? world - difference : difference
    }
}

extension Int {
    /// The largest integer up to `value`, which must be in range. Avoids the C library call that `rounded(.down)` makes
    /// on x86-64.
    @inline(__always)
    init(floor value: Double) {
        let truncated = Int(value)
        self = value < Double(truncated) ? truncated &- 1 : truncated
    }
}
