import HTTPTransfer
import LinuxPlumbing
import LocationConfiguration
import LocationInterface
package import Logging
import NetworkInterface
package import NIOCore
package import Varlink
package import VarlinkIDL
import WiFiPositioning

/// The service of `org.locationd.Network`: queries the configured server, one request at a time.
///
/// `@unchecked Sendable` because everything but its constants is confined to the event loop.
package final class NetworkService: VarlinkService, @unchecked Sendable {
    package let information = ServiceInformation(
        vendor: "locationd", product: "locationd-network", version: serviceVersion,
        url: "https://github.com/locationd/locationd")
    package let interfaces: [InterfaceDescription]
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let configurationFile: String
    private let transfer: HTTPTransfer
    /// The open request, whose end starts the idle time.
    private var open: HTTPTransfer.Cancellation?
    /// The time of the last request's end, or of the start.
    private(set) var idleSince: NIODeadline
    /// The last failure that was logged: a server that always answers the same is not to fill the journal.
    private var loggedFailure: String?

    /// - Parameters:
    ///   - configurationFile: names the server. Read for each request, so that a change counts at once.
    ///   - logger: never receives a position or an access point.
    ///   - authorities: the certificates to trust instead of the system's. For tests.
    package init(
        configurationFile: String, eventLoop: any EventLoop, logger: Logger, authorities: String? = nil,
        timeout: Duration = .seconds(10)
    ) throws {
        interfaces = [try InterfaceDescription(NetworkInterface.text)]
        self.configurationFile = configurationFile
        self.eventLoop = eventLoop
        self.logger = logger
        transfer = HTTPTransfer(authorities: authorities, timeout: timeout)
        idleSince = eventLoop.now
    }

    package func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void
    ) {
        completion(.success(Session(self)))
    }

    /// True while a request is open.
    package var isBusy: Bool { open != nil }

    /// The time since the last request; zero while one is open.
    package var idleTime: TimeAmount { isBusy ? .zero : eventLoop.now - idleSince }

    private final class Session: VarlinkSession {
        let service: NetworkService

        init(_ service: NetworkService) { self.service = service }

        func receive(_ call: ServerCall) {
            do throws(VarlinkError) {
                let parameters = try call.parameters(as: NetworkInterface.Locate.Parameters.self)
                try service.locate(parameters.accessPoints, call)
            } catch {
                call.fail(error)
            }
        }

        func disconnected() {}
    }

    private func locate(_ points: [NetworkInterface.AccessPoint], _ call: ServerCall) throws(VarlinkError) {
        let server: ServerAddress
        do throws(PositioningFailure) { server = try configuredServer() } catch { throw report(error, of: nil) }
        guard !isBusy else {
            throw report(PositioningFailure(.busy, "Another request is open"), of: server)
        }
        let known = points.compactMap(AccessPoint.init)
        guard known.count == points.count, let request = GeolocateRequest(known, of: server, version: serviceVersion)
        else { throw .invalidParameter("accessPoints") }
        let cancellation = HTTPTransfer.Cancellation()
        open = cancellation
        call.onCancel = { cancellation.cancel() }
        let answered = eventLoop.makePromise(of: NetworkInterface.Locate.Reply.self)
        answered.futureResult.assumeIsolated().whenComplete { [self] result in
            (open, idleSince) = (nil, eventLoop.now)
            switch result {
            case .success(let reply):
                loggedFailure = nil
                call.reply(reply)
            case .failure(let error):
                let failure = error as? PositioningFailure
                call.fail(report(failure ?? PositioningFailure(.unreachable, "\(error)"), of: server))
            }
        }
        do {
            // libcurl blocks.
            try DetachedThread.start(name: "transfer") { [transfer] in
                answered.completeWith(Result { try Self.ask(request, by: transfer, cancellation) })
            }
        } catch {
            answered.fail(error)
        }
    }

    private static func ask(
        _ request: GeolocateRequest, by transfer: HTTPTransfer, _ cancellation: HTTPTransfer.Cancellation
    ) throws(PositioningFailure) -> NetworkInterface.Locate.Reply {
        let answer = try transfer.perform(request, cancellation)
        let position = try GeolocateAnswer.read(
            status: answer.status, body: answer.body, retryAfter: answer.retryAfter, from: request.server)
        return NetworkInterface.Locate.Reply(
            latitude: position.latitude, longitude: position.longitude, accuracy: position.accuracy,
            server: request.server.name)
    }

    private func configuredServer() throws(PositioningFailure) -> ServerAddress {
        do throws(InvalidConfiguration) {
            if let configuration = try NetworkConfiguration.load(file: configurationFile) {
                return configuration.server
            }
        } catch {
            throw PositioningFailure(
                .notConfigured, "No server is asked: \(error.problems.map(\.description).joined(separator: " "))")
        }
        throw PositioningFailure(
            .notConfigured,
            "No server is named. To name one, run: sudo locationctl sources enable wifi --server URL")
    }

    /// Logs a failure, once while it stays the same, and makes an error of it.
    private func report(_ failure: PositioningFailure, of server: ServerAddress?) -> VarlinkError {
        if failure.message != loggedFailure { logger.warning("\(failure.message).") }
        loggedFailure = failure.message
        let error = NetworkInterface.NoPosition(
            reason: NetworkInterface.Reason(rawValue: failure.reason.rawValue) ?? .unreachable,
            message: failure.message, retryAfter: failure.retryAfter, server: server?.name)
        return VarlinkError(name: NetworkInterface.NoPosition.name, parameters: error)
    }
}

extension AccessPoint {
    /// An access point of a call; `nil` if the address is no address.
    fileprivate init?(_ point: NetworkInterface.AccessPoint) {
        guard let address = HardwareAddress(point.address) else { return nil }
        self.init(
            address: address, signalStrength: point.signalStrength, frequency: point.frequency, age: point.age)
    }
}
