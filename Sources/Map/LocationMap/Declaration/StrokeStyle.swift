/// The form of a line on a declared ``Map`` (SwiftUI's `StrokeStyle`).
public struct StrokeStyle: Hashable, Sendable {
    /// The width in pixels. Default 1.
    public var lineWidth: Double
    /// The shape of the ends. Default round.
    public var lineCap: LineCap
    /// The shape of the corners. Default round.
    public var lineJoin: LineJoin
    /// The lengths of dashes and gaps in turn, in pixels. Empty, the default, for a solid line.
    public var dash: [Double]

    /// Creates a form of these properties.
    public init(
        lineWidth: Double = 1, lineCap: LineCap = .round, lineJoin: LineJoin = .round, dash: [Double] = []
    ) {
        (self.lineWidth, self.lineCap, self.lineJoin, self.dash) = (lineWidth, lineCap, lineJoin, dash)
    }
}
