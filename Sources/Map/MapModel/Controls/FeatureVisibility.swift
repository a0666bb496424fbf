/// The visibility of a map control (MapKit's `MKFeatureVisibility`).
public enum FeatureVisibility: Hashable, Sendable {
    /// Visible when useful: the compass on a rotated map, the scale while zooming.
    case adaptive
    /// Always hidden.
    case hidden
    /// Always visible.
    case visible

    /// True if a compass is visible at `heading` degrees. An adaptive compass is visible if the heading is more than
    /// half a degree off north; a tilt alone does not show it.
    public func showsCompass(heading: Double) -> Bool {
        switch self {
        case .adaptive: abs(heading.remainder(dividingBy: 360)) > 0.5
        case .hidden: false
        case .visible: true
        }
    }

    /// True if a scale is visible. An adaptive scale is visible while the user zooms.
    public func showsScale(isZooming: Bool) -> Bool {
        switch self {
        case .adaptive: isZooming
        case .hidden: false
        case .visible: true
        }
    }
}
