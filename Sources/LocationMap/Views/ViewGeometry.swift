/// A place on the screen or a distance there, in CSS pixels, x to the right and y downwards.
public struct ViewPoint: Hashable, Sendable {
    /// To the right.
    public var x: Double
    /// Downwards.
    public var y: Double

    /// `x` to the right and `y` downwards.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Nowhere away.
    public static let zero = ViewPoint(x: 0, y: 0)
}

/// The size of something on the screen, in CSS pixels.
public struct ViewSize: Hashable, Sendable {
    /// From left to right.
    public var width: Double
    /// From top to bottom.
    public var height: Double

    /// `width` by `height`.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}
