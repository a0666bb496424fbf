/// A grid of cells over the world: columns around it, of which the last is next to the first, and rows.
struct Raster: Sendable {
    /// The place of a cell in the grid.
    struct Cell: Equatable, Sendable {
        var column: Int32
        var row: Int32
    }

    /// The width of the world in pixels.
    let world: Double
    private let columns: Int
    private let rows: Int
    private let columnsPerPixel: Double
    private let rowsPerPixel: Double

    /// Cells of at least `width` by `height` pixels.
    init(world: Double, width: Double, height: Double) {
        self.world = world
        columns = max(1, Int(world / width))
        rows = max(1, Int(world / height))
        columnsPerPixel = Double(columns) / world
        rowsPerPixel = Double(rows) / world
    }

    @inline(__always)
    private func row(_ y: Double) -> Int { min(max(Int(floor: y * rowsPerPixel), 0), rows - 1) }

    @inline(__always)
    private func cell(_ column: Int, _ row: Int) -> Cell {
        Cell(
            column: Int32(truncatingIfNeeded: column.wrapped(into: columns)), row: Int32(truncatingIfNeeded: row))
    }

    /// The cell of a place. Places north or south of the world belong to the cells at its edge.
    @inline(__always)
    func cell(x: Double, y: Double) -> Cell { cell(Int(floor: x * columnsPerPixel), row(y)) }

    /// The cells that a rectangle touches, which may extend around the world: each once.
    struct Block {
        fileprivate var columns: ClosedRange<Int>
        fileprivate var rows: ClosedRange<Int>

        var count: Double { Double(columns.count) * Double(rows.count) }
    }

    @inline(__always)
    func block(minX: Double, maxX: Double, minY: Double, maxY: Double) -> Block {
        let first = Int(floor: minX * columnsPerPixel)
        return Block(
            columns: first...max(first, min(Int(floor: maxX * columnsPerPixel), first + columns - 1)),
            rows: row(minY)...max(row(minY), row(maxY)))
    }

    /// True if a cell of `block` satisfies `predicate`.
    @inline(__always)
    func contains(in block: Block, where predicate: (Cell) -> Bool) -> Bool {
        for row in block.rows {
            for column in block.columns where predicate(cell(column, row)) { return true }
        }
        return false
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

    /// The number that differs from this one by a multiple of `count`, from 0 up to `count`.
    @inline(__always)
    func wrapped(into count: Int) -> Int {
        if self >= 0, self < count { return self }
        let rest = self % count
        return rest < 0 ? rest + count : rest
    }
}
