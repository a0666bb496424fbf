import LocationInterface
@_exported public import LocationModel
import Varlink

/// The way to the user's location for a program: ask once, or follow it as it changes.
///
/// The names are those of Core Location's `CLLocationManager`. A program must be declared to the service before it gets
/// anything (see `locationd.plist(5)`); what it then may have is in ``authorizationStatus``.
///
/// ```swift
/// var manager = LocationManager()
/// manager.distanceFilter = 10
/// for try await update in manager.liveUpdates() {
///     guard let location = update.location else { continue }
///     print(location.coordinate.latitude, location.coordinate.longitude)
/// }
/// ```
public struct LocationManager: Sendable {
    /// The least distance between two locations that are delivered, in metres from 0; `nil` delivers all.
    public var distanceFilter: Double?
    /// How exact locations should be, in metres above 0, such as ``LocationAccuracy/hundredMeters``; `nil` takes what
    /// there is.
    ///
    /// ``requestLocation(timeout:)`` waits for one so exact and at the end takes the best; ``liveUpdates()`` leaves out
    /// what is known to be less exact.
    public var desiredAccuracy: Double?
    /// The least time between two locations of ``liveUpdates()``, in seconds from 0 to a day; `nil` delivers all.
    public var minimumInterval: Double?
    /// Whether ``liveUpdates()`` has headings too, if the receiver has a compass. ``headingUpdates()`` has nothing else.
    public var includesHeading = false
    /// The least difference between two headings that are delivered, in degrees from 0 to 180; `nil` delivers all.
    public var headingFilter: Double?
    /// Whether ``liveUpdates()`` says ``ServiceUpdate/stationary`` and pauses once the user has stayed in one place for
    /// two minutes; it goes on as soon as they have left it.
    public var pausesLocationUpdatesAutomatically = false

    /// The Unix socket of the service.
    public var socketPath: String { connector.socketPath }

    let connector: ServiceConnector

    /// A manager that asks the service at `socketPath`: by default the one `$LOCATIOND_SOCKET` names, else the
    /// system's.
    public init(socketPath: String? = nil) {
        connector = ServiceConnector(socketPath: socketPath)
    }

    /// Whether this program may know where the user is. Prompts nobody.
    ///
    /// Throws ``LocationError/clientNotDeclared(message:)`` or ``LocationError/serviceUnavailable(reason:)``.
    public var authorizationStatus: AuthorizationStatus {
        get async throws(LocationError) { try await authorization.status }
    }

    /// How exactly this program may know it. Throws as ``authorizationStatus`` does.
    public var accuracyAuthorization: AccuracyAuthorization {
        get async throws(LocationError) { try await authorization.accuracy }
    }

    /// The authorization of this program now, and the reason if it would receive nothing. Does not prompt. Throws as
    /// ``authorizationStatus`` does.
    public var authorization: LocationAuthorization {
        get async throws(LocationError) {
            LocationAuthorization(try await connector.call(AuthorizationInterface.GetStatus.self, Nothing()))
        }
    }

    /// Whether location services are on, for this machine and for the user. While they are off every program is denied,
    /// and no decision is lost. Throws ``LocationError/serviceUnavailable(reason:)``.
    public var locationServicesEnabled: Bool {
        get async throws(LocationError) {
            let status = try await connector.call(ManagerInterface.GetServiceStatus.self, .init())
            return status.isEnabled && status.isEnabledForUser
        }
    }

    /// Where the user is now.
    ///
    /// Where nobody has decided yet, this prompts the user, as ``requestWhenInUseAuthorization()`` does, and waits for the
    /// answer first; the timeout begins after that.
    ///
    /// - Parameter timeout: The longest to wait for a fix: above 0 to one hour.
    /// - Returns: A location as exact as ``desiredAccuracy``, or the best there was when the time was up.
    /// - Throws: ``LocationError/denied(status:reason:message:)``, ``LocationError/notAnswered(message:)``,
    ///   ``LocationError/missingUsageDescription(key:file:message:)``, ``LocationError/clientNotDeclared(message:)``,
    ///   ``LocationError/locationUnknown(reason:)`` when no fix came in time,
    ///   ``LocationError/serviceUnavailable(reason:)``, ``LocationError/limitExceeded(limit:value:)`` or
    ///   ``LocationError/invalidParameter(name:)``.
    public func requestLocation(timeout: Duration = .seconds(30)) async throws(LocationError) -> Location {
        let parameters = LocationInterface.GetLocation.Parameters(
            timeout: timeout / .seconds(1), desiredAccuracy: desiredAccuracy)
        return try await connector.call(LocationInterface.GetLocation.self, parameters).location
    }

    /// The user's location as it changes, and why there is none while there is none.
    ///
    /// Where nobody has decided yet, the first element prompts the user, as ``requestWhenInUseAuthorization()`` does;
    /// ``ServiceUpdate/authorizationRequestInProgress`` says so meanwhile. The settings are those at the time of the call.
    /// Nothing happens before the first element is asked for.
    public func liveUpdates() -> LiveUpdates { LiveUpdates(connector: connector, parameters: parameters) }

    /// The direction in which the user's device points, as it changes, from a compass: updates with
    /// ``LocationUpdate/heading`` and no locations. Prompts as ``liveUpdates()`` does, since it takes the same
    /// authorization.
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
        parameters.minimumInterval = minimumInterval
        parameters.desiredAccuracy = desiredAccuracy
        parameters.heading = includesHeading ? true : nil
        parameters.headingFilter = headingFilter
        parameters.pausesLocationUpdatesAutomatically = pausesLocationUpdatesAutomatically ? true : nil
        return parameters
    }

    /// A location when the user is 500 m from the last one, and one every five minutes: little work for a program that
    /// runs all day. For programs that may always know; others hear ``ServiceUpdate/authorizationDenied``.
    /// Where nobody has decided yet, the first element prompts the user, as ``requestAlwaysAuthorization()`` does.
    public func significantLocationChanges() -> LiveUpdates {
        var parameters = LocationInterface.Subscribe.Parameters()
        parameters.significantChanges = true
        return LiveUpdates(connector: connector, parameters: parameters)
    }

    /// The frames of a view that follows the user, `rate` times a second: 1 to 60.
    ///
    /// Prompts as ``liveUpdates()`` does. Between fixes the position is carried on, and a new fix corrects it without a jump. ``UserTracking`` keeps the
    /// mode that such a screen is in.
    public func followUpdates(rate: Int = 30) -> FollowUpdates {
        FollowUpdates(connector: connector, parameters: LocationInterface.Follow.Parameters(rate: rate))
    }
}
