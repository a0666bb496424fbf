import LocationInterface
import NIOCore
import NIOPosix
package import Varlink
package import VarlinkIDL

/// A location service that answers what a test wants.
///
/// `@unchecked Sendable` because the script, the only thing that is not, is called on the event loop only.
package final class ScriptedService: VarlinkService, @unchecked Sendable {
    package let information = ServiceInformation(vendor: "locationd", product: "a script", version: "1", url: "")
    package let interfaces: [InterfaceDescription]
    /// The end of each connection.
    package let disconnects: AsyncStream<Void>
    fileprivate let continuation: AsyncStream<Void>.Continuation
    fileprivate let script: (ServerCall) -> Void

    private init(_ script: @escaping (ServerCall) -> Void) throws {
        interfaces = try Self.interfaces()
        (disconnects, continuation) = AsyncStream.makeStream()
        self.script = script
    }

    /// The descriptions of the location service's interfaces.
    package static func interfaces() throws -> [InterfaceDescription] {
        try [
            LocationInterface.text, AuthorizationInterface.text, AgentInterface.text, ManagerInterface.text,
            MonitorInterface.text,
        ].map { try InterfaceDescription($0) }
    }

    /// Runs a test with a service that answers every call by `script`. The test is given the socket.
    package static func run(
        isolation: isolated (any Actor)? = #isolation, _ script: @escaping (ServerCall) -> Void,
        test: (_ socket: String, ScriptedService) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/socket"
        let service = try ScriptedService(script)
        let server = try await VarlinkServer.bind(
            service, to: .path(path, mode: 0o600), on: MultiThreadedEventLoopGroup.singleton.next(), logger: .silent)
        do {
            try await test(path, service)
        } catch {
            await server.shutdown(within: .seconds(1))
            throw error
        }
        await server.shutdown(within: .seconds(1))
    }

    package func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void
    ) {
        completion(.success(Session(service: self)))
    }

    private final class Session: VarlinkSession {
        private let service: ScriptedService
        /// Kept: those that the script does not answer to the end stay open.
        private var calls: [ServerCall] = []

        init(service: ScriptedService) {
            self.service = service
        }

        func receive(_ call: ServerCall) {
            calls.append(call)
            service.script(call)
        }
        func disconnected() { service.continuation.yield() }
    }
}
