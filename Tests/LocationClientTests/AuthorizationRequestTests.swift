import LocationClient
import LocationInterface
import LocationModel
import TestSupport
import Testing
import Varlink

/// How a program asks for authorization and hears of it, by the names of Core Location.
@Suite("Authorization requests", .timeLimit(.minutes(5)))
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
}
