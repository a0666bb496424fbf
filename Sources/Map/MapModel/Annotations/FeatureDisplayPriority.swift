/// The priority of showing an annotation view where it collides with another (MapKit's `MKFeatureDisplayPriority`).
public struct FeatureDisplayPriority: RawRepresentable, Hashable, Comparable, Sendable {
    /// The value, 0 to 1000. Of two colliding views the one with the larger value is shown.
    public let rawValue: Float

    /// The priority `rawValue`, clamped to 0…1000; NaN becomes 0.
    public init(rawValue: Float) { self.rawValue = rawValue > 0 ? Swift.min(rawValue, 1000) : 0 }

    /// The priority of a view that is never hidden.
    public static let required = FeatureDisplayPriority(rawValue: 1000)
    /// The priority of a view that only required views hide.
    public static let defaultHigh = FeatureDisplayPriority(rawValue: 750)
    /// The priority of a view that most others hide.
    public static let defaultLow = FeatureDisplayPriority(rawValue: 250)

    /// True if `left` is hidden where both collide.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The priority of drawing an annotation view on top of others (MapKit's `MKAnnotationViewZPriority`). Among equal
/// priorities, the southern view is on top.
public struct AnnotationViewZPriority: RawRepresentable, Hashable, Comparable, Sendable {
    /// The value, 0 to 1000. Of two overlapping views the one with the larger value is on top.
    public let rawValue: Float

    /// The priority `rawValue`, clamped to 0…1000; NaN becomes 0.
    public init(rawValue: Float) { self.rawValue = rawValue > 0 ? Swift.min(rawValue, 1000) : 0 }

    /// The priority above all others.
    public static let max = AnnotationViewZPriority(rawValue: 1000)
    /// The default of selected annotations.
    public static let defaultSelected = AnnotationViewZPriority(rawValue: 1000)
    /// The default of other annotations.
    public static let defaultUnselected = AnnotationViewZPriority(rawValue: 500)
    /// The priority below all others.
    public static let min = AnnotationViewZPriority(rawValue: 0)

    /// True if `left` is drawn below `right`.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
