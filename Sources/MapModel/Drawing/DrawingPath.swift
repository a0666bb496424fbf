import Glibc

/// An outline of straight lines and curves.
public struct DrawingPath: Hashable, Sendable {
    /// A place in a picture.
    public struct Point: Hashable, Sendable {
        /// From the left.
        public var x: Double
        /// From the top.
        public var y: Double

        /// The place at `x` and `y`.
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

    /// An outline of nothing.
    public init() {}

    /// Begins a new part at a place.
    public mutating func move(toX x: Double, y: Double) { steps.append(.move(Point(x: x, y: y))) }

    /// Goes straight to a place.
    public mutating func addLine(toX x: Double, y: Double) { steps.append(.line(Point(x: x, y: y))) }

    /// Goes to `end` along a cubic Bézier curve.
    public mutating func addCurve(to end: Point, control1: Point, control2: Point) {
        steps.append(.curve(end, control1: control1, control2: control2))
    }

    /// Goes straight to where the arc begins, or begins there, and along it clockwise. Angles are in degrees clockwise from
    /// the top; the arc ends less than a full turn further.
    public mutating func addArc(centerX: Double, centerY: Double, radius: Double, from start: Double, to end: Double) {
        func point(_ angle: Double) -> Point {
            Point(x: centerX + radius * sin(angle * .pi / 180), y: centerY - radius * cos(angle * .pi / 180))
        }
        steps.append(steps.isEmpty ? .move(point(start)) : .line(point(start)))
        steps.append(.arc(point(end), radius: radius, isLarge: end - start > 180))
    }

    /// Goes straight back to where this part began.
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
