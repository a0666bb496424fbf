// From the documentation of LocationClient, by `make listings`.
import Glibc
import LocationClient

@MainActor
func readme1(_ surroundings: Surroundings) async throws {
    do {
        for try await update in LocationManager().liveUpdates() {
            guard let location = update.location else { continue }
            print(location.coordinate)
            fflush(nil)  // at once, also into a pipe
        }
    } catch {
        print(error)
    }
}

@MainActor
func askingForAuthorization1(_ surroundings: Surroundings) async throws {
    let manager = surroundings.manager
    let authorization = try await manager.requestWhenInUseAuthorization()
    switch authorization.status {
    case .authorizedWhenInUse, .authorizedAlways: print("Accuracy:", authorization.accuracy)
    case .notDetermined, .denied, .restricted: print(authorization.cause?.message ?? "No location.")
    }
}

@MainActor
func askingForAuthorization2(_ surroundings: Surroundings) async throws {
    let manager = surroundings.manager
    if try await manager.accuracyAuthorization == .reduced {
        let authorization = try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "Navigation")
        print("Accuracy:", authorization.accuracy)
    }
}

@MainActor
func askingForAuthorization3(_ surroundings: Surroundings) async throws {
    let manager = surroundings.manager
    for try await authorization in manager.authorizationUpdates() {
        print(authorization.status, authorization.accuracy)
    }
}

@MainActor
func askingForAuthorization4(_ surroundings: Surroundings) async throws {
    let manager = surroundings.manager
    for try await update in manager.liveUpdates() {
        if let location = update.location {
            print(location.coordinate)
        } else if let sentence = update.sentence {
            print(sentence)
        }
    }
}

@MainActor
func fromCoreLocationAndMapKit1(_ surroundings: Surroundings) async throws {
    var manager = LocationManager()
    manager.desiredAccuracy = .best
    _ = try await manager.requestWhenInUseAuthorization()
    if let here = try await manager.location {
        let harbour = Location(latitude: 21.3, longitude: -157.9)
        print(here.distance(from: harbour), here.timestamp.date)
    }
    for try await update in LocationUpdate.liveUpdates() {
        if let location = update.location { print(location.coordinate) }
        if update.stationary { break }
    }
}

@MainActor
func handlingErrors1(_ surroundings: Surroundings) async throws {
    let manager = surroundings.manager
    do {
        print(try await manager.requestLocation().coordinate)
    } catch .denied(let status, _, let message) {
        print(status, message)
    } catch .locationUnknown {
        print("Move to a place with a view of the sky.")
    } catch {
        print(error.description)
    }
}

@MainActor
func handlingErrors2(_ surroundings: Surroundings) async throws {
    let manager = surroundings.manager
    do {
        for try await update in manager.liveUpdates() { print(update.location?.coordinate as Any) }
    } catch .clientNotDeclared(let message) {
        print(message)
    } catch {
        print(error.description)
    }
}

@MainActor
func locationClient1(_ surroundings: Surroundings) async throws {
    var manager = LocationManager()
    manager.distanceFilter = 10
    do {
        for try await update in manager.liveUpdates() {
            guard let location = update.location else { continue }
            print(location.coordinate)
            fflush(nil)  // at once, also into a pipe
        }
    } catch {
        print(error)
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
func locationClient3(_ surroundings: Surroundings) async throws {
    let monitor = LocationMonitor("Errands")
    let shop = try CircularGeographicCondition(center: Coordinate(latitude: 48.137, longitude: 11.575), radius: 150)
    try await monitor.add(shop, identifier: "shop")
    for try await event in monitor.events {
        if event.identifier == "shop", event.state == .satisfied { print("Buy milk.") }
        if let sentence = event.sentence { showHint(sentence) }
    }
}

@MainActor
func testingWithRecordedTracks1(_ surroundings: Surroundings) async throws {
    let manager = LocationManager(socketPath: "/tmp/walker/socket")
    let location = try await manager.requestLocation(timeout: .seconds(5))
    precondition(location.sourceInformation?.isSimulated == true)
}

@MainActor
func testingWithRecordedTracks2(_ surroundings: Surroundings) async throws {
    func distance(by locations: LocationManager) async throws -> Double {
        var (sum, last): (Double, Location?) = (0, nil)
        for try await update in locations.liveUpdates() {
            guard let location = update.location else { continue }
            sum += last?.distance(from: location) ?? 0
            last = location
        }
        return sum
    }

    let track = [
        LocationUpdate(location: Location(latitude: 52.52, longitude: 13.405)),
        LocationUpdate(diagnostic: .locationUnavailable),
        LocationUpdate(location: Location(latitude: 52.53, longitude: 13.405)),
    ]
    var standIn = LocationStandIn()
    standIn.updates = { index in index < track.count ? track[index] : nil }
    let walked = try await distance(by: LocationManager(standIn: standIn))
    precondition(abs(walked - 1113) < 1)
}

@MainActor
func testingWithRecordedTracks3(_ surroundings: Surroundings) async throws {
    var standIn = LocationStandIn()
    standIn.authorization = { LocationAuthorization(status: .denied) }
    standIn.location = { () throws(LocationError) in
        throw LocationError.denied(status: .denied, reason: .deniedByUser, message: "You do not allow it.")
    }
    let location = try await LocationManager(standIn: standIn).location
    precondition(location == nil)
}

@MainActor
func backgroundActivitySession1(_ surroundings: Surroundings) async throws {
    let session = BackgroundActivitySession()
    for try await diagnostic in session.diagnostics { print(diagnostic.isShown) }
}

@MainActor
func locationManager1(_ surroundings: Surroundings) async throws {
    var manager = LocationManager()
    manager.distanceFilter = 10
    for try await update in manager.liveUpdates() {
        guard let location = update.location else { continue }
        print(location.coordinate)
    }
}

@MainActor
func locationMonitor1(_ surroundings: Surroundings) async throws {
    let monitor = LocationMonitor("Errands")
    let shop = try CircularGeographicCondition(center: Coordinate(latitude: 48.137, longitude: 11.575)!, radius: 150)
    try await monitor.add(shop, identifier: "shop")
    for try await event in monitor.events where event.identifier == "shop" && event.state == .satisfied {
        print("Buy milk.")
    }
}

@MainActor
func locationStandIn1(_ surroundings: Surroundings) async throws {
    var standIn = LocationStandIn()
    standIn.updates = { index in
        index < 3 ? LocationUpdate(location: Location(latitude: 52.52, longitude: 13.40 + Double(index) / 100)) : nil
    }
    for try await update in LocationManager(standIn: standIn).liveUpdates() { print(update.location as Any) }
}

@MainActor
func serviceSession1(_ surroundings: Surroundings) async throws {
    let session = ServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "Navigation")
    for try await diagnostic in session.diagnostics where diagnostic.authorizationDenied {
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

@MainActor
func coordinate1(_ surroundings: Surroundings) async throws {
    let berlin = Coordinate(latitude: 52.52, longitude: 13.405)
    let typed = "48.857 2.352".split(separator: " ").compactMap { Double($0) }
    if typed.count == 2, let paris = Coordinate(latitude: typed[0], longitude: typed[1]) {
        print(berlin.distance(to: paris))
    }
}
