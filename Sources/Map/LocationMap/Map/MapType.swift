/// The type of a map (MapKit's `MKMapType`).
public enum MapType: String, Hashable, Sendable, CaseIterable, Codable {
    /// Land, roads and labels.
    case standard
    /// Satellite images.
    case satellite
    /// Satellite images with roads and labels.
    case hybrid
}

/// The appearance of the map: light or dark.
public enum MapAppearance: String, Hashable, Sendable, Encodable {
    /// The appearance of the user's system.
    case system
    case light, dark
}
