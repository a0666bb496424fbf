import CommandLineSupport

/// A rose with a needle towards the course, turned like the map: right on the rose is right on the map.
enum CompassRose {
    static let columns = 15
    static let rows = 7

    /// Draws it with its upper left corner at a cell. `up` is the direction that is up on the map, `course` that of the
    /// needle, `nil` for no needle; both in degrees clockwise from true north.
    static func draw(on screen: inout Screen, column: Int, row: Int, up: Double, course: Double?) {
        var canvas = DotCanvas(columns: columns, rows: rows, charset: screen.charset)
        let (x, y) = canvas.dotsPerCell
        let centre = Dot(x: Double(columns * x) / 2, y: Double(rows * y) / 2)
        // The letters are half a cell outside of the ring.
        let ring = Double(y) * 2.4
        canvas.circle(around: centre, radius: ring, spacing: ring * 2 * .pi / 24, .faint)
        if let course {
            canvas.line(from: centre, to: centre.offset(by: ring - 1.5, towards: course - up), .user)
        }
        canvas.draw(on: &screen, column: column, row: row)
        for (letter, direction) in [("N", 0.0), ("E", 90), ("S", 180), ("W", 270)] {
            let place = centre.offset(by: Double(y) * 3.1, towards: direction - up)
            screen.put(
                letter, column: column + Int((place.x / Double(x)).rounded(.down)),
                row: row + min(rows - 1, max(0, Int((place.y / Double(y)).rounded(.down)))),
                style: letter == "N" ? .strong : .faint)
        }
        let middle = course == nil ? (screen.charset == .unicode ? "·" : "+") : (screen.charset == .unicode ? "●" : "o")
        screen.put(middle, column: column + columns / 2, row: row + rows / 2, style: course == nil ? .faint : .user)
    }
}
