import DaemonTestSupport
import NIOCore
import NetworkInterface
import TestSupport
import Testing
import Varlink
import VarlinkIDL
import WiFiPositioning

@testable import LocationDaemon
@testable import LocationSources

/// A program in the place of locationd-network that answers what the test says.
private final class Impostor: VarlinkService, VarlinkSession, @unchecked Sendable {
    // Sendable: `answer` does not change, and the rest is the server's loop's.
    let information = ServiceInformation(vendor: "", product: "", version: "", url: "")
    let interfaces: [InterfaceDescription]
    private let answer: @Sendable (ServerCall) -> Void

    init(_ answer: @escaping @Sendable (ServerCall) -> Void) throws {
        interfaces = [try InterfaceDescription(NetworkInterface.text)]
        self.answer = answer
    }

    func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void
    ) { completion(.success(self)) }

    func receive(_ call: ServerCall) { answer(call) }
    func disconnected() {}
}

@Suite("Answers of locationd-network", .timeLimit(.minutes(10)))
struct NetworkPositioningClientTests {
    private func ask(
        _ answer: @escaping @Sendable (ServerCall) -> Void
    ) async throws -> Result<PositioningReply, PositioningFailure> {
        let directory = try TemporaryDirectory()
        let loop = ObservedLoops.next()
        let server = try await VarlinkServer.bind(
            try Impostor(answer), to: .path(directory.path + "/socket", mode: 0o600), on: loop,
            logger: LogRecorder().logger)
        let result = try await ask(at: directory.path + "/socket", on: loop)
        await server.shutdown(within: .seconds(1))
        return result
    }

    private func ask(
        at path: String, on loop: any EventLoop
    ) async throws -> Result<PositioningReply, PositioningFailure> {
        let promise = loop.makePromise(of: Result<PositioningReply, PositioningFailure>.self)
        let points = try ["a4:2b:b0:11:22:33", "cc:40:d0:44:55:66"].map {
            AccessPoint(address: try #require(HardwareAddress($0)), signalStrength: -50, frequency: 2412, age: 1)
        }
        _ = NetworkPositioningClient(socket: path, eventLoop: loop).locate(points) { promise.succeed($0) }
        return try await promise.futureResult.get()
    }

    @Test("are accepted if they can be a position by Wi-Fi")
    func position() async throws {
        let reply = try await ask { call in
            call.reply(
                NetworkInterface.Locate.Reply(
                    latitude: 52.52, longitude: 13.405, accuracy: 100, server: "server.example"))
        }.get()
        #expect(reply.position == NetworkPosition(latitude: 52.52, longitude: 13.405, accuracy: 100))
        #expect(reply.server == "server.example")
    }

    @Test("are checked: impossible positions are refused, and names are escaped and bounded")
    func hostile() async throws {
        for (latitude, longitude, accuracy) in [(91.0, 0.0, 10.0), (0, 181, 10), (0, 0, 0), (0, 0, -1), (0, 0, 1e300)] {
            let result = try await ask { call in
                call.reply(
                    NetworkInterface.Locate.Reply(
                        latitude: latitude, longitude: longitude, accuracy: accuracy, server: "a\u{1b}[31m"))
            }
            guard case .failure(let failure) = result else {
                Issue.record("accepted")
                continue
            }
            #expect(failure.reason == .notAPosition)
            #expect(!failure.message.contains("\u{1b}"))
        }
        let long = try await ask { call in
            call.reply(
                NetworkInterface.Locate.Reply(
                    latitude: 1, longitude: 1, accuracy: 10, server: String(repeating: "a\n", count: 5000)))
        }.get()
        #expect(long.server.count < 1000 && !long.server.contains("\n"))
    }

    @Test("are failures with a reason and the server's delay")
    func failure() async throws {
        let result = try await ask { call in
            call.fail(
                VarlinkError(
                    name: NetworkInterface.NoPosition.name,
                    parameters: NetworkInterface.NoPosition(reason: .busy, message: "Too many", retryAfter: 60)))
        }
        #expect(result == .failure(PositioningFailure(.busy, "Too many", retryAfter: 60)))
    }

    @Test("are missing if the package is not installed, which is named")
    func absent() async throws {
        let directory = try TemporaryDirectory()
        let result = try await ask(at: directory.path + "/socket", on: ObservedLoops.next())
        guard case .failure(let failure) = result else {
            Issue.record("answered")
            return
        }
        #expect(failure.reason == .notConfigured)
        #expect(failure.message.contains("sudo systemctl enable --now locationd-network.socket"))
    }
}
