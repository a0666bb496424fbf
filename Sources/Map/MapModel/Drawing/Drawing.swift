/// A vector picture of shapes and text for annotation views, rendered as SVG.
///
/// A picture cannot contain markup, scripts, style sheets or external references: text is escaped, and the elements are
/// the ones below. Lengths are in CSS pixels, with the origin at the top left.
public struct Drawing: Hashable, Sendable {
    /// The position of a text relative to its anchor.
    public enum TextAlignment: Hashable, Sendable {
        /// The text begins at the anchor.
        case leading
        /// The text is centred on the anchor.
        case center
        /// The text ends at the anchor.
        case trailing
    }

    /// The fill and outline of a shape.
    public struct Paint: Hashable, Sendable {
        /// The fill colour; `nil`, the default, for none.
        public var fill: Color?
        /// The colour of the outline; `nil`, the default, for none.
        public var stroke: Color?
        /// The width of the outline, in pixels. Default 1.
        public var lineWidth: Double

        /// Creates a paint that fills with `fill` and outlines with `stroke`.
        public init(fill: Color? = nil, stroke: Color? = nil, lineWidth: Double = 1) {
            self.fill = fill
            self.stroke = stroke
            self.lineWidth = lineWidth
        }
    }

    enum Element: Hashable, Sendable {
        case circle(x: Double, y: Double, radius: Double, Paint)
        case rectangle(x: Double, y: Double, width: Double, height: Double, cornerRadius: Double, Paint)
        case path(DrawingPath, Paint)
        case text(String, x: Double, y: Double, size: Double, isBold: Bool, TextAlignment, Color)
    }

    /// The width, in pixels.
    public let width: Double
    /// The height, in pixels.
    public let height: Double
    private(set) var elements: [Element] = []

    /// Creates an empty picture of `width` by `height` pixels.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// Adds a circle around `x` and `y`.
    public mutating func addCircle(x: Double, y: Double, radius: Double, _ paint: Paint) {
        elements.append(.circle(x: x, y: y, radius: radius, paint))
    }

    /// Adds a rectangle with its top left corner at `x` and `y`.
    public mutating func addRectangle(
        x: Double, y: Double, width: Double, height: Double, cornerRadius: Double = 0, _ paint: Paint
    ) {
        elements.append(
            .rectangle(x: x, y: y, width: width, height: height, cornerRadius: cornerRadius, paint))
    }

    /// Adds `path`.
    public mutating func addPath(_ path: DrawingPath, _ paint: Paint) { elements.append(.path(path, paint)) }

    /// Adds `text` in one line, with letters of `size` pixels and the vertical middle at `y`.
    public mutating func addText(
        _ text: String, x: Double, y: Double, size: Double, isBold: Bool = false, alignment: TextAlignment = .center,
        color: Color = .label
    ) {
        elements.append(.text(text, x: x, y: y, size: size, isBold: isBold, alignment, color))
    }

    /// Adds `other` on top, with its top left corner at `x` and `y`.
    public mutating func add(_ other: Drawing, x: Double = 0, y: Double = 0) {
        elements += other.elements.map { $0.moved(x, y) }
    }
}

extension Drawing.Element {
    fileprivate func moved(_ dx: Double, _ dy: Double) -> Self {
        switch self {
        case .circle(let x, let y, let radius, let paint): .circle(x: x + dx, y: y + dy, radius: radius, paint)
        case .rectangle(let x, let y, let width, let height, let radius, let paint):
            .rectangle(x: x + dx, y: y + dy, width: width, height: height, cornerRadius: radius, paint)
        case .path(let path, let paint): .path(path.moved(dx, dy), paint)
        case .text(let text, let x, let y, let size, let isBold, let alignment, let color):
            .text(text, x: x + dx, y: y + dy, size: size, isBold: isBold, alignment, color)
        }
    }
}
