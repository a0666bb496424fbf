public import LocationModel

/// The annotation of the user's location (MapKit's `MKUserLocation`). The map owns it; it is not one of
/// ``MapView/annotations``.
@MainActor
public final class UserLocation: Annotation {
    /// The last known location; `nil` before the first. Without a newer one it stays, and ``isStale`` is true.
    public internal(set) var frame: TrackingFrame?
    /// True while the map shows the user's location.
    public internal(set) var isUpdating = false
    /// True if the last fix is older than 10 s, or the service reports no location.
    public internal(set) var isStale = false
    /// True if the program is authorized for reduced accuracy: ``coordinate`` is the centre of an area with the radius
    /// `TrackingFrame.horizontalAccuracy`.
    public internal(set) var isReduced = false
    /// The title of the callout. Default "My Location".
    public var title: String? = "My Location" { didSet { annotationDidChange() } }
    /// The second line of the callout. Default `nil`.
    public var subtitle: String? { didSet { annotationDidChange() } }

    init() {}

    /// The coordinate; before the first location 0° north, 0° east, as in MapKit. See ``frame``.
    public var coordinate: Coordinate { frame?.coordinate ?? Coordinate(clampingLatitude: 0, wrappingLongitude: 0) }
    /// The location, as `LocationManager` gives it; `nil` before the first.
    public var location: Location? {
        frame.map { frame in
            var location = Location(coordinate: frame.coordinate, timestamp: frame.timestamp)
            location.horizontalAccuracy = frame.horizontalAccuracy
            location.course = frame.bearing
            location.speed = frame.speed
            location.sourceInformation = frame.sourceInformation
            return location
        }
    }
    /// The compass heading, in degrees clockwise from true north; `nil` without a compass.
    public var heading: Double? { frame?.heading }
}
