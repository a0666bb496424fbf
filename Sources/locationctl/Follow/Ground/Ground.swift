/// Lines on the ground that a view draws behind all else: streets, water, coasts.
struct Ground: Sendable {
    /// A line on the plane.
    struct Line: Sendable {
        var points: [Metres]
        var style: Style
    }

    /// The plane that the lines are on.
    let plane: GroundPlane
    /// Those drawn last show where two are in a cell.
    let lines: [Line]

    /// Draws them.
    func draw(_ projection: MapProjection, on raster: inout Raster) {
        for line in lines {
            var last: Dot?
            for point in line.points {
                let dot = projection.dot(at: point)
                if let last { raster.line(from: last, to: dot, line.style) }
                last = dot
            }
        }
    }
}
