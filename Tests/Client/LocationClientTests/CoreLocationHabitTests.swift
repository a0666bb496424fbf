import FoundationEssentials
import LocationClient
import LocationInterface
import TestSupport
import Testing

@testable import Varlink

private func unavailable(_ reason: String) -> VarlinkError {
    VarlinkError(
        name: LocationInterface.LocationUnavailable.name,
        parameters: LocationInterface.LocationUnavailable(reason: reason))
}

/// Lines as a Core Location programmer writes them, without the `CL`.
@Suite("Core Location's habits", .timeLimit(.minutes(10)))
struct CoreLocationHabitTests {
    @Test("positions and locations are made from literals without an optional")
    func literalsAreNoOptionals() {
        let berlin = LocationCoordinate2D(latitude: 52.52, longitude: 13.405)
        let sydney = Coordinate(latitude: -33, longitude: 151)
        #expect(berlin.latitude == 52.52 && sydney.latitude == -33)
        let here = Location(latitude: 52.52, longitude: 13.405)
        let there = Location(latitude: -33, longitude: 151)
        #expect(here.coordinate == berlin)
        #expect(here.distance(from: there) == berlin.distance(to: sydney))
        #expect(here.horizontalAccuracy == nil)
    }

    @Test("degrees known only at run time make an optional, so that no invalid position is passed on")
    func valuesGiveAnOptional() {
        let (north, east): (Double, Double) = (91, 13)
        #expect(Coordinate(latitude: north, longitude: east) == nil)
        #expect(Location(latitude: north, longitude: east) == nil)
        #expect(Coordinate(latitude: north - 1, longitude: east)?.latitude == 90)
    }

    @Test("literals out of range stop the program")
    func invalidLiteralsTrap() async {
        await #expect(processExitsWith: .failure) { _ = Coordinate(latitude: 91, longitude: 0) }
        await #expect(processExitsWith: .failure) { _ = Location(latitude: 0, longitude: -180.5) }
    }

    @Test("a timestamp converts to Foundation's Date and back")
    func timestampsConvertToDates() throws {
        let timestamp = try #require(Timestamp("2026-11-21T08:30:00.250Z"))
        #expect(timestamp.date == Date(timeIntervalSince1970: 1_795_249_800.25))
        #expect(Timestamp(timestamp.date) == timestamp)
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)) > timestamp)
        #expect(Timestamp(Date(timeIntervalSince1970: -1e300)) < timestamp)
        #expect(Location(latitude: 0, longitude: 0).timestamp.date.timeIntervalSinceNow < 60)
    }

    @Test("an accuracy is a constant, a literal or a length in metres")
    func accuraciesHaveConstants() async throws {
        try await ScriptedService.run { call in
            let parameters = try? call.parameters(as: LocationInterface.GetLocation.Parameters.self)
            call.fail(unavailable("\(parameters?.desiredAccuracy ?? 0)"))
        } test: { path, _ in
            var manager = LocationManager(socketPath: path)
            let accuracies: [(LocationAccuracy, String)] = [
                (.best, "0.0"), (.nearestTenMeters, "10.0"), (.hundredMeters, "100.0"), (50, "50.0"), (2.5, "2.5"),
                (LocationAccuracy(meters: 7), "7.0"), (LocationAccuracy(meters: nil), "0.0"),
            ]
            for (accuracy, sent) in accuracies {
                manager.desiredAccuracy = accuracy
                await #expect(throws: LocationError.locationUnknown(reason: sent)) {
                    try await manager.requestLocation(waitsForAgent: true)
                }
            }
        }
    }

    @Test(
        "the current location is nil without authorization, and is read without a prompt",
        arguments: AuthorizationStatus.allCases)
    func currentLocation(status: AuthorizationStatus) async throws {
        let here = Location(latitude: 48.5, longitude: -11.25)
        try await ScriptedService.run { call in
            if call.method.hasSuffix("GetStatus") {
                return call.reply(AuthorizationInterface.GetStatus.Reply(client: "a", status: status, accuracy: .full))
            }
            let parameters = try? call.parameters(as: LocationInterface.GetLocation.Parameters.self)
            guard parameters == .init(timeout: 1, desiredAccuracy: nil) else { return call.fail(.permissionDenied) }
            call.reply(LocationInterface.GetLocation.Reply(location: here))
        } test: { path, _ in
            var manager = LocationManager(socketPath: path)
            manager.desiredAccuracy = .hundredMeters
            let location = try await manager.location
            let isAuthorized = status == .authorizedWhenInUse || status == .authorizedAlways
            #expect(location?.coordinate == (isAuthorized ? here.coordinate : nil))
        }
    }

    @Test("the current location is nil while there is no fix")
    func currentLocationWithoutFix() async throws {
        try await ScriptedService.run { call in
            call.method.hasSuffix("GetStatus")
                ? call.reply(
                    AuthorizationInterface.GetStatus.Reply(client: "a", status: .authorizedAlways, accuracy: .full))
                : call.fail(unavailable("no fix"))
        } test: { path, _ in
            let location = try await LocationManager(socketPath: path).location
            #expect(location == nil)
        }
    }
}
