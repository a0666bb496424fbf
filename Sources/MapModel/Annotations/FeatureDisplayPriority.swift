/// How important it is to show an annotation view where it collides with another (MapKit's `MKFeatureDisplayPriority`).
public struct FeatureDisplayPriority: RawRepresentable, Hashable, Comparable, Sendable {
    /// 0 to 1000; the larger is shown.
    public let rawValue: Float

    /// The priority `rawValue`, brought into 0 to 1000; what is not a number is 0.
    public init(rawValue: Float) { self.rawValue = rawValue > 0 ? Swift.min(rawValue, 1000) : 0 }

    /// Never hidden.
    public static let required = FeatureDisplayPriority(rawValue: 1000)
    /// Hidden by what is required.
    public static let defaultHigh = FeatureDisplayPriority(rawValue: 750)
    /// Hidden by most.
    public static let defaultLow = FeatureDisplayPriority(rawValue: 250)

    /// Whether `left` is hidden where both collide.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Which of two overlapping views is drawn on top (MapKit's `MKAnnotationViewZPriority`); among equals it is the one
/// farther south.
public struct AnnotationViewZPriority: RawRepresentable, Hashable, Comparable, Sendable {
    /// 0 to 1000; the larger is on top.
    public let rawValue: Float

    /// The priority `rawValue`, brought into 0 to 1000; what is not a number is 0.
    public init(rawValue: Float) { self.rawValue = rawValue > 0 ? Swift.min(rawValue, 1000) : 0 }

    /// Above all others.
    public static let max = AnnotationViewZPriority(rawValue: 1000)
    /// Of selected annotations.
    public static let defaultSelected = AnnotationViewZPriority(rawValue: 1000)
    /// Of all others.
    public static let defaultUnselected = AnnotationViewZPriority(rawValue: 500)
    /// Below all others.
    public static let min = AnnotationViewZPriority(rawValue: 0)

    /// Whether `left` is drawn below `right`.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
