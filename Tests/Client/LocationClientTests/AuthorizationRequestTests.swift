import LocationClient
import LocationInterface
import LocationModel
import Synchronization
import TestSupport
import Testing
import Varlink

/// How a program asks for authorization and hears of it, by the names of Core Location.
@Suite("Authorization requests", .timeLimit(.minutes(10)))
struct AuthorizationRequestTests {
    private static func status(
        _ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization = .full
    ) -> AuthorizationInterface.GetStatus.Reply {
        .init(client: "a", status: status, accuracy: accuracy)
    }

    /// Each method of the library is one of the interface, with its parameters and its answer.
    @Test func requests() async throws {
        try await ScriptedService.run { call in
            switch call.method {
            case AuthorizationInterface.RequestWhenInUse.name: call.reply(Self.status(.authorizedWhenInUse))
            case AuthorizationInterface.RequestAlways.name: call.reply(Self.status(.authorizedAlways, .reduced))
            case AuthorizationInterface.RequestTemporaryFullAccuracy.name:
                let parameters = try? call.parameters(
                    as: AuthorizationInterface.RequestTemporaryFullAccuracy.Parameters.self)
                call.reply(Self.status(.authorizedAlways, parameters?.purposeKey == "walk" ? .full : .reduced))
            default: call.fail(.permissionDenied)
            }
        } test: { path, _ in
            let manager = LocationManager(socketPath: path)
            let whenInUse = try await manager.requestWhenInUseAuthorization()
            #expect(whenInUse.status == .authorizedWhenInUse)
            #expect(whenInUse.accuracy == .full)
            let always = try await manager.requestAlwaysAuthorization()
            #expect(always.status == .authorizedAlways)
            #expect(always.accuracy == .reduced)
            let full = try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "walk")
            #expect(full.accuracy == .full)
        }
    }

    @Test("without an agent a request throws the cause at once")
    func hiddenPrompt() async throws {
        try await ScriptedService.run { call in
            var hidden = Self.status(.notDetermined)
            hidden.cause = LocationCause(.noAgent, message: "No agent is running.")
            call.reply(hidden, continues: call.wantsMore)
        } test: { path, _ in
            await #expect(throws: LocationError.notAnswered(message: "No agent is running.")) {
                try await LocationManager(socketPath: path).requestWhenInUseAuthorization()
            }
            await #expect(throws: LocationError.notAnswered(message: "No agent is running.")) {
                try await LocationManager(socketPath: path).requestLocation()
            }
        }
    }

    @Test("a location is requested after the answer to the prompt, and at once if no prompt is needed")
    func requestedLocation() async throws {
        let here = Location(latitude: 48.5, longitude: -11.25)
        for status in [AuthorizationStatus.notDetermined, .authorizedWhenInUse] {
            let called = Mutex<[String]>([])
            try await ScriptedService.run { call in
                called.withLock { $0.append(String(call.method.split(separator: ".").last ?? "")) }
                switch call.method {
                case AuthorizationInterface.GetStatus.name: call.reply(Self.status(status))
                case AuthorizationInterface.RequestWhenInUse.name: call.reply(Self.status(.authorizedWhenInUse))
                default: call.reply(LocationInterface.GetLocation.Reply(location: here))
                }
            } test: { path, _ in
                let location = try await LocationManager(socketPath: path).requestLocation()
                #expect(location == here)
            }
            #expect(
                called.withLock { $0 }
                    == (status == .notDetermined
                        ? ["GetStatus", "RequestWhenInUse", "GetLocation"] : ["GetStatus", "GetLocation"]))
        }
    }

    @Test func impossibleRequestFails() async throws {
        let missing = AuthorizationInterface.MissingUsageDescription(key: "K", file: "/f", message: "Add K to /f.")
        try await ScriptedService.run { call in
            call.fail(
                VarlinkError(name: AuthorizationInterface.MissingUsageDescription.name, parameters: missing))
        } test: { path, _ in
            await #expect(throws: LocationError.missingUsageDescription(key: "K", file: "/f", message: "Add K to /f."))
            {
                try await LocationManager(socketPath: path).requestWhenInUseAuthorization()
            }
        }
    }

    @Test func changes() async throws {
        let told: [AuthorizationStatus] = [.notDetermined, .authorizedWhenInUse, .denied]
        try await ScriptedService.run { call in
            guard call.method == AuthorizationInterface.Watch.name, call.wantsMore else {
                return call.fail(.permissionDenied)
            }
            for status in told { call.reply(Self.status(status), continues: true) }
        } test: { path, _ in
            var heard: [AuthorizationStatus] = []
            for try await update in LocationManager(socketPath: path).authorizationUpdates() {
                heard.append(update.status)
                if heard.count == told.count { break }
            }
            #expect(heard == told)
        }
    }

    @Test func backgroundActivity() async throws {
        try await ScriptedService.run { call in
            guard call.method == AuthorizationInterface.BeginBackgroundActivity.name, call.wantsMore else {
                return call.fail(.permissionDenied)
            }
            for isShown in [false, true] {
                call.reply(AuthorizationInterface.BeginBackgroundActivity.Reply(isShown: isShown), continues: true)
            }
        } test: { path, _ in
            var heard: [Bool] = []
            for try await isShown in try await LocationManager(socketPath: path).backgroundActivity() {
                heard.append(isShown)
                if heard.count == 2 { break }
            }
            #expect(heard == [false, true])
        }
    }

    /// A call that its service answers further when another one comes.
    private final class HeldCall {
        var call: ServerCall?
    }

    @Test("a session opens its prompt when it is created, before it is iterated, and invalidate() ends its diagnostics")
    func sessionActsWhileHeld() async throws {
        let asked = AsyncStream.makeStream(of: Void.self)
        let held = HeldCall()
        try await ScriptedService.run { call in
            switch call.method {
            case AuthorizationInterface.RequestWhenInUse.name:
                asked.continuation.yield()
                call.reply(Self.status(.authorizedWhenInUse))
            case AuthorizationInterface.Watch.name:
                held.call = call
                call.reply(Self.status(.authorizedWhenInUse), continues: true)
            default: call.reply(Self.status(.notDetermined))
            }
        } test: { path, _ in
            let session = ServiceSession(authorization: .whenInUse, socketPath: path)
            var requests = asked.stream.makeAsyncIterator()
            await requests.next()
            var heard: [AuthorizationStatus] = []
            for try await diagnostic in session.diagnostics {
                heard.append(diagnostic.authorization.status)
                session.invalidate()
            }
            #expect(heard.first == .authorizedWhenInUse)
            for try await _ in session.diagnostics.dropFirst(heard.count) { Issue.record("it has ended") }
        }
    }

    @Test("a background activity acts while it is held, and each iteration begins with the state")
    func backgroundActivitySession() async throws {
        let held = HeldCall()
        try await ScriptedService.run { call in
            held.call = call
            call.reply(AuthorizationInterface.BeginBackgroundActivity.Reply(isShown: true), continues: true)
        } test: { path, _ in
            let session = BackgroundActivitySession(socketPath: path)
            for _ in 0..<2 {
                for try await diagnostic in session.diagnostics {
                    #expect(diagnostic.isShown && !diagnostic.serviceUnavailable)
                    break
                }
            }
            session.invalidate()
        }
    }

    @Test("a live configuration decides whether updates pause", arguments: LocationUpdate.LiveConfiguration.allCases)
    func configurations(_ configuration: LocationUpdate.LiveConfiguration) async throws {
        try await ScriptedService.run { call in
            let parameters = try? call.parameters(as: LocationInterface.Subscribe.Parameters.self)
            let pauses = parameters?.pausesLocationUpdatesAutomatically ?? false
            var reply = LocationInterface.Subscribe.Reply()
            reply.diagnostic = pauses ? .stationary : .locationUnavailable
            call.reply(reply)
        } test: { path, _ in
            var updates = LocationUpdate.liveUpdates(configuration, socketPath: path).makeAsyncIterator()
            let update = try await updates.next()
            let pauses = configuration == .default || configuration == .fitness
            #expect(update?.stationary == pauses && update?.serviceSessionRequired == false)
        }
    }

    @Test("the streams of a manager and of LocationUpdate are alike by default: both pause")
    func alikeByDefault() async throws {
        let parameters = Mutex<[LocationInterface.Subscribe.Parameters?]>([])
        try await ScriptedService.run { call in
            parameters.withLock { $0.append(try? call.parameters(as: LocationInterface.Subscribe.Parameters.self)) }
            call.reply(LocationInterface.Subscribe.Reply(diagnostic: .stationary))
        } test: { path, _ in
            for updates in [
                LocationManager(socketPath: path).liveUpdates(), LocationUpdate.liveUpdates(socketPath: path),
            ] {
                var updates = updates.makeAsyncIterator()
                let update = try await updates.next()
                #expect(update?.stationary == true)
            }
        }
        let pausing = LocationInterface.Subscribe.Parameters(pausesLocationUpdatesAutomatically: true)
        #expect(parameters.withLock(\.self) == [pausing, pausing])
    }

    @Test("a decision made after an unanswered prompt clears the session's diagnostic of that prompt")
    func decidedLater() async throws {
        let unanswered = AuthorizationInterface.NotAnswered(seconds: 60, message: "Nobody answered.")
        let held = HeldCall()
        try await ScriptedService.run { call in
            switch call.method {
            case AuthorizationInterface.RequestWhenInUse.name:
                call.fail(VarlinkError(name: AuthorizationInterface.NotAnswered.name, parameters: unanswered))
            case AuthorizationInterface.Watch.name:
                held.call = call
                call.reply(Self.status(.notDetermined), continues: true)
            // Another request, at which the user decides.
            case AuthorizationInterface.RequestAlways.name:
                held.call?.reply(Self.status(.authorizedWhenInUse), continues: true)
                call.reply(Self.status(.authorizedWhenInUse))
            default: call.reply(Self.status(.notDetermined))
            }
        } test: { path, _ in
            var heard: [ServiceSession.Diagnostic] = []
            let session = ServiceSession(authorization: .whenInUse, socketPath: path)
            for try await diagnostic in session.diagnostics {
                heard.append(diagnostic)
                if diagnostic.authorization.status == .authorizedWhenInUse { break }
                if diagnostic.unanswered != nil {
                    _ = try await LocationManager(socketPath: path).requestAlwaysAuthorization()
                }
            }
            #expect(heard.suffix(2).map(\.unanswered) == ["Nobody answered.", nil])
        }
    }
}
