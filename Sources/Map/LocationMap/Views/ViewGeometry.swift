/// A point or an offset on the screen, in CSS pixels (UIKit's `CGPoint`).
public struct ViewPoint: Hashable, Sendable {
    /// The distance to the right.
    public var x: Double
    /// The distance downwards.
    public var y: Double

    /// Creates a point at `x` and `y`.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The origin: no offset.
    public static let zero = ViewPoint(x: 0, y: 0)
}

/// A size on the screen, in CSS pixels (UIKit's `CGSize`).
public struct ViewSize: Hashable, Sendable {
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a size of `width` by `height`.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}
