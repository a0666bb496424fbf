public import LocationClient
import MapModel

/// The way in which a map follows the user (MapKit's `MKUserTrackingMode`).
public typealias UserTrackingMode = UserTracking.Mode

// The user on the map.

extension MapView {
    /// True if the map shows the user's location, once the program may know it: see
    /// `LocationManager.requestWhenInUseAuthorization()`. An undecided user is asked. Default false.
    public var showsUserLocation: Bool {
        get { user.isShown }
        set { user.isShown = newValue }
    }

    /// The user's location, as an annotation.
    public var userLocation: UserLocation { user.location }

    /// The source of the user's location. Set it before ``showsUserLocation``.
    public var locationManager: LocationManager {
        get { user.locationManager }
        set { user.locationManager = newValue }
    }

    /// True if the page shows the prompt whether the program may know the location, unless an agent does. For that the program
    /// must be one of the service's `Agents` (see locationd.plist(5)); otherwise the prompt waits for `locationctl prompts`.
    /// Default true.
    public var answersPrompts: Bool {
        get { user.answersPrompts }
        set { user.answersPrompts = newValue }
    }

    /// The tracking mode. Setting it moves the map, with animation.
    public var userTrackingMode: UserTrackingMode {
        get { user.mode }
        set { setUserTrackingMode(newValue, animated: true) }
    }

    /// Follows the user in `mode`, and shows them. A mode that takes a heading becomes `follow` while there
    /// is none.
    public func setUserTrackingMode(_ mode: UserTrackingMode, animated: Bool) { user.follow(mode, animated: animated) }

    /// True if the user's location is within the visible region.
    public var isUserLocationVisible: Bool {
        guard showsUserLocation, userLocation.frame != nil else { return false }
        let rect = visibleMapRect
        return rect.contains(MapPoint(userLocation.coordinate).nearest(to: rect.center))
    }
}
