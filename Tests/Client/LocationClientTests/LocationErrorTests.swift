import LocationInterface
import LocationModel
import TestSupport
import Testing

@testable import LocationClient
import LocationServiceManagement
@testable import Varlink

@Suite("Errors of the client library", .timeLimit(.minutes(10)))
struct LocationErrorTests {
    /// What the service answers with, and what is thrown.
    static let mappings: [(answer: VarlinkError, error: LocationError)] = [
        (
            error(AuthorizationInterface.ClientNotDeclared(message: "Write a file.")),
            .clientNotDeclared(message: "Write a file.")
        ),
        (
            error(
                AuthorizationInterface.NotAuthorized(
                    client: "a", status: .denied, reason: .deniedByUser, message: "No.")),
            .denied(status: .denied, reason: .deniedByUser, message: "No.")
        ),
        (error(LocationInterface.LocationUnavailable(reason: "No sky.")), .locationUnknown(reason: "No sky.")),
        (
            error(LocationInterface.LimitExceeded(limit: "ConnectionsPerUser", value: 256)),
            .limitExceeded(limit: "ConnectionsPerUser", value: 256)
        ),
        (error(LocationInterface.ServiceStopping()), .serviceUnavailable(reason: "The location service is ending.")),
        (.invalidParameter("timeout"), .invalidParameter(name: "timeout")),
        (
            .permissionDenied,
            .permissionDenied(message: "Only root, or the user that locationd runs as, may do this.")
        ),
        (
            error(AuthorizationInterface.MissingUsageDescription(key: "K", file: "f", message: "No text.")),
            .missingUsageDescription(key: "K", file: "f", message: "No text.")
        ),
        (error(AuthorizationInterface.NoAgent(seconds: 5, message: "Nobody.")), .notAnswered(message: "Nobody.")),
        (error(AuthorizationInterface.NotAnswered(seconds: 5, message: "Late.")), .notAnswered(message: "Late.")),
        (error(AuthorizationInterface.TooManyPrompts(message: "Wait.")), .notAnswered(message: "Wait.")),
        (error(AgentInterface.NotAnAgent(message: "Not you.")), .permissionDenied(message: "Not you.")),
        (error(ManagerInterface.NotAManager(message: "Not you.")), .permissionDenied(message: "Not you.")),
        (
            error(ManagerInterface.NoSuchClient(client: "a")),
            .refused(message: "No client a is declared. To list those that are, run: locationctl clients")
        ),
        (error(ManagerInterface.NotSaved(isInForce: false, message: "Disk full.")), .refused(message: "Disk full.")),
    ]

    @Test(
        "the errors of a stream have their type, and an unreadable reply ends it with one that reconnecting does not repeat"
    )
    func typed() async throws {
        try await ScriptedService.run({ call in
            call.reply(["location": "nowhere"], continues: true)
        }) { path, _ in
            do throws(LocationError) {
                for try await _ in LocationManager(socketPath: path).liveUpdates() {}
            } catch .unexpected(let message) {
                #expect(message.hasSuffix("It may be of another release than this program."))
            } catch {
                Issue.record("\(error.description)")
            }
        }
    }

    @Test("a cancelled request throws a cancellation error, and a stream ends")
    func cancelled() async throws {
        let (calls, called) = AsyncStream.makeStream(of: Void.self)
        try await ScriptedService.run({ _ in called.yield() }) { path, _ in
            let manager = LocationManager(socketPath: path)
            var arrived = calls.makeAsyncIterator()
            let request = Task { try await manager.requestLocation(waitsForAgent: true) }
            await arrived.next()
            request.cancel()
            await #expect(throws: LocationError.cancelled) { try await request.value }
            let stream = Task { for try await _ in manager.liveUpdates() {} }
            await arrived.next()
            stream.cancel()
            try await stream.value
        }
    }

    @Test(arguments: mappings)
    func fromTheService(mapping: (answer: VarlinkError, error: LocationError)) async throws {
        try await ScriptedService.run({ $0.fail(mapping.answer) }) { path, _ in
            let manager = LocationManager(socketPath: path)
            await #expect(throws: mapping.error) { try await manager.requestLocation() }
            await #expect(throws: mapping.error) { try await manager.authorizationStatus }
            await #expect(throws: mapping.error) { try await LocationServiceManager(socketPath: path).reload() }
            await #expect(throws: mapping.error) {
                var updates = manager.liveUpdates().makeAsyncIterator()
                _ = try await updates.next()
            }
        }
    }

    @Test(
        "an unknown error is reported by name and hides no other error",
        arguments: [
            (VarlinkError(name: "org.locationd.Location.New"), "org.locationd.Location.New"),
            (VarlinkError(name: LocationInterface.LimitExceeded.name), "could not be read"),
        ])
    func unexpected(answer: VarlinkError, words: String) async throws {
        try await ScriptedService.run({ $0.fail(answer) }) { path, _ in
            let error = await #expect(throws: LocationError.self) {
                try await LocationManager(socketPath: path).requestLocation()
            }
            guard case .unexpected(let message) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(message.contains(words))
        }
    }

    @Test func noService() async throws {
        let directory = try TemporaryDirectory()
        for path in [directory.path + "/none", directory.path + String(repeating: "/long", count: 40)] {
            let error = await #expect(throws: LocationError.self) {
                try await LocationManager(socketPath: path).requestLocation()
            }
            guard case .serviceUnavailable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains(path), "it says where it looked")
        }
    }

    @Test(arguments: [VarlinkConnectionError.Reason.closedByPeer, .permissionDenied, .busy, .refused])
    func connection(reason: VarlinkConnectionError.Reason) {
        let error = VarlinkConnectionError(reason: reason, path: "/socket")
        #expect(LocationError(error) == .serviceUnavailable(reason: error.description))
    }

    @Test("each error has a sentence for people", arguments: mappings)
    func sentences(mapping: (answer: VarlinkError, error: LocationError)) {
        #expect(mapping.error.description.hasSuffix(".") || mapping.error.description.contains(" is "))
        #expect(!mapping.error.description.contains("org."))
    }

    private static func error<E: InterfaceError>(_ error: E) -> VarlinkError {
        VarlinkError(name: E.name, parameters: error)
    }
}
