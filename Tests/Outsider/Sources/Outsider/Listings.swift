// From the documentation of LocationClient, by `make listings`.
import LocationClient

@MainActor
func readme1(_ surroundings: Surroundings) async throws {
    var manager = LocationManager()
    manager.distanceFilter = 10
    for try await update in manager.liveUpdates() {
        guard let location = update.location else { continue }
        print(location.coordinate.latitude, location.coordinate.longitude)
    }
}

@MainActor
func locationClient1(_ surroundings: Surroundings) async throws {
    var manager = LocationManager()
    manager.distanceFilter = 10
    for try await update in manager.liveUpdates() {
        guard let location = update.location else { continue }
        print(location.coordinate.latitude, location.coordinate.longitude)
    }
}

@MainActor
func locationClient2(_ surroundings: Surroundings) async throws {
    let manager = surroundings.manager
    let map = surroundings.map
    var tracking = UserTracking(mode: .follow)
    for try await update in manager.followUpdates(rate: 30) {
        for event in tracking.receive(update) { show(event) }
        guard let frame = update.frame else { continue }
        if tracking.mode != .none { map.center = frame.coordinate }
        map.bearing = tracking.mapBearing(for: frame)
    }
}

@MainActor
func locationManager1(_ surroundings: Surroundings) async throws {
    var manager = LocationManager()
    manager.distanceFilter = 10
    for try await update in manager.liveUpdates() {
        guard let location = update.location else { continue }
        print(location.coordinate.latitude, location.coordinate.longitude)
    }
}

@MainActor
func serviceSession1(_ surroundings: Surroundings) async throws {
    let session = ServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "Navigation")
    for try await diagnostic in session.diagnostics() where diagnostic.authorizationDenied {
        showHint(diagnostic.cause?.message)
    }
}

@MainActor
func userTracking1(_ surroundings: Surroundings) async throws {
    let manager = surroundings.manager
    let map = surroundings.map
    var tracking = UserTracking(mode: .follow)
    for try await update in manager.followUpdates() {
        for event in tracking.receive(update) { show(event) }
        guard let frame = update.frame else { continue }
        if tracking.mode != .none { map.center = frame.coordinate }
        map.bearing = tracking.mapBearing(for: frame)
    }
}
