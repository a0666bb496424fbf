public import LocationClient
import MapModel

/// The tracking mode of a map (MapKit's `MKUserTrackingMode`).
public typealias UserTrackingMode = UserTracking.Mode

// The user's location.

extension MapView {
    /// True if the map shows the user's location. Default false.
    ///
    /// Setting it prompts an undecided user, as `LocationManager.requestWhenInUseAuthorization()` does; the location
    /// appears once the program is authorized.
    public var showsUserLocation: Bool {
        get { user.isShown }
        set { user.isShown = newValue }
    }

    /// The annotation of the user's location.
    public var userLocation: UserLocation { user.location }

    /// The manager that provides the user's location. Set it before ``showsUserLocation``. Default: the system's
    /// service.
    public var locationManager: LocationManager {
        get { user.locationManager }
        set { user.locationManager = newValue }
    }

    /// True if the page shows the location prompts about this program, unless an agent does. Default true.
    ///
    /// The program must be one of the service's `Agents` (see locationd.plist(5)); otherwise the user answers with
    /// `locationctl agent prompts`.
    public var answersPrompts: Bool {
        get { user.answersPrompts }
        set { user.answersPrompts = newValue }
    }

    /// The tracking mode. Setting it moves the map, with animation. Default none.
    public var userTrackingMode: UserTrackingMode {
        get { user.mode }
        set { setUserTrackingMode(newValue, animated: true) }
    }

    /// Sets the tracking mode, and shows the user's location. Before the first heading, `followWithHeading` has the course
    /// up.
    public func setUserTrackingMode(_ mode: UserTrackingMode, animated: Bool) { user.follow(mode, animated: animated) }

    /// True if the user's location is within the visible region.
    public var isUserLocationVisible: Bool {
        guard showsUserLocation, userLocation.frame != nil else { return false }
        let rect = visibleMapRect
        return rect.contains(MapPoint(userLocation.coordinate).nearest(to: rect.center))
    }
}
