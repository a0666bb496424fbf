import LocationModel
import MapModel
import PageServing
import TestSupport
import Testing

@testable import LocationClient
@testable import LocationInterface
@testable import LocationMap

@Suite("MapView: the user", .timeLimit(.minutes(10)))
@MainActor
struct UserTests {
    private final class Recorder: MapViewDelegate {
        var modes: [UserTrackingMode] = []
        var updates = 0
        let (locations, located) = AsyncStream.makeStream(of: Void.self)
        func mapView(_ mapView: MapView, didChange mode: UserTrackingMode, animated: Bool) { modes.append(mode) }
        func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {
            updates += 1
            located.yield()
        }
    }

    private let map: MapView
    private let recorder = Recorder()

    init() {
        map = MapView()
        map.delegate = recorder
        // No service there: what it says comes from the tests.
        map.locationManager = LocationManager(socketPath: "/nonexistent")
        map.answersPrompts = false
        map.showsUserLocation = true
    }

    private func frame(_ latitude: Double = 47, heading: Double? = nil, age: Double = 0) -> FollowUpdate {
        var frame = TrackingFrame(
            coordinate: .at(latitude, 9), horizontalAccuracy: 12.34, span: 500,
            timestamp: Timestamp(nanosecondsSince1970: 0))
        frame.heading = heading
        frame.age = .seconds(age)
        var update = FollowUpdate.connectionLost
        update.serviceUnavailable = false
        update.frame = frame
        return update
    }

    private func diagnostic(_ diagnostic: LocationInterface.Diagnostic) -> FollowUpdate {
        var update = FollowUpdate.connectionLost
        update.serviceUnavailable = false
        update.diagnostic = diagnostic
        return update
    }

    @Test("a newer service's location is shown, whatever unknown values it has")
    func newerService() async throws {
        try await NextVersion.run { socket in
            let (map, recorder) = (MapView(), Recorder())
            map.delegate = recorder
            map.locationManager = LocationManager(socketPath: socket)
            let page = try FakePage(map)
            _ = try page.events()
            map.showsUserLocation = true
            var updates = recorder.locations.makeAsyncIterator()
            while map.user.location.frame == nil { await updates.next() }
            let user = try #require(try page.last("user"))
            #expect(user["position"]?.array.map(\.number) == [60, 60] && user["status"]?.string != "failed")
            map.showsUserLocation = false
        }
    }

    @Test("frames move the user; an old one is stale, and the obstacle is shown")
    func states() throws {
        let page = try FakePage(map)
        _ = try page.events()
        map.user.receive(frame(heading: 90))
        var user = try #require(try page.last("user"))
        #expect(user["status"]?.string == "located")
        #expect(user["position"]?.array.map(\.number) == [9, 47])
        #expect(user["accuracy"]?.number == 12.3)
        #expect(user["heading"]?.number == 90)
        map.user.receive(frame(age: 11))
        #expect(try page.last("user")?["status"]?.string == "stale")
        #expect(map.userLocation.isStale)
        let expected: [(LocationInterface.Diagnostic, String)] = [
            (.authorizationRequestInProgress, "asking"), (.authorizationDenied, "denied"),
            (.authorizationRestricted, "restricted"), (.insufficientlyInUse, "suspended"),
            (.locationUnavailable, "unavailable"),
        ]
        for (diagnostic, status) in expected {
            map.user.receive(self.diagnostic(diagnostic))
            user = try #require(try page.last("user"))
            #expect(user["status"]?.string == status)
            #expect(user["message"]?.string == diagnostic.sentence)
            #expect(user["position"] != nil, "the last one that was known")
        }
        map.user.receive(.connectionLost)
        #expect(try page.last("user")?["status"]?.string == "failed")
    }

    @Test("reduced accuracy is shown as such, until it is full again")
    func reduced() throws {
        let page = try FakePage(map)
        map.user.receive(diagnostic(.accuracyLimited))
        map.user.receive(frame())
        #expect(try page.last("user")?["isReduced"]?.bool == true)
        #expect(map.userLocation.isReduced)
    }

    @Test("gestures, the button and the program change how the map follows, as UserTracking defines")
    func tracking() throws {
        let page = try FakePage(map)
        map.user.receive(frame(heading: 45))
        page.post(.trackingButton)
        #expect(map.userTrackingMode == .follow)
        page.post(.gesture(.zoom), .trackingButton)
        #expect(map.userTrackingMode == .followWithHeading)
        page.post(.gesture(.rotate))
        #expect(map.userTrackingMode == .follow)
        page.post(.gesture(.pan))
        #expect(map.userTrackingMode == .none)
        map.userTrackingMode = .followWithHeading
        map.user.receive(frame())
        #expect(map.userTrackingMode == .follow, "there is no heading any more")
        map.setCenter(.at(1, 1), animated: false)
        #expect(recorder.modes == [.follow, .followWithHeading, .follow, .none, .followWithHeading, .follow, .none])
        #expect(try page.state()["tracking"]?["mode"]?.string == "none")
    }

    @Test("a page is sent the age of the last fix, and heartbeats of the program while nothing changes")
    func age() throws {
        let page = try FakePage(map)
        map.user.receive(frame(age: 4))
        let user = try #require(try page.last("user"))
        let (at, fixedAt) = (try #require(user["at"]?.number), try #require(user["fixedAt"]?.number))
        #expect(abs(at - fixedAt - 4000) < 100)
        map.user.receive(diagnostic(.locationUnavailable))
        #expect(try page.last("user")?["fixedAt"]?.number == fixedAt, "the last one that was known")
        map.hub.sendHeartbeat()
        #expect(try page.events().map(\.name) == ["heartbeat"])
    }

    @Test("following is announced once there is a location, and the heading once there is one")
    func announcements() throws {
        let page = try FakePage(map)
        func announced() throws -> String? { try page.state()["tracking"]?["announcement"]?.string }
        map.userTrackingMode = .followWithHeading
        map.user.receive(diagnostic(.authorizationRequestInProgress))
        #expect(try announced() == nil)
        map.user.receive(frame())
        #expect(try announced() == "Following you, with the course up: there is no heading yet.")
        #expect(map.userTrackingMode == .followWithHeading)
        _ = try page.events()
        map.user.receive(frame(heading: 45))
        #expect(try page.last("tracking")?["announcement"]?.string == "Following you, with the heading up.")
        map.userTrackingMode = .none
        #expect(try announced() == "Not following you.")
    }

    @Test("a user that is no longer shown is on no page")
    func off() throws {
        let page = try FakePage(map)
        map.user.receive(frame())
        map.showsUserLocation = false
        #expect(try page.last("user")?["status"]?.string == "off")
        map.user.receive(frame())
        #expect(try page.events().isEmpty)
    }

    @Test("a click on the dot selects the user, whose callout is the map's own")
    func selection() throws {
        let page = try FakePage(map)
        page.post(.select(id: "user"))
        #expect(map.selectedAnnotations.isEmpty, "nobody knows where the user is")
        map.user.receive(frame())
        page.post(.select(id: "user"))
        #expect(map.selectedAnnotations.first === map.userLocation)
        #expect(try page.last("selected")?["selected"]?["id"]?.string == "user")
    }
}
