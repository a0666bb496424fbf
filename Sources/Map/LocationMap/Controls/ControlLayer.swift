public import MapModel

/// The background, border and corners of a ``MapControl`` (the part of `CALayer` that control buttons use).
///
/// Icons and text take a colour that is legible on the background.
public struct ControlLayer: Hashable, Sendable {
    /// The colour of the background; `nil`, the default, for that of the page's style.
    public var backgroundColor: Color?
    /// The colour of the border. Default black, and white in the dark variant.
    public var borderColor = Color.label
    /// The width of the border in pixels, clamped to 0…20. Default 0, no border.
    public var borderWidth = 0.0 { didSet { borderWidth = Self.clamp(borderWidth, 20) } }
    /// The radius of the corners in pixels, clamped to 0…100; `nil`, the default, for that of the page's style.
    public var cornerRadius: Double? { didSet { cornerRadius = cornerRadius.map { Self.clamp($0, 100) } } }
    /// True if nothing is drawn outside of the border: the control has no shadow. Default false.
    public var masksToBounds = false

    /// Creates a layer of the page's style.
    public init() {}

    /// The number from 0 to `limit` that is next to `value`; 0 for one that is not a number.
    private static func clamp(_ value: Double, _ limit: Double) -> Double { value > 0 ? min(value, limit) : 0 }
}
