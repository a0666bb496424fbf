public import LocationModel

/// The user's location as an annotation (MapKit's `MKUserLocation`). The map keeps it; it is not among its annotations.
@MainActor
public final class UserLocation: Annotation {
    /// The last known location; `nil` before the first. It stays when no new one arrives, and ``isStale`` is true.
    public internal(set) var frame: TrackingFrame?
    /// True while the map shows the user's location.
    public internal(set) var isUpdating = false
    /// True if the last fix is older than 10 s or the service reports none.
    public internal(set) var isStale = false
    /// True if the program has reduced accuracy: the position is the middle of an area as large as
    /// `TrackingFrame.horizontalAccuracy`.
    public internal(set) var isReduced = false
    /// The first line of the callout.
    public var title: String? = "My Location" { didSet { annotationDidChange() } }
    /// The second line of the callout.
    public var subtitle: String? { didSet { annotationDidChange() } }

    init() {}

    /// The position. Before the first location 0° north and east, as in MapKit: see ``frame``.
    public var coordinate: Coordinate { frame?.coordinate ?? Coordinate(clampingLatitude: 0, wrappingLongitude: 0) }
    /// The location in the form of `LocationManager`; `nil` before the first.
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
