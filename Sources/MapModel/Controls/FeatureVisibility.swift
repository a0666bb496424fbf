/// When a control is there (MapKit's `MKFeatureVisibility`).
public enum FeatureVisibility: Hashable, Sendable {
    /// When it says something: the compass when the map is turned, the scale while zooming.
    case adaptive
    /// Never.
    case hidden
    /// Always.
    case visible

    /// Whether a compass is there while the map is turned to `heading` degrees: an adaptive
    /// one as soon as that is more than half a degree off north. A mere tilt does not show it.
    public func showsCompass(heading: Double) -> Bool {
        switch self {
        case .adaptive: abs(heading.remainder(dividingBy: 360)) > 0.5
        case .hidden: false
        case .visible: true
        }
    }

    /// Whether a scale is there: an adaptive one while the user zooms.
    public func showsScale(isZooming: Bool) -> Bool {
        switch self {
        case .adaptive: isZooming
        case .hidden: false
        case .visible: true
        }
    }
}
