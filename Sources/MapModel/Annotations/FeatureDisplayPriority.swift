/// How important it is to show an annotation view where it collides with another (MapKit's `MKFeatureDisplayPriority`).
public struct FeatureDisplayPriority: RawRepresentable, Hashable, Comparable, Sendable {
    /// 0 to 1000; the larger is shown.
    public let rawValue: Float

    /// The priority `rawValue`, brought into 0 to 1000; what is not a number is 0.
    public init(rawValue: Float) { self.rawValue = rawValue > 0 ? min(rawValue, 1000) : 0 }

    /// Never hidden.
    public static let required = FeatureDisplayPriority(rawValue: 1000)
    /// Hidden by what is required.
    public static let defaultHigh = FeatureDisplayPriority(rawValue: 750)
    /// Hidden by most.
    public static let defaultLow = FeatureDisplayPriority(rawValue: 250)

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
