import LocationInterface
import LocationModel
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import LocationClient
@testable import Varlink

@Suite("A service that accepts connections and does not answer", .timeLimit(.minutes(10)))
struct UnresponsiveServiceTests {
    /// Runs a test with a socket whose connections nobody takes, as while systemd starts a service in vain.
    private func withMuteSocket(_ test: (ServiceConnector) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.autoRead, value: false)
            .bind(unixDomainSocketPath: directory.path + "/socket").get()
        try await test(ServiceConnector(socketPath: directory.path + "/socket", patience: .milliseconds(20)))
        try await listener.close()
    }

    @Test("a call ends with an error that says so") func call() async throws {
        try await withMuteSocket { connector in
            do throws(LocationError) {
                _ = try await connector.call(ManagerInterface.GetServiceStatus.self, .init())
                Issue.record("nobody could have answered")
            } catch {
                #expect(error.description.contains("accepts connections but does not answer"))
            }
        }
    }

    @Test("a stream ends with an error that says so") func stream() async throws {
        try await withMuteSocket { connector in
            let updates = try await connector.stream(LocationInterface.Subscribe.self, .init())
            let error = await #expect(throws: VarlinkConnectionError.self) { for try await _ in updates {} }
            #expect(error?.reason == .unresponsive)
        }
    }

    @Test("a call that a living service answers late is answered") func lateAnswer() async throws {
        let here = Location(
            coordinate: Coordinate(latitude: 48.5, longitude: -11.25), timestamp: Timestamp("2026-11-21T08:30:00Z")!)
        let answer = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        try await ScriptedService.run { call in
            let loop = MultiThreadedEventLoopGroup.currentEventLoop!
            answer.futureResult.hop(to: loop).assumeIsolated().whenSuccess {
                call.reply(LocationInterface.GetLocation.Reply(location: here))
            }
        } test: { path, service in
            // The probe has as long, on a machine that may be busy.
            let connector = ServiceConnector(socketPath: path, patience: .seconds(2))
            async let reply = connector.call(LocationInterface.GetLocation.self, .init())
            // The probe has been answered, and has disconnected.
            for await _ in service.disconnects { break }
            answer.succeed()
            let location = try await reply.location
            #expect(location == here)
        }
    }
}
