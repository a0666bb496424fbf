public import LocationModel

/// Where the user is, as an annotation (MapKit's `MKUserLocation`). The map keeps it; it is not among its annotations.
@MainActor
public final class UserLocation: Annotation {
    /// Where the user is; `nil` as long as nobody knows. It stays when there is no new one, and ``isStale`` is true.
    public internal(set) var frame: TrackingFrame?
    /// Whether locations come.
    public internal(set) var isUpdating = false
    /// Whether the location is an old one: none has come for a while.
    public internal(set) var isStale = false
    /// Whether the program may know only roughly: the position is the middle of an area as large as
    /// `TrackingFrame.horizontalAccuracy`.
    public internal(set) var isReduced = false
    /// The first line of the callout.
    public var title: String? = "My Location" { didSet { annotationDidChange() } }
    /// The second line of the callout.
    public var subtitle: String? { didSet { annotationDidChange() } }

    init() {}

    /// Where the user is. As long as nobody knows, 0° north and east, as in MapKit: see ``frame``.
    public var coordinate: Coordinate { frame?.coordinate ?? Coordinate(clampingLatitude: 0, wrappingLongitude: 0) }
    /// Where the user is, as `LocationManager` tells it.
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
    /// Where the nose points, in degrees clockwise from true north; `nil` without a compass.
    public var heading: Double? { frame?.heading }
}
