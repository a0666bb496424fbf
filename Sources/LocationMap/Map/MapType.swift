/// The type of a map (MapKit's `MKMapType`).
public enum MapType: String, Hashable, Sendable, CaseIterable, Codable {
    /// Areas, roads and labels.
    case standard
    /// The ground as seen from above.
    case satellite
    /// The ground as seen from above, with roads and labels.
    case hybrid
}

/// The appearance of the map: light or dark.
public enum MapAppearance: String, Hashable, Sendable, Encodable {
    /// As the reader's system is.
    case system
    case light, dark
}
