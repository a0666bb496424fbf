import LocationModel
import Testing

@testable import LocationClient

@Suite("A stand-in answers in place of the service", .timeLimit(.minutes(10)))
struct StandInTests {
    private let here = Location(latitude: 52.52, longitude: 13.405)

    @Test("each stream has the elements of the stand-in, each iteration from the first")
    func streams() async throws {
        var standIn = LocationStandIn()
        standIn.updates = { [here] in
            [LocationUpdate(location: here), LocationUpdate(diagnostic: .stationary)].element($0)
        }
        standIn.frames = { [FollowUpdate(diagnostic: .locationUnavailable)].element($0) }
        standIn.visits = { index throws(LocationError) in
            guard index == 0 else { throw .cancelled }
            return VisitUpdate(serviceUnavailable: true)
        }
        let manager = LocationManager(standIn: standIn)
        for _ in 0..<2 {
            var updates: [LocationUpdate] = []
            for try await update in manager.liveUpdates() { updates.append(update) }
            #expect(updates.map(\.location) == [here, nil] && updates[1].stationary)
        }
        for try await update in manager.followUpdates() { #expect(update.locationUnavailable) }
        var visits = manager.visits().makeAsyncIterator()
        #expect(try await visits.next(isolation: #isolation)?.serviceUnavailable == true)
        await #expect(throws: LocationError.cancelled) { try await visits.next(isolation: nil) }
        for try await authorization in manager.authorizationUpdates() {
            #expect(authorization.status == .authorizedWhenInUse)
        }
        try await manager.stopMonitoringVisits()
    }

    @Test("requests have the authorization and the location of the stand-in, or its errors")
    func requests() async throws {
        var standIn = LocationStandIn()
        await #expect(throws: LocationError.locationUnknown(reason: "The stand-in has no location.")) {
            try await LocationManager(standIn: LocationStandIn()).requestLocation()
        }
        standIn.location = { [here] in here }
        #expect(try await LocationManager(standIn: standIn).requestLocation() == here)
        #expect(try await LocationManager(standIn: standIn).location == here)
        standIn.authorization = { LocationAuthorization(status: .denied, accuracy: .reduced) }
        let denied = LocationManager(standIn: standIn)
        #expect(try await denied.location == nil)
        #expect(try await denied.requestWhenInUseAuthorization().status == .denied)
        #expect(try await denied.requestWhenInUseAuthorization(waitsForAgent: true).status == .denied)
        #expect(try await denied.requestAlwaysAuthorization().accuracy == .reduced)
        #expect(try await denied.locationServicesEnabled)
    }
}

extension Array {
    /// The element at an index; `nil` after the last.
    fileprivate func element(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
