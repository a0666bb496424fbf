import FoundationEssentials
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Varlink
import VarlinkIDL

/// The service for the tests. It reports everything its sessions see as events.
final class PingService: VarlinkService {
    enum Event: Equatable, Sendable {
        case connected
        case called(String)
        case cancelled
        case disconnected
    }

    static let name = "org.example.Ping"
    static let description = """
        # Answers pings.
        interface org.example.Ping

        type Place (name: string, position: (x: float, y: float))

        # The same text back.
        method Ping(ping: string) -> (pong: string)
        method Nested(place: Place) -> ()
        method Count(to: int) -> (number: int)
        method Forever() -> (number: int)
        method Hold() -> (held: string)
        method Drop() -> ()
        method NaN() -> (value: float)
        method Fail(code: int) -> ()
        method Twice() -> ()

        error Failed (code: int)

        """

    let interfaces: [InterfaceDescription]
    let events: AsyncStream<Event>
    let refusal: VarlinkError?
    /// The shared account of all connections.
    let account: ByteAccount?
    private let continuation: AsyncStream<Event>.Continuation
    /// Open calls of `Hold`, which the test answers.
    private let held = Mutex<[ServerCall]>([])
    /// The open call of `Forever`.
    private let endless = Mutex<ServerCall?>(nil)
    private let accepted = Mutex<ServerConnection?>(nil)
    /// True if peers are accepted only when the test says so.
    private let isHesitant: Bool
    private let undecided = Mutex<(@Sendable (Result<any VarlinkSession, VarlinkError>) -> Void)?>(nil)

    init(refusal: VarlinkError? = nil, account: ByteAccount? = nil, isHesitant: Bool = false) throws {
        self.isHesitant = isHesitant
        interfaces = [try InterfaceDescription(Self.description)]
        self.refusal = refusal
        self.account = account
        (events, continuation) = AsyncStream.makeStream()
    }

    var information: ServiceInformation {
        ServiceInformation(vendor: "Example", product: "Ping", version: "1", url: "https://example.org")
    }

    func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void
    ) {
        connection.peerDescription = "the test\u{1B}[31m"
        accepted.withLock { $0 = connection }
        if let account { connection.charge(account) }
        emit(.connected)
        undecided.withLock { $0 = completion }
        if !isHesitant { decide() }
    }

    /// Decides about the peer that connected last. On the event loop.
    func decide() {
        let completion = undecided.withLock { $0.take() }
        completion?(decision)
    }

    private var decision: Result<any VarlinkSession, VarlinkError> {
        refusal.map { .failure($0) } ?? .success(PingSession(service: self))
    }

    func error(for fault: ServerFault) -> VarlinkError {
        switch fault {
        case .messageTooLong(let limit): VarlinkError(name: "org.example.TooLong", parameters: ["limit": limit])
        case .tooManyBytes(let limit): VarlinkError(name: "org.example.TooMuch", parameters: ["limit": limit])
        case .callDropped: VarlinkError(name: "org.example.Dropped")
        case .replyNotEncodable: VarlinkError(name: "org.example.NotEncodable")
        }
    }

    func emit(_ event: Event) { continuation.yield(event) }

    func hold(_ call: ServerCall) { held.withLock { $0.append(call) } }

    /// Answers the oldest call of `Hold`. On the event loop.
    func release() {
        let call = held.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        call?.reply(["held": "released"])
    }

    func keep(_ call: ServerCall) { endless.withLock { $0 = call } }
    /// The newest connection.
    var connection: ServerConnection? { accepted.withLock { $0 } }
    var endlessCall: ServerCall? { endless.withLock { $0 } }
}

final class PingSession: VarlinkSession {
    private let service: PingService

    init(service: PingService) {
        self.service = service
    }

    private struct Ping: Codable { let ping: String }
    private struct Count: Codable { let to: Int }
    private struct Code: Codable { let code: Int }
    private struct Nested: Codable {
        struct Place: Codable {
            struct Position: Codable { let x, y: Double }
            let name: String
            let position: Position
        }
        let place: Place
    }

    func receive(_ call: ServerCall) {
        service.emit(.called(call.memberName))
        do {
            try answer(call)
        } catch let error as VarlinkError {
            call.fail(error)
        } catch {
            call.fail(VarlinkError(name: "org.example.Unexpected"))
        }
    }

    private func answer(_ call: ServerCall) throws {
        switch call.memberName {
        case "Ping": call.reply(["pong": try call.parameters(as: Ping.self).ping])
        case "Nested":
            _ = try call.parameters(as: Nested.self)
            call.reply()
        case "Count":
            try call.requireMore()
            let last = try call.parameters(as: Count.self).to
            for number in 1...max(1, last) {
                call.reply(try EncodedReply(["number": number], continues: number < last))
            }
        case "Forever":
            try call.requireMore()
            call.onCancel = { [service] in service.emit(.cancelled) }
            call.reply(try EncodedReply(["number": 0], continues: true))
            service.keep(call)
        case "Hold": service.hold(call)
        case "Drop": break
        case "NaN": call.reply(["value": Double.nan])
        case "Fail":
            call.fail(VarlinkError(name: "org.example.Ping.Failed", parameters: try call.parameters(as: Code.self)))
        case "Twice":
            call.reply(try EncodedReply(NoParameters(), continues: true))
            call.reply()
        default: call.fail(.methodNotImplemented(call.method))
        }
    }

    func disconnected() { service.emit(.disconnected) }
}
