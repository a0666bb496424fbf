/// The visibility of a map control (MapKit's `MKFeatureVisibility`).
public enum FeatureVisibility: String, Hashable, Encodable, Sendable {
    /// Visible when useful: the compass on a rotated map, the scale while zooming.
    case adaptive
    /// Always hidden.
    case hidden
    /// Always visible.
    case visible
}
