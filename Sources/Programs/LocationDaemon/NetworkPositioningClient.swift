import LocationSources
import NIOCore
import NetworkInterface
import TextSupport
import Varlink
import WiFiPositioning

/// Asks through `locationd-network`, which the service manager starts. What it says is checked: it talks to strangers.
struct NetworkPositioningClient: PositioningService {
    /// The time for a request, the start of the program included, which gives up after 10 s itself.
    private static let timeout = TimeAmount.seconds(20)

    var socket = NetworkSocket.path
    let eventLoop: any EventLoop

    func locate(
        _ points: [AccessPoint],
        completion: @escaping @Sendable (Result<PositioningReply, PositioningFailure>) -> Void
    ) -> @Sendable () -> Void {
        // The client's calls are asynchronous, and the source is not.
        let task = Task {
            do throws(PositioningFailure) {
                let reply = try await ask(points)
                eventLoop.execute { completion(.success(reply)) }
            } catch {
                eventLoop.execute { completion(.failure(error)) }
            }
        }
        let deadline = eventLoop.scheduleTask(in: Self.timeout) { task.cancel() }
        // Ends the deadline's timer with the request.
        Task {
            await task.value
            deadline.cancel()
        }
        return { task.cancel() }
    }

    private func ask(_ points: [AccessPoint]) async throws(PositioningFailure) -> PositioningReply {
        let parameters = NetworkInterface.Locate.Parameters(
            accessPoints: points.map {
                NetworkInterface.AccessPoint(
                    address: $0.address.description, signalStrength: $0.signalStrength, frequency: $0.frequency,
                    age: $0.age)
            })
        do {
            // The connection ends with the client, also when the task is cancelled, and the request with the connection.
            let client = try await VarlinkClient.connect(to: socket, on: eventLoop)
            return try Self.checked(
                try await client.call(
                    NetworkInterface.Locate.name, parameters, returning: NetworkInterface.Locate.Reply.self))
        } catch {
            throw Self.failure(error)
        }
    }

    private static func checked(_ reply: NetworkInterface.Locate.Reply) throws(PositioningFailure) -> PositioningReply {
        guard
            let position = NetworkPosition(
                latitude: reply.latitude, longitude: reply.longitude, accuracy: reply.accuracy)
        else {
            throw PositioningFailure(
                .notAPosition, "\(shown(reply.server)) answered with a position that cannot be one by Wi-Fi")
        }
        return PositioningReply(position: position, server: shown(reply.server))
    }

    private static func failure(_ error: any Error) -> PositioningFailure {
        switch error {
        case let error as PositioningFailure: return error
        case let error as VarlinkError where error.name == NetworkInterface.NoPosition.name:
            guard let failure = try? error.parameters(as: NetworkInterface.NoPosition.self) else { break }
            return PositioningFailure(
                PositioningFailure.Reason(rawValue: failure.reason.rawValue) ?? .refused, shown(failure.message),
                retryAfter: failure.retryAfter)
        case let error as VarlinkConnectionError where error.reason == .noSuchFile:
            return PositioningFailure(
                .notConfigured,
                "The package locationd-network is not installed, or its socket is not active. If it is installed, run: "
                    + "sudo systemctl enable --now locationd-network.socket")
        case is CancellationError: return PositioningFailure(.timeout, "locationd-network does not answer")
        default: break
        }
        return PositioningFailure(.unreachable, "locationd-network cannot be asked: \(shown("\(error)"))")
    }

    /// Text of the program in one line, bounded.
    private static func shown(_ text: String) -> String { LogText(text).description }
}
