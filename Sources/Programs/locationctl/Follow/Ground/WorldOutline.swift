import LocationModel

/// The coasts of the world, for a view that has no location yet.
struct WorldOutline: Sendable {
    var lines: [[Coordinate]] = []

    /// The latitudes that are shown: without the poles, where hardly anybody is.
    private static let latitudes = -60.0...80.0

    /// Draws it into a rectangle of cells, as large as fits: a plate carrée, in which a degree is as long everywhere.
    func draw(on screen: inout Screen, column: Int, row: Int, size: Size) {
        guard !lines.isEmpty, size.columns > 0, size.rows > 0 else { return }
        var canvas = DotCanvas(columns: size.columns, rows: size.rows, charset: screen.charset)
        let height = Self.latitudes.upperBound - Self.latitudes.lowerBound
        let scale = min(Double(canvas.width) / 360, Double(canvas.height) / height)
        let left = (Double(canvas.width) - 360 * scale) / 2
        let top = (Double(canvas.height) - height * scale) / 2
        for line in lines {
            var last: Dot?
            for point in line {
                let dot = Dot(
                    x: left + (point.longitude + 180) * scale,
                    y: top + (Self.latitudes.upperBound - point.latitude) * scale)
                let isShown = Self.latitudes.contains(point.latitude)
                // A line across the 180th meridian would cross the whole picture.
                if let last, isShown, abs(dot.x - last.x) < 180 * scale { canvas.line(from: last, to: dot, .water) }
                last = isShown ? dot : nil
            }
        }
        canvas.draw(on: &screen, column: column, row: row)
    }
}
