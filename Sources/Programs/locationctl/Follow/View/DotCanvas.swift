import CommandLineSupport

/// A point in a canvas, in dots from its upper left corner. The middle of a dot is half a dot further.
struct Dot: Hashable, Sendable {
    /// To the right.
    var x: Double
    /// Downwards.
    var y: Double
}

/// A picture in roughly square dots: 2 by 4 to a cell in braille, 1 by 2 in ASCII.
struct DotCanvas {
    let columns: Int
    let rows: Int
    /// The width and height of a cell in dots.
    let dotsPerCell: (x: Int, y: Int)
    private var bits: [UInt8]
    private var styles: [Style]

    /// The width in dots.
    var width: Int { columns * dotsPerCell.x }
    /// The height in dots.
    var height: Int { rows * dotsPerCell.y }

    /// An empty canvas of this size in cells.
    init(columns: Int, rows: Int, charset: Charset) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        dotsPerCell = charset == .unicode ? (2, 4) : (1, 2)
        bits = Array(repeating: 0, count: self.columns * self.rows)
        styles = Array(repeating: .plain, count: self.columns * self.rows)
    }

    /// An empty canvas of the size of a part of a screen.
    init(size: Size, charset: Charset) { self.init(columns: size.columns, rows: size.rows, charset: charset) }

    /// Sets a dot; does nothing outside of the canvas. The style applies to the whole cell: the last one drawn shows,
    /// and the ground only if nothing else is there.
    mutating func set(_ dot: Dot, _ style: Style) {
        guard (0..<Double(width)).contains(dot.x), (0..<Double(height)).contains(dot.y) else { return }
        let (x, y) = (Int(dot.x), Int(dot.y))
        let cell = y / dotsPerCell.y * columns + x / dotsPerCell.x
        if bits[cell] != 0, styles[cell].isGround != style.isGround {
            if style.isGround { return }
            bits[cell] = 0
        }
        bits[cell] |= 1 << UInt8(y % dotsPerCell.y * dotsPerCell.x + x % dotsPerCell.x)
        styles[cell] = style
    }

    /// Draws a line, however far its ends are.
    mutating func line(from start: Dot, to end: Dot, _ style: Style) {
        guard let (start, end) = clipped(start, end) else { return }
        let steps = max(abs(end.x - start.x), abs(end.y - start.y)).rounded(.up)
        for step in stride(from: 0, through: steps, by: 1) {
            let part = steps > 0 ? step / steps : 0
            set(Dot(x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part), style)
        }
    }

    /// Draws a circle of single dots, about `spacing` dots apart.
    mutating func circle(around centre: Dot, radius: Double, spacing: Double, _ style: Style) {
        // A circle far larger than the canvas has no useful arc in it.
        guard radius > 0, radius < 4 * Double(width + height) else { return }
        let count = max(8, (2 * .pi * radius / spacing).rounded())
        for step in stride(from: 0, to: count, by: 1) {
            set(centre.offset(by: radius, towards: step / count * 360), style)
        }
    }

    /// Copies every cell with a dot to the screen.
    func draw(on screen: inout Screen, column: Int, row: Int) {
        for (index, bits) in bits.enumerated() where bits != 0 {
            screen[column + index % columns, row + index / columns] = Cell(
                scalar: glyph(bits), style: styles[index])
        }
    }

    private func glyph(_ bits: UInt8) -> Unicode.Scalar {
        guard dotsPerCell.x == 2 else { return bits == 1 ? "'" : bits == 2 ? "." : ":" }
        // Unicode numbers the dots of a braille pattern down the left column, then the right one, and the lowest row
        // last.
        let order: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
        let pattern = order.enumerated().reduce(0) { bits >> UInt8($1.offset) & 1 == 1 ? $0 | $1.element : $0 }
        return Unicode.Scalar(0x2800 + pattern) ?? "?"
    }

    /// The part of a line inside the canvas: Liang and Barsky, "A new concept and method for line clipping", ACM
    /// Transactions on Graphics 3 (1984).
    private func clipped(_ start: Dot, _ end: Dot) -> (Dot, Dot)? {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        guard dx.isFinite, dy.isFinite else { return nil }
        var (enters, leaves) = (0.0, 1.0)
        let edges = [
            (-dx, start.x), (dx, Double(width) - start.x), (-dy, start.y), (dy, Double(height) - start.y),
        ]
        for (direction, distance) in edges {
            if direction == 0 {
                if distance < 0 { return nil }
            } else if direction < 0 {
                enters = max(enters, distance / direction)
            } else {
                leaves = min(leaves, distance / direction)
            }
        }
        guard enters <= leaves else { return nil }
        return (
            Dot(x: start.x + enters * dx, y: start.y + enters * dy),
            Dot(x: start.x + leaves * dx, y: start.y + leaves * dy)
        )
    }
}
