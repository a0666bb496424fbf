import LocationModel

/// The lines on the ground behind everything else in a view: streets, water, coasts.
struct Ground: Sendable {
    /// A line on the plane.
    struct Line: Sendable {
        var points: [Metres]
        var style: Style
    }

    /// The plane of the lines.
    let plane: TangentPlane
    /// The lines in drawing order: in a shared cell the last one shows.
    let lines: [Line]

    /// Draws the lines.
    func draw(_ projection: MapProjection, on canvas: inout DotCanvas) {
        for line in lines {
            var last: Dot?
            for point in line.points {
                let dot = projection.dot(at: point)
                if let last { canvas.line(from: last, to: dot, line.style) }
                last = dot
            }
        }
    }
}
