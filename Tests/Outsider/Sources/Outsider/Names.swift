// The names in Tests/Outsider/Names/CoreLocation.txt, by `make listings`.
import LocationClient

@MainActor
func names() {
    _ = LocationManager.self
    _ = LocationManager.liveUpdates
    _ = LocationManager.requestLocation(timeout:waitsForAgent:)
    _ = { (value: LocationManager) async throws in _ = try await value.location }
    _ = \LocationManager.desiredAccuracy
    _ = \LocationManager.distanceFilter
    _ = \LocationManager.pausesLocationUpdatesAutomatically
    _ = LocationUpdate.LiveConfiguration.self
    _ = BackgroundActivitySession.self
    _ = LocationManager.significantLocationChanges
    _ = LocationManager.headingUpdates
    _ = \LocationManager.headingFilter
    _ = LocationManager.visits
    _ = LocationManager.stopMonitoringVisits
    _ = LocationMonitor.self
    _ = LocationMonitor.remove(_:)
    _ = LocationMonitor.record(for:)
    _ = { (value: LocationMonitor) async throws in _ = try await value.identifiers }
    _ = LocationManager.requestWhenInUseAuthorization(waitsForAgent:)
    _ = LocationManager.requestAlwaysAuthorization
    _ = LocationManager.requestTemporaryFullAccuracyAuthorization(purposeKey:)
    _ = { (value: LocationManager) async throws in _ = try await value.authorizationStatus }
    _ = { (value: LocationManager) async throws in _ = try await value.accuracyAuthorization }
    _ = { (value: LocationManager) async throws in _ = try await value.locationServicesEnabled }
    _ = \LocationUpdate.diagnostic
    _ = LocationManager.authorizationUpdates
    _ = \LocationMonitor.events
    _ = AuthorizationStatus.self
    _ = AccuracyAuthorization.self
    _ = LocationUpdate.self
    _ = LocationUpdate.liveUpdates(_:socketPath:)
    _ = \LocationUpdate.location
    _ = \LocationUpdate.stationary
    _ = \LocationUpdate.authorizationDenied
    _ = \LocationUpdate.authorizationDeniedGlobally
    _ = \LocationUpdate.authorizationRestricted
    _ = \LocationUpdate.authorizationRequestInProgress
    _ = \LocationUpdate.insufficientlyInUse
    _ = \LocationUpdate.locationUnavailable
    _ = \LocationUpdate.accuracyLimited
    _ = \LocationUpdate.serviceSessionRequired
    _ = ServiceSession.self
    _ = ServiceSession.AuthorizationRequirement.self
    _ = ServiceSession.Diagnostic.self
    _ = \ServiceSession.diagnostics
    _ = ServiceSession.invalidate
    _ = BackgroundActivitySession.Diagnostic.self
    _ = \BackgroundActivitySession.diagnostics
    _ = BackgroundActivitySession.invalidate
    _ = LocationMonitor.CircularGeographicCondition.self
    _ =
        LocationMonitor.add(_:identifier:assuming:)
        as (LocationMonitor) -> (CircularGeographicCondition, String, ConditionState) async throws -> Void
    _ = LocationMonitor.Event.self
    _ = LocationMonitor.Record.self
    _ = LocationMonitor.CircularGeographicCondition.signedDistance(from:)
    _ = LocationMonitor.Event.State.self
    _ = Location.self
    _ = \Location.coordinate
    _ = \Location.altitude
    _ = \Location.ellipsoidalAltitude
    _ = \Location.horizontalAccuracy
    _ = \Location.verticalAccuracy
    _ = \Location.course
    _ = \Location.courseAccuracy
    _ = \Location.speed
    _ = \Location.speedAccuracy
    _ = \Location.timestamp
    _ = \Location.sourceInformation
    _ = Location.distance(from:)
    _ = Location.SourceInformation.self
    _ = LocationCoordinate2D.self
    _ = LocationDegrees.self
    _ = LocationDistance.self
    _ = LocationSpeed.self
    _ = LocationDirection.self
    _ = Double.self
    _ = LocationAccuracy.best
    _ = LocationAccuracy.nearestTenMeters
    _ = LocationAccuracy.hundredMeters
    _ = LocationAccuracy.kilometer
    _ = LocationAccuracy.threeKilometers
    _ = AccuracyAuthorization.reduced
    _ = Heading.self
    _ = \Heading.trueHeading
    _ = \Heading.timestamp
    _ = Visit.self
    _ = \Visit.arrivalDate
    _ = \Visit.departureDate
    _ = \Visit.coordinate
    _ = \Visit.horizontalAccuracy
    _ = LocationError.self
}
