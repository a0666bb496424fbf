import Glibc

/// An outline of straight lines and curves.
public struct DrawingPath: Hashable, Sendable {
    /// A point of a picture.
    public struct Point: Hashable, Sendable {
        /// The distance from the left, in pixels.
        public var x: Double
        /// The distance from the top, in pixels.
        public var y: Double

        /// Creates the point at `x` and `y`.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    enum Step: Hashable, Sendable {
        case move(Point)
        case line(Point)
        case curve(Point, control1: Point, control2: Point)
        case arc(Point, radius: Double, isLarge: Bool)
        case close
    }

    private(set) var steps: [Step] = []

    /// Creates an empty outline.
    public init() {}

    /// Starts a new subpath at a point.
    public mutating func move(toX x: Double, y: Double) { steps.append(.move(Point(x: x, y: y))) }

    /// Adds a straight line to a point.
    public mutating func addLine(toX x: Double, y: Double) { steps.append(.line(Point(x: x, y: y))) }

    /// Adds a cubic Bézier curve to `end`.
    public mutating func addCurve(to end: Point, control1: Point, control2: Point) {
        steps.append(.curve(end, control1: control1, control2: control2))
    }

    /// Adds a straight line to the start of an arc (unless the subpath starts there), and the arc clockwise. Angles are
    /// in degrees clockwise from the top; the arc is shorter than a full circle.
    public mutating func addArc(centerX: Double, centerY: Double, radius: Double, from start: Double, to end: Double) {
        func point(_ angle: Double) -> Point {
            Point(x: centerX + radius * sin(angle * .pi / 180), y: centerY - radius * cos(angle * .pi / 180))
        }
        steps.append(steps.isEmpty ? .move(point(start)) : .line(point(start)))
        steps.append(.arc(point(end), radius: radius, isLarge: end - start > 180))
    }

    /// Closes the subpath with a straight line.
    public mutating func close() { steps.append(.close) }

    func moved(_ dx: Double, _ dy: Double) -> DrawingPath {
        func moved(_ point: Point) -> Point { Point(x: point.x + dx, y: point.y + dy) }
        var path = self
        path.steps = steps.map { step in
            switch step {
            case .move(let point): .move(moved(point))
            case .line(let point): .line(moved(point))
            case .curve(let end, let control1, let control2):
                .curve(moved(end), control1: moved(control1), control2: moved(control2))
            case .arc(let end, let radius, let isLarge): .arc(moved(end), radius: radius, isLarge: isLarge)
            case .close: .close
            }
        }
        return path
    }
}
