import Glibc
import LocationInterface
import LocationModel
import TestSupport
import Testing

@testable import LocationClient
@testable import Varlink

private let here: Location = {
    var location = Location(
        coordinate: Coordinate(latitude: 48.5, longitude: -11.25), timestamp: Timestamp("2026-11-21T08:30:00Z")!)
    location.horizontalAccuracy = 4
    return location
}()

/// What the client sends and what it makes of the answers.
@Suite("LocationManager", .timeLimit(.minutes(10)))
struct LocationManagerTests {
    @Test func settingsOfARequest() async throws {
        try await ScriptedService.run { call in
            let parameters = try? call.parameters(as: LocationInterface.GetLocation.Parameters.self)
            let isAsSet = parameters == .init(timeout: 2.5, desiredAccuracy: 10)
            isAsSet ? call.reply(LocationInterface.GetLocation.Reply(location: here)) : call.fail(.permissionDenied)
        } test: { path, service in
            var manager = LocationManager(socketPath: path)
            manager.desiredAccuracy = 10
            manager.distanceFilter = 5
            let location = try await manager.requestLocation(timeout: .milliseconds(2500), waitsForAgent: true)
            #expect(location == here)
            var disconnects = service.disconnects.makeAsyncIterator()
            #expect(await disconnects.next() != nil, "no connection is left behind")
        }
    }

    @Test func authorization() async throws {
        try await ScriptedService.run {
            $0.reply(
                AuthorizationInterface.GetStatus.Reply(
                    client: "a", status: .authorizedWhenInUse, accuracy: .reduced))
        } test: { path, _ in
            let manager = LocationManager(socketPath: path)
            let (status, accuracy) = (try await manager.authorizationStatus, try await manager.accuracyAuthorization)
            #expect(status == .authorizedWhenInUse)
            #expect(accuracy == .reduced)
        }
    }

    @Test func updates() async throws {
        let heading = Heading(trueHeading: 90, timestamp: here.timestamp)
        let diagnostics = LocationInterface.Diagnostic.allCases
        try await ScriptedService.run { call in
            var expected = LocationInterface.Subscribe.Parameters()
            (expected.distanceFilter, expected.desiredAccuracy, expected.minimumInterval) = (5, 10, 2)
            (expected.heading, expected.headingFilter) = (true, 3)
            expected.pausesLocationUpdatesAutomatically = true
            let parameters = try? call.parameters(as: LocationInterface.Subscribe.Parameters.self)
            guard parameters == expected else { return call.fail(.permissionDenied) }
            // A location before a change of what the program may know would give way to that.
            for diagnostic in diagnostics {
                call.reply(LocationInterface.Subscribe.Reply(diagnostic: diagnostic), continues: true)
            }
            call.reply(LocationInterface.Subscribe.Reply(location: here, skipped: 7), continues: true)
            call.reply(LocationInterface.Subscribe.Reply(heading: heading), continues: true)
        } test: { path, service in
            var manager = LocationManager(socketPath: path)
            (manager.distanceFilter, manager.desiredAccuracy, manager.minimumInterval) = (5, 10, .seconds(2))
            (manager.includesHeading, manager.headingFilter) = (true, 3)
            manager.pausesLocationUpdatesAutomatically = true
            var updates: [LocationUpdate] = []
            for try await update in manager.liveUpdates() {
                updates.append(update)
                if updates.count == 2 + diagnostics.count { break }
            }
            try #require(updates.count == diagnostics.count + 2)
            let positions = updates.suffix(2)
            #expect(positions.first?.location == here)
            #expect(positions.first?.skippedCount == 7)
            #expect(positions.first?.diagnostic == nil)
            #expect(positions.last?.heading == heading)
            #expect(updates.dropLast(2).map(\.diagnostic) == diagnostics)
            for (update, flags) in zip(updates.dropLast(2), 0...) {
                let said = [
                    update.authorizationRequestInProgress, update.authorizationDenied, update.authorizationRestricted,
                    update.insufficientlyInUse, update.accuracyLimited, update.stationary, update.locationUnavailable,
                ]
                #expect(said == diagnostics.indices.map { $0 == flags }, "one flag each")
            }
            var disconnects = service.disconnects.makeAsyncIterator()
            #expect(await disconnects.next() != nil, "who stops iterating stops the subscription")
        }
    }

    @Test func significantChanges() async throws {
        try await ScriptedService.run { call in
            var expected = LocationInterface.Subscribe.Parameters()
            expected.significantChanges = true
            let parameters = try? call.parameters(as: LocationInterface.Subscribe.Parameters.self)
            guard parameters == expected else { return call.fail(.permissionDenied) }
            call.reply(LocationInterface.Subscribe.Reply(location: here), continues: true)
        } test: { path, _ in
            for try await update in LocationManager(socketPath: path).significantLocationChanges() {
                #expect(update.location == here)
                return
            }
        }
    }

    @Test func frames() async throws {
        var frame = TrackingFrame(
            coordinate: here.coordinate, horizontalAccuracy: 4.5, span: 200, timestamp: here.timestamp)
        (frame.bearing, frame.heading, frame.speed) = (12.5, 271.5, 1.5)
        (frame.isPredicted, frame.age) = (true, .milliseconds(250))
        let shown = frame
        try await ScriptedService.run { call in
            let parameters = try? call.parameters(as: LocationInterface.Follow.Parameters.self)
            guard parameters == .init(rate: 20) else { return call.fail(.permissionDenied) }
            call.reply(LocationInterface.Follow.Reply(diagnostic: .locationUnavailable), continues: true)
            call.reply(LocationInterface.Follow.Reply(frame: shown, skipped: 3), continues: true)
            // And the service goes away, which is said; then the same again.
            call.fail(VarlinkError(name: "org.locationd.Location.ServiceStopping"))
        } test: { path, _ in
            var updates: [FollowUpdate] = []
            for try await update in LocationManager(socketPath: path).followUpdates(rate: 20) {
                updates.append(update)
                if updates.count == 5 { break }
            }
            #expect(updates[0].locationUnavailable)
            #expect(updates[1].frame == shown)
            #expect(updates[1].skippedCount == 3)
            #expect(updates[2].serviceUnavailable)
            #expect(updates[4].frame == shown)
        }
    }

    @Test(arguments: [0, 61])
    func refusedRateIsAnError(rate: Int) async throws {
        try await ScriptedService.run {
            $0.fail(.invalidParameter("rate"))
        } test: { path, _ in
            await #expect(throws: LocationError.invalidParameter(name: "rate")) {
                for try await _ in LocationManager(socketPath: path).followUpdates(rate: rate) {}
            }
        }
    }

    @Test func cancellation() async throws {
        try await ScriptedService.run { call in
            call.reply(LocationInterface.Subscribe.Reply(location: here), continues: true)
        } test: { path, service in
            let (seen, continuation) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for try await _ in LocationManager(socketPath: path).liveUpdates() { continuation.yield() }
            }
            for await _ in seen { break }
            task.cancel()
            try await task.value
            var disconnects = service.disconnects.makeAsyncIterator()
            #expect(await disconnects.next() != nil)
        }
    }

    /// What `LocationManager`'s documentation shows, with an end and, since the environment is everybody's, a path.
    @Test("the example of the documentation")
    func example() async throws {
        let daemon = try await DaemonSite().start()
        var printed: [(Double, Double)] = []
        func print(_ latitude: Double, _ longitude: Double) { printed.append((latitude, longitude)) }

        var manager = LocationManager(socketPath: daemon.site.socket)
        manager.distanceFilter = 10
        for try await update in manager.liveUpdates() {
            guard let location = update.location else { continue }
            print(location.coordinate.latitude, location.coordinate.longitude)
            if printed.count == 3 { break }
        }

        // The track goes 1.1 m from fix to fix.
        for (one, next) in zip(printed, printed.dropFirst()) { #expect(next.0 - one.0 >= 9e-5) }
        #expect(printed.allSatisfy { $0.1 == DaemonSite.longitude })
        try await daemon.stop()
    }

    @Test("a daemon that is restarted is found again")
    func restart() async throws {
        let site = try DaemonSite()
        var daemon = try await site.start()
        var updates = LocationManager(socketPath: site.socket).liveUpdates().makeAsyncIterator()
        for signal in [SIGTERM, SIGKILL] {
            _ = try await updates.first("a location") { $0.location != nil }
            daemon.process.signal(signal)
            _ = try await daemon.process.exitCode()
            // What is still in the buffers comes first.
            _ = try await updates.first("the end of the service") { $0.serviceUnavailable }
            daemon = try await site.start()
        }
        _ = try await updates.first("a location of the restarted daemon") { $0.location != nil }
        try await daemon.stop()
    }

    @Test("the first connection fails if the service is not running")
    func absent() async throws {
        let directory = try TemporaryDirectory()
        var updates = LocationManager(socketPath: directory.path + "/none").liveUpdates().makeAsyncIterator()
        let error = await #expect(throws: LocationError.self) { try await updates.next() }
        guard case .serviceUnavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
