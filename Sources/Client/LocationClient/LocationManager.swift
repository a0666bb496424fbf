import LocationInterface
@_exported public import LocationConditions
@_exported public import LocationModel
import Varlink

/// Requests the user's location, once or as a stream of updates.
///
/// The names are those of Core Location's `CLLocationManager`. A program must be declared to the service before it
/// receives anything (see `locationd.plist(5)`); ``authorizationStatus`` is what results from the user's decision.
///
/// ```swift
/// var manager = LocationManager()
/// manager.distanceFilter = 10
/// for try await update in manager.liveUpdates() {
///     guard let location = update.location else { continue }
///     print(location.coordinate)
/// }
/// ```
public struct LocationManager: Sendable {
    /// The least distance between two delivered locations, in metres, 0 or more; `nil`, the default, delivers all.
    public var distanceFilter: Double?
    /// The accuracy that the program needs, such as ``LocationAccuracy/hundredMeters``. Default
    /// ``LocationAccuracy/best``.
    ///
    /// ``requestLocation(timeout:waitsForAgent:)`` waits for a location of this accuracy and returns the most accurate one when the
    /// time is up. ``liveUpdates()`` leaves out locations known to be less accurate.
    public var desiredAccuracy = LocationAccuracy.best
    /// The least time between two locations of ``liveUpdates()``, up to a day; `nil`, the default, delivers all.
    public var minimumInterval: Duration?
    /// Locations that ``liveUpdates()`` leaves out because speed and course of the last one lead to them; `nil`, the default,
    /// delivers all.
    package var thinning: Thinning?
    /// True if ``liveUpdates()`` delivers headings, too, from a receiver with a compass. Default false. See
    /// ``headingUpdates()`` for headings alone.
    public var includesHeading = false
    /// The least difference between two delivered headings, in degrees, 0 to 180; `nil`, the default, delivers all.
    public var headingFilter: Double?
    /// True if ``liveUpdates()`` reports ``ServiceUpdate/stationary`` and pauses once the user has stayed in one place
    /// for two minutes. The updates resume when the user leaves it. Default true, as in Core Location; false for a program that
    /// needs each location, such as one that records a track.
    public var pausesLocationUpdatesAutomatically = true

    /// The path of the service's Unix socket.
    public var socketPath: String { connector.socketPath }

    let connector: ServiceConnector

    /// Creates a manager that connects to the service at `socketPath`; `nil` selects the socket in the environment
    /// variable `LOCATIOND_SOCKET`, or else the system's.
    public init(socketPath: String? = nil) {
        connector = ServiceConnector(socketPath: socketPath)
    }

    /// Creates a manager that a stand-in answers in place of the service, for tests and previews of code that takes a manager.
    public init(standIn: LocationStandIn) {
        var connector = ServiceConnector(socketPath: "")
        connector.standIn = standIn
        self.connector = connector
    }

    /// The authorization status of this program. Reading it does not prompt.
    ///
    /// Throws ``LocationError/clientNotDeclared(message:)`` or ``LocationError/serviceUnavailable(reason:)``.
    public var authorizationStatus: AuthorizationStatus {
        get async throws(LocationError) { try await authorization.status }
    }

    /// The accuracy that this program is authorized for. Throws as ``authorizationStatus`` does.
    public var accuracyAuthorization: AccuracyAuthorization {
        get async throws(LocationError) { try await authorization.accuracy }
    }

    /// The authorization of this program with the cause if a request made now would fail. Reading it does not prompt.
    /// Throws as ``authorizationStatus`` does.
    public var authorization: LocationAuthorization {
        get async throws(LocationError) {
            if let standIn = connector.standIn { return try await standIn.authorization() }
            return LocationAuthorization(try await connector.call(AuthorizationInterface.GetStatus.self, Nothing()))
        }
    }

    /// True if location services are on, for the machine and for the user. While they are off every program is denied;
    /// decisions are kept. Throws ``LocationError/serviceUnavailable(reason:)``.
    public var locationServicesEnabled: Bool {
        get async throws(LocationError) {
            guard connector.standIn == nil else { return true }
            let status = try await connector.call(ManagerInterface.GetServiceStatus.self, .init())
            return status.isEnabled && status.isEnabledForUser
        }
    }

    /// Returns the user's current location, or waits for the next fix.
    ///
    /// If the user is undecided, this prompts as ``requestWhenInUseAuthorization(waitsForAgent:)`` does, and throws at once if no
    /// agent is running that could show the prompt; `timeout` begins after the answer.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait for a fix, above 0 to one hour. Default 30 seconds.
    ///   - waitsForAgent: True to wait for an agent, and for the answer, for the prompt's time. Default false.
    /// - Returns: A location with ``desiredAccuracy``, or the most accurate one when the time is up.
    /// - Throws: ``LocationError/denied(status:reason:message:)``, ``LocationError/notAnswered(message:)``,
    ///   ``LocationError/missingUsageDescription(key:file:message:)``, ``LocationError/clientNotDeclared(message:)``,
    ///   ``LocationError/locationUnknown(reason:)`` if no fix arrives in time,
    ///   ``LocationError/serviceUnavailable(reason:)``, ``LocationError/limitExceeded(limit:value:)`` or
    ///   ``LocationError/invalidParameter(name:)``.
    public func requestLocation(
        timeout: Duration = .seconds(30), waitsForAgent: Bool = false
    ) async throws(LocationError) -> Location {
        // The service's own prompt for a location waits for an agent.
        if !waitsForAgent, try await authorizationStatus == .notDetermined {
            try await requestWhenInUseAuthorization()
        }
        return try await currentLocation(timeout: timeout)
    }

    private func currentLocation(timeout: Duration) async throws(LocationError) -> Location {
        if let standIn = connector.standIn { return try await standIn.location() }
        let parameters = LocationInterface.GetLocation.Parameters(
            timeout: timeout / .seconds(1), desiredAccuracy: desiredAccuracy.meters)
        return try await connector.call(LocationInterface.GetLocation.self, parameters).location
    }

    /// The user's current location; `nil` if this program is not authorized, or if no fix arrives within a second.
    /// Reading it does not prompt.
    ///
    /// ``requestLocation(timeout:waitsForAgent:)`` waits longer, and throws the reason if there is no location. Throws
    /// ``LocationError/clientNotDeclared(message:)``, ``LocationError/limitExceeded(limit:value:)`` or
    /// ``LocationError/serviceUnavailable(reason:)``.
    public var location: Location? {
        get async throws(LocationError) {
            switch try await authorizationStatus {
            case .authorizedWhenInUse, .authorizedAlways: break
            case .notDetermined, .restricted, .denied: return nil
            }
            var manager = self
            manager.desiredAccuracy = .best
            do throws(LocationError) {
                return try await manager.currentLocation(timeout: .seconds(1))
            } catch {
                switch error {
                case .locationUnknown, .denied: return nil
                default: throw error
                }
            }
        }
    }

    /// Returns a stream of location updates. An update without a location carries a diagnostic with the reason.
    ///
    /// While the user stays in one place it pauses, unless ``pausesLocationUpdatesAutomatically`` is false.
    /// ``LocationUpdate/liveUpdates(_:socketPath:)`` without a configuration is the same stream as this one without filters.
    ///
    /// The first call of `next()` subscribes and, if the user is undecided, prompts as
    /// ``requestWhenInUseAuthorization(waitsForAgent:)`` does; an update with ``ServiceUpdate/authorizationRequestInProgress`` comes
    /// meanwhile. Properties set later do not change a stream that exists.
    public func liveUpdates() -> LiveUpdates { LiveUpdates(connector: connector, parameters: parameters) }

    /// Returns a stream of compass headings: updates with ``LocationUpdate/heading`` and without locations.
    ///
    /// It takes the same authorization as ``liveUpdates()`` and prompts in the same way. Headings come from a receiver with a
    /// compass, or from the machine's own one. If none comes within six seconds, an update has the cause `noCompass`.
    public func headingUpdates() -> LiveUpdates {
        var parameters = LocationInterface.Subscribe.Parameters()
        parameters.heading = true
        parameters.headingFilter = headingFilter
        parameters.headingOnly = true
        return LiveUpdates(connector: connector, parameters: parameters)
    }

    private var parameters: LocationInterface.Subscribe.Parameters {
        var parameters = LocationInterface.Subscribe.Parameters()
        parameters.distanceFilter = distanceFilter
        parameters.minimumInterval = minimumInterval.map { $0 / .seconds(1) }
        (parameters.maximumError, parameters.maximumInterval) = (thinning?.maximumError, thinning?.maximumInterval)
        parameters.desiredAccuracy = desiredAccuracy.meters
        parameters.heading = includesHeading ? true : nil
        parameters.headingFilter = headingFilter
        parameters.pausesLocationUpdatesAutomatically = pausesLocationUpdatesAutomatically ? true : nil
        return parameters
    }

    /// Returns a stream with a location each time the user is 500 m from the last one, and every five minutes: little
    /// work for a program that runs all day.
    ///
    /// Requires *always*: a program without it receives ``ServiceUpdate/authorizationDenied``. If the user is
    /// undecided, the first call of `next()` prompts as ``requestAlwaysAuthorization()`` does.
    public func significantLocationChanges() -> LiveUpdates {
        var parameters = LocationInterface.Subscribe.Parameters()
        parameters.significantChanges = true
        return LiveUpdates(connector: connector, parameters: parameters)
    }

    /// Returns a stream of visits: each stay at a place on arrival and again, with its departure, when it has ended.
    ///
    /// Visits are detected from the first iteration until ``stopMonitoringVisits()``, even while the program is not
    /// running; those that it has not received yet come first. Requires *always*, or while the program is in use
    /// *when in use*, and full accuracy; an update without a visit carries a diagnostic with the reason. Does not
    /// prompt.
    public func visits() -> VisitUpdates { VisitUpdates(connector: connector) }

    /// Ends the detection of visits, and deletes those that the program has not received.
    ///
    /// Throws ``LocationError/clientNotDeclared(message:)``, ``LocationError/refused(message:)`` if it cannot be saved,
    /// or ``LocationError/serviceUnavailable(reason:)``.
    public func stopMonitoringVisits() async throws(LocationError) {
        guard connector.standIn == nil else { return }
        _ = try await connector.call(MonitorInterface.StopVisits.self, Nothing())
    }

    /// Returns a stream of frames for a view that follows the user.
    ///
    /// Prompts as ``liveUpdates()`` does. Between fixes the position is predicted, and a new fix corrects it without a
    /// jump. ``UserTracking`` manages the tracking mode of such a view.
    ///
    /// - Parameter rate: The frames a second, 1 to 60. Default 30.
    public func followUpdates(rate: Int = 30) -> FollowUpdates {
        FollowUpdates(connector: connector, parameters: LocationInterface.Follow.Parameters(rate: rate))
    }
}
