/// The shape of a view that collisions are tested with (MapKit's `MKAnnotationView.CollisionMode`).
public enum CollisionMode: UInt8, Hashable, Sendable {
    /// The view's rectangle.
    case rectangle
    /// The largest circle inside the view's rectangle.
    case circle
    /// The view collides with nothing: it is always shown, hides nothing and joins no cluster.
    case none
}

/// Size and place of an annotation's view beside its coordinate, in CSS pixels with y downwards.
public struct ViewFrame: Hashable, Sendable {
    /// From left to right, 2 to 1024.
    public let width: Float
    /// From top to bottom, 2 to 1024.
    public let height: Float
    /// How far the view's middle lies right of its coordinate (MapKit's `centerOffset.x`), −1024 to 1024.
    public let centerOffsetX: Float
    /// How far the view's middle lies below its coordinate (MapKit's `centerOffset.y`), −1024 to 1024.
    public let centerOffsetY: Float
    /// The shape that collides.
    public let collisionMode: CollisionMode

    /// A frame of `width` by `height` pixels. What is out of range is brought into it.
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
