public import LocationConditions
public import LocationModel

// Names of Core Location that programmers type first. Each is unavailable, and the compiler's message says the name here. A type has
// the initializers that programs call: the compiler tells of a wrong call before it tells of the type.

// MARK: Types

/// `LocationManager` here.
@available(*, unavailable, renamed: "LocationManager")
public typealias CLLocationManager = LocationManager
/// `Location` here.
@available(*, unavailable, renamed: "Location")
public typealias CLLocation = Location
/// `LocationCoordinate2D` here.
@available(*, unavailable, renamed: "LocationCoordinate2D")
public typealias CLLocationCoordinate2D = LocationCoordinate2D
/// `Heading` here.
@available(*, unavailable, renamed: "Heading")
public typealias CLHeading = Heading
/// `Visit` here.
@available(*, unavailable, renamed: "Visit")
public typealias CLVisit = Visit
/// `LocationUpdate` here.
@available(*, unavailable, renamed: "LocationUpdate")
public typealias CLLocationUpdate = LocationUpdate
/// `LocationMonitor` here.
@available(*, unavailable, renamed: "LocationMonitor")
public typealias CLMonitor = LocationMonitor
/// `ServiceSession` here.
@available(*, unavailable, renamed: "ServiceSession")
public typealias CLServiceSession = ServiceSession
/// `BackgroundActivitySession` here.
@available(*, unavailable, renamed: "BackgroundActivitySession")
public typealias CLBackgroundActivitySession = BackgroundActivitySession
/// `LocationError` here.
@available(*, unavailable, renamed: "LocationError")
public typealias CLError = LocationError
/// `AuthorizationStatus` here.
@available(*, unavailable, renamed: "AuthorizationStatus")
public typealias CLAuthorizationStatus = AuthorizationStatus
/// `AccuracyAuthorization` here.
@available(*, unavailable, renamed: "AccuracyAuthorization")
public typealias CLAccuracyAuthorization = AccuracyAuthorization
/// `Location.SourceInformation` here.
@available(*, unavailable, renamed: "Location.SourceInformation")
public typealias CLLocationSourceInformation = Location.SourceInformation
/// `LocationDistance` here.
@available(*, unavailable, renamed: "LocationDistance")
public typealias CLLocationDistance = LocationDistance
/// `Double` here.
@available(*, unavailable, renamed: "Double")
public typealias CLLocationAccuracy = Double
/// `LocationSpeed` here.
@available(*, unavailable, renamed: "LocationSpeed")
public typealias CLLocationSpeed = LocationSpeed
/// `LocationDirection` here.
@available(*, unavailable, renamed: "LocationDirection")
public typealias CLLocationDirection = LocationDirection
/// `LocationDegrees` here.
@available(*, unavailable, renamed: "LocationDegrees")
public typealias CLLocationDegrees = LocationDegrees
/// Streams of ``LocationManager`` here.
@available(
    *, unavailable,
    message: "There is no delegate: LocationManager has functions that return and streams, such as liveUpdates()"
)
public protocol LocationManagerDelegate {}
/// Streams of ``LocationManager`` here.
@available(
    *, unavailable,
    message: "There is no delegate: LocationManager has functions that return and streams, such as liveUpdates()"
)
public protocol CLLocationManagerDelegate {}
/// A condition of a ``LocationMonitor`` here.
@available(*, unavailable, message: "Watch a CircularGeographicCondition with LocationMonitor")
public struct CircularRegion {
    /// The call that the message answers.
    public init(center: Coordinate?, radius: Double, identifier: String) {}
}
/// A condition of a ``LocationMonitor`` here.
@available(*, unavailable, message: "Watch a CircularGeographicCondition with LocationMonitor")
public struct CLCircularRegion {
    /// The call that the message answers.
    public init(center: Coordinate?, radius: Double, identifier: String) {}
}
/// A condition of a ``LocationMonitor`` here.
@available(*, unavailable, message: "Watch a CircularGeographicCondition with LocationMonitor")
public struct CLRegion {}
/// No counterpart.
@available(*, unavailable, message: "Beacons are not offered on Linux")
public struct BeaconRegion {
    /// The call that the message answers.
    public init(uuid: some Any, identifier: String) {}
}
/// No counterpart.
@available(*, unavailable, message: "Beacons are not offered on Linux")
public struct CLBeaconRegion {
    /// The call that the message answers.
    public init(uuid: some Any, identifier: String) {}
}
/// No counterpart.
@available(*, unavailable, message: "Beacons are not offered on Linux")
public struct CLBeacon {}
/// No counterpart.
@available(*, unavailable, message: "Beacons are not offered on Linux")
public struct CLBeaconIdentityConstraint {
    /// The call that the message answers.
    public init(uuid: some Any) {}
}
/// No counterpart.
@available(*, unavailable, message: "No receiver reports a floor")
public struct CLFloor {}
/// The state of an event of a ``LocationMonitor`` here.
@available(*, unavailable, renamed: "LocationMonitor.Event.State")
public typealias CLRegionState = LocationMonitor.Event.State
/// The state of an event of a ``LocationMonitor`` here.
@available(*, unavailable, renamed: "LocationMonitor.Event.State")
public typealias RegionState = LocationMonitor.Event.State
/// ``LocationUpdate/LiveConfiguration`` here.
@available(*, unavailable, renamed: "LocationUpdate.LiveConfiguration")
public typealias CLActivityType = LocationUpdate.LiveConfiguration
/// ``LocationUpdate/LiveConfiguration`` here.
@available(*, unavailable, renamed: "LocationUpdate.LiveConfiguration")
public typealias ActivityType = LocationUpdate.LiveConfiguration
/// No counterpart.
@available(*, unavailable, message: "The receiver or compass is mounted in one direction")
public struct CLDeviceOrientation {}
/// ``LocationMonitor/Event`` here.
@available(*, unavailable, renamed: "LocationMonitor.Event")
public typealias CLMonitoringEvent = LocationMonitor.Event
/// ``LocationMonitor/Record`` here.
@available(*, unavailable, renamed: "LocationMonitor.Record")
public typealias CLMonitoringRecord = LocationMonitor.Record
/// ``LocationMonitor/CircularGeographicCondition`` here.
@available(*, unavailable, renamed: "LocationMonitor.CircularGeographicCondition")
public typealias CLCircularGeographicCondition = LocationMonitor.CircularGeographicCondition
/// `Geocoder` of LocationMap.
@available(*, unavailable, message: "Geocoder is in LocationMap: add import LocationMap")
public struct Geocoder {
    /// The call that the message answers.
    public init() {}
}
/// `Geocoder` of LocationMap.
@available(*, unavailable, message: "Geocoder is in LocationMap: add import LocationMap")
public struct CLGeocoder {
    /// The call that the message answers.
    public init() {}
}
/// `Placemark` of LocationMap.
@available(*, unavailable, message: "Placemark is in LocationMap: add import LocationMap")
public struct Placemark {}
/// `Placemark` of LocationMap.
@available(*, unavailable, message: "Placemark is in LocationMap: add import LocationMap")
public struct CLPlacemark {}

// MARK: Constants and functions

/// ``LocationAccuracy/best`` here.
@available(*, unavailable, renamed: "LocationAccuracy.best")
public var kCLLocationAccuracyBest: LocationAccuracy { .best }
/// ``LocationAccuracy/best`` here.
@available(*, unavailable, renamed: "LocationAccuracy.best")
public var kCLLocationAccuracyBestForNavigation: LocationAccuracy { .best }
/// ``LocationAccuracy/nearestTenMeters`` here.
@available(*, unavailable, renamed: "LocationAccuracy.nearestTenMeters")
public var kCLLocationAccuracyNearestTenMeters: LocationAccuracy { .nearestTenMeters }
/// ``LocationAccuracy/hundredMeters`` here.
@available(*, unavailable, renamed: "LocationAccuracy.hundredMeters")
public var kCLLocationAccuracyHundredMeters: LocationAccuracy { .hundredMeters }
/// ``LocationAccuracy/kilometer`` here.
@available(*, unavailable, renamed: "LocationAccuracy.kilometer")
public var kCLLocationAccuracyKilometer: LocationAccuracy { .kilometer }
/// ``LocationAccuracy/threeKilometers`` here.
@available(*, unavailable, renamed: "LocationAccuracy.threeKilometers")
public var kCLLocationAccuracyThreeKilometers: LocationAccuracy { .threeKilometers }
/// The user's decision here.
@available(
    *, unavailable, message: "Reduced accuracy is the user's decision: see LocationManager.accuracyAuthorization"
)
public var kCLLocationAccuracyReduced: LocationAccuracy { .threeKilometers }
/// `nil` here.
@available(*, unavailable, message: "Use nil, which is the default of distanceFilter")
public var kCLDistanceFilterNone: Double? { nil }
/// `nil` here.
@available(*, unavailable, message: "Use nil, which is the default of headingFilter")
public var kCLHeadingFilterNone: Double? { nil }
/// `nil` here: a coordinate is always valid.
@available(*, unavailable, message: "A Coordinate is always valid; use an optional, and nil for none")
public var kCLLocationCoordinate2DInvalid: Coordinate? { nil }
/// `LocationCoordinate2D(latitude:longitude:)` here.
@available(*, unavailable, renamed: "LocationCoordinate2D(latitude:longitude:)")
public func CLLocationCoordinate2DMake(_ latitude: Double, _ longitude: Double) -> Coordinate? {
    Coordinate(latitude: latitude, longitude: longitude)
}
/// Always true here.
@available(*, unavailable, message: "A Coordinate is always valid")
public func CLLocationCoordinate2DIsValid(_ coordinate: Coordinate) -> Bool { true }

// MARK: Members

extension LocationManager {
    /// Streams here.
    @available(
        *, unavailable,
        message: "There is no delegate: LocationManager has functions that return and streams, such as liveUpdates()"
    )
    public var delegate: (any LocationManagerDelegate)? {
        get { nil }
        nonmutating set {}
    }
    /// ``liveUpdates()`` here.
    @available(*, unavailable, message: "Iterate liveUpdates()")
    public func startUpdatingLocation() {}
    /// The end of the iteration here.
    @available(*, unavailable, message: "End the iteration of liveUpdates(), or cancel its task")
    public func stopUpdatingLocation() {}
    /// ``headingUpdates()`` here.
    @available(*, unavailable, message: "Iterate headingUpdates()")
    public func startUpdatingHeading() {}
    /// The end of the iteration here.
    @available(*, unavailable, message: "End the iteration of headingUpdates(), or cancel its task")
    public func stopUpdatingHeading() {}
    /// ``headingUpdates()`` here.
    @available(
        *, unavailable, message: "Iterate headingUpdates(); an update has the cause noCompass if there is no compass"
    )
    public static func headingAvailable() -> Bool { false }
    /// ``headingUpdates()`` here.
    @available(*, unavailable, message: "Iterate headingUpdates()")
    public var heading: Heading? { nil }
    /// ``significantLocationChanges()`` here.
    @available(*, unavailable, message: "Iterate significantLocationChanges()")
    public func startMonitoringSignificantLocationChanges() {}
    /// The end of the iteration here.
    @available(*, unavailable, message: "End the iteration of significantLocationChanges(), or cancel its task")
    public func stopMonitoringSignificantLocationChanges() {}
    /// ``visits()`` here.
    @available(*, unavailable, message: "Iterate visits()")
    public func startMonitoringVisits() {}
    /// ``LocationMonitor`` here.
    @available(*, unavailable, message: "Watch a CircularGeographicCondition with LocationMonitor")
    public func startMonitoring(for region: CLRegion) {}
    /// ``LocationMonitor`` here.
    @available(*, unavailable, message: "Watch a CircularGeographicCondition with LocationMonitor")
    public func stopMonitoring(for region: CLRegion) {}
    /// ``LocationMonitor`` here.
    @available(*, unavailable, message: "Watch a CircularGeographicCondition with LocationMonitor")
    public func requestState(for region: CLRegion) {}
    /// ``LocationMonitor`` here.
    @available(*, unavailable, message: "LocationMonitor has identifiers and events")
    public var monitoredRegions: [CLRegion] { [] }
    /// Always offered here.
    @available(*, unavailable, message: "LocationMonitor is always offered, with circles and polygons")
    public static func isMonitoringAvailable(for regionClass: any Any.Type) -> Bool { true }
    /// Without a limit here.
    @available(*, unavailable, message: "LocationMonitor has no limit of distance")
    public var maximumRegionMonitoringDistance: LocationDistance { .infinity }
    /// Always offered here.
    @available(*, unavailable, message: "Iterate significantLocationChanges(), which are always offered")
    public static func significantLocationChangeMonitoringAvailable() -> Bool { true }
    /// No counterpart.
    @available(*, unavailable, message: "Beacons are not offered on Linux")
    public static func isRangingAvailable() -> Bool { false }
    /// No counterpart.
    @available(*, unavailable, message: "Set distanceFilter: locations are not deferred on Linux")
    public func allowDeferredLocationUpdates(untilTraveled distance: LocationDistance, timeout: Double) {}
    /// No counterpart.
    @available(*, unavailable, message: "The receiver or compass is mounted in one direction")
    public var headingOrientation: CLDeviceOrientation {
        get { CLDeviceOrientation() }
        nonmutating set {}
    }
    /// ``locationServicesEnabled`` here.
    @available(*, unavailable, message: "Use try await LocationManager().locationServicesEnabled")
    public static func locationServicesEnabled() -> Bool { false }
    /// ``authorizationStatus`` here.
    @available(*, unavailable, message: "Use try await LocationManager().authorizationStatus")
    public static func authorizationStatus() -> AuthorizationStatus { .notDetermined }
    /// ``requestTemporaryFullAccuracyAuthorization(purposeKey:)`` here.
    @available(*, unavailable, renamed: "requestTemporaryFullAccuracyAuthorization(purposeKey:)")
    public func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) {}
    /// ``BackgroundActivitySession`` here.
    @available(*, unavailable, message: "Hold a BackgroundActivitySession")
    public var allowsBackgroundLocationUpdates: Bool {
        get { false }
        nonmutating set {}
    }
    /// No counterpart.
    @available(*, unavailable, message: "The user's agent shows background activity; see BackgroundActivitySession")
    public var showsBackgroundLocationIndicator: Bool {
        get { false }
        nonmutating set {}
    }
    /// ``LocationUpdate/liveUpdates(_:socketPath:)`` here.
    @available(
        *, unavailable, message: "Use LocationUpdate.liveUpdates(.automotiveNavigation) or another configuration"
    )
    public var activityType: LocationUpdate.LiveConfiguration {
        get { .default }
        nonmutating set {}
    }
}

extension LocationUpdate {
    /// ``ServiceUpdate/stationary`` here.
    @available(*, unavailable, renamed: "stationary")
    public var isStationary: Bool { stationary }
}

extension Heading {
    /// No counterpart.
    @available(*, unavailable, message: "Use trueHeading: the service corrects for the declination")
    public var magneticHeading: Double { trueHeading }
}

extension Location {
    /// No counterpart.
    @available(*, unavailable, message: "No receiver reports a floor")
    public var floor: CLFloor? { nil }
}

extension LocationMonitor {
    /// No counterpart.
    @available(*, unavailable, message: "Beacons are not offered on Linux")
    public struct BeaconIdentityCondition {
        /// The call that the message answers.
        public init(uuid: some Any) {}
    }
}

extension ConditionState {
    /// No counterpart.
    @available(*, unavailable, message: "A condition that was removed has no further events")
    public static var unmonitored: ConditionState { .unknown }
}
