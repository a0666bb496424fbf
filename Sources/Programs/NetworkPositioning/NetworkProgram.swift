import CLinux
import Glibc
import LinuxPlumbing
import LocationInterface
package import Logging
import NIOCore
import NIOPosix
import Varlink

/// The program `locationd-network`: serves requests until it has been idle for half a minute.
package struct NetworkProgram: Sendable {
    /// The time without a request after which the program exits.
    private static let idleTime = TimeAmount.seconds(30)

    private let configurationFile: String
    private let socket: String?
    private let logger: Logger

    /// - Parameter socket: the path of the socket to make, unless the service manager passes one.
    package init(configurationFile: String, socket: String?, logger: Logger) {
        (self.configurationFile, self.socket, self.logger) = (configurationFile, socket, logger)
    }

    /// Runs until the program has been idle for ``idleTime``.
    package func run() async throws {
        // One heap for all threads, of which one at a time has something to do.
        precondition(locationd_use_one_heap() == 1, "mallopt(3) knows M_ARENA_MAX")
        NIOSingletons.groupLoopCountSuggestion = 1
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let address = try listeningAddress()
        let service = try NetworkService(configurationFile: configurationFile, eventLoop: eventLoop, logger: logger)
        let server = try await VarlinkServer.bind(service, to: address, on: eventLoop, logger: logger)
        logger.info("locationd-network \(serviceVersion) has started.")
        SystemdProtocol.notifyReady()
        eventLoop.execute { Self.exitWhenIdle(service, server, eventLoop) }
        try await server.run()
        logger.info("locationd-network has been idle for 30 s, and exits.")
    }

    private func listeningAddress() throws -> VarlinkServer.Address {
        if let descriptor = try SystemdProtocol.listeningSocket() {
            try Self.checkSocket(descriptor)
            return .descriptor(descriptor)
        }
        guard let socket else { throw NetworkProgramError.noSocket }
        return .path(socket, mode: 0o600)
    }

    /// Refuses a socket that anybody but its owner could open: who asks may learn where the machine is.
    static func checkSocket(_ descriptor: CInt) throws {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard result == 0 else { return }
        let path = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        var status = stat()
        guard !path.isEmpty, stat(path, &status) == 0 else { return }
        guard status.st_mode & 0o077 == 0 else { throw NetworkProgramError.openSocket(path) }
    }

    private static func exitWhenIdle(_ service: NetworkService, _ server: VarlinkServer, _ eventLoop: any EventLoop) {
        let left = idleTime - service.idleTime
        guard left <= .zero else {
            _ = eventLoop.scheduleTask(in: left) { exitWhenIdle(service, server, eventLoop) }
            return
        }
        // A caller that is connected and says nothing keeps nothing running. A task, because a loop does not wait.
        if !server.shutdownIfUnused() { Task { await server.shutdown() } }
    }

    /// The exit status for the service manager (sysexits.h).
    package static func exitCode(for error: any Error) -> Int32 {
        switch error {
        case is NetworkProgramError, is UnusableListeningSocket: EX_CONFIG
        case is VarlinkServerError: EX_OSERR
        default: EXIT_FAILURE
        }
    }
}

/// An error that keeps the program from running.
enum NetworkProgramError: Error, CustomStringConvertible {
    /// There is no socket to listen on.
    case noSocket
    /// Other users could connect.
    case openSocket(String)

    /// A sentence with the problem and its remedy.
    var description: String {
        switch self {
        case .noSocket:
            "There is no socket to listen on. systemd starts this program. To have it do so, run: "
                + "sudo systemctl start locationd-network.socket"
        case .openSocket(let path):
            "\(path) may be opened by others than its owner, who would learn where this machine is. Remove SocketMode from "
                + "the drop-ins of locationd-network.socket."
        }
    }
}
