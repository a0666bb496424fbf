/// The shape of a view for collisions (MapKit's `MKAnnotationView.CollisionMode`).
public enum CollisionMode: UInt8, Hashable, Sendable {
    /// The view's rectangle.
    case rectangle
    /// The largest circle inside the view's rectangle.
    case circle
    /// The view collides with nothing: it is always visible, hides nothing and joins no cluster.
    case none
}

/// The size of an annotation's view and its offset from the coordinate, in CSS pixels with y downwards.
public struct ViewFrame: Hashable, Sendable {
    /// The width, 2 to 1024.
    public let width: Float
    /// The height, 2 to 1024.
    public let height: Float
    /// The offset of the view's middle to the right of its coordinate (MapKit's `centerOffset.x`), −1024 to 1024.
    public let centerOffsetX: Float
    /// The offset of the view's middle below its coordinate (MapKit's `centerOffset.y`), −1024 to 1024.
    public let centerOffsetY: Float
    /// The shape of the view for collisions.
    public let collisionMode: CollisionMode

    /// Creates a frame of `width` by `height` pixels. Values are clamped to their ranges.
    public init(
        width: Float, height: Float, centerOffsetX: Float = 0, centerOffsetY: Float = 0,
        collisionMode: CollisionMode = .rectangle
    ) {
        self.width = width > 2 ? min(width, Self.limit) : 2
        self.height = height > 2 ? min(height, Self.limit) : 2
        self.centerOffsetX = centerOffsetX.isFinite ? min(max(centerOffsetX, -Self.limit), Self.limit) : 0
        self.centerOffsetY = centerOffsetY.isFinite ? min(max(centerOffsetY, -Self.limit), Self.limit) : 0
        self.collisionMode = collisionMode
    }

    private static let limit: Float = 1024
}
