import Logging
import NIOCore
import NIOEmbedded
import VarlinkIDL

@testable import Varlink

/// A connection to a server with a service that answers in every possible way.
enum VarlinkFuzz {
    static func run(_ input: [UInt8]) throws {
        let loop = EmbeddedEventLoop()
        let service = HoldingService(interface: try interface.get())
        var limits = ServerLimits()
        limits.messageSize = 512
        let core = try ServerCore(service: service, eventLoop: loop, limits: limits, logger: silentLogger)
        let channel = EmbeddedChannel(loop: loop)
        let connection = try FuzzedConnection(channel, core: core)
        var book = AnswerBook()
        func check() throws {
            // What is read leads to calls, and an answer to further reading.
            var unsent: Int
            repeat {
                unsent = connection.unsentCount
                loop.run()
                connection.pump()
            } while connection.unsentCount < unsent
            loop.run()
            try book.note(connection.takeWritten(), calls: connection.calls, check: checkEcho)
            try Finding.unless(connection.unreadBytes < 64 * 1024, "what nobody reads piles up")
        }

        for step in Script(input) {
            switch step {
            case .send(let bytes): connection.send(bytes)
            case .instruction(1, _): connection.close()
            case .instruction(2, _): connection.closeInput()
            case .instruction(3, _): connection.setReading(false) { channel.isWritable = $0 }
            case .instruction(4, _): connection.setReading(true) { channel.isWritable = $0 }
            case .instruction(5, let count): for _ in 0...(count % 8) { service.answer() }
            case .instruction(6, let count): for _ in 0...(count % 8) { service.stream() }
            case .instruction(7, _): service.letGo()
            case .instruction(8, let time): loop.advanceTime(by: .milliseconds(Int64(time) * 10))
            case .instruction(11, _): _ = core.shutdown(.invalidParameter("time"), within: .seconds(1))
            default: break
            }
            try check()
        }

        // Once the peer reads and the service has answered, nothing is left.
        connection.setReading(true) { channel.isWritable = $0 }
        repeat { try check() } while service.answer()
        try check()
        if connection.isOpen, !connection.calls.contains(where: \.wantsUpgrade) || connection.isConsumed {
            let open = book.open(of: connection.calls)
            loop.advanceTime(by: .seconds(2))
            if connection.isOpen {
                try Finding.unless(connection.isConsumed, "the server does not read any more")
                try Finding.unless(open == nil, "\(open?.method ?? "") was never answered")
            }
        }
        // Run all scheduled tasks, and then close the channel.
        if connection.isOpen { connection.close() }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        try Finding.unless(service.isIdle, "the service was not told that a call has been cancelled")
    }

    private static func checkEcho(_ call: CallMessage, _ answer: JSONValue?) throws {
        struct Text: Codable { var text: String }
        guard call.method == "org.example.Fuzz.Echo", case .object(let values) = answer else { return }
        let sent = try call.parameters(as: Text.self).text
        try Finding.unless(values["text"] == .string(sent), "an answer is another call's")
    }

    private static let interface = Result {
        try InterfaceDescription(
            """
            interface org.example.Fuzz
            method Echo(text: string) -> (text: string)
            method Hold() -> ()
            method Stream() -> (number: int)
            method Drop() -> ()
            method Twice() -> ()
            method NaN() -> (value: float)
            """)
    }
}

/// A logger without output.
let silentLogger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

/// Holds calls until the script answers them. Confined to the event loop of one connection.
private final class HoldingService: VarlinkService, VarlinkSession, @unchecked Sendable {
    let information = ServiceInformation(vendor: "Example", product: "Fuzz", version: "1", url: "https://example.org")
    let interfaces: [InterfaceDescription]
    private var held: ServerCall?
    private var number = 0
    private var isConnected = false

    init(interface: InterfaceDescription) { interfaces = [interface] }

    /// True without open calls and expected notifications.
    var isIdle: Bool { held == nil && !isConnected }

    func accept(
        _ connection: ServerConnection,
        completion: @escaping @Sendable (Result<any VarlinkSession, VarlinkError>) -> Void
    ) {
        isConnected = true
        completion(.success(self))
    }

    func disconnected() { isConnected = false }

    func receive(_ call: ServerCall) {
        struct Text: Codable { var text: String }
        do throws(VarlinkError) {
            switch call.memberName {
            case "Echo": call.reply(try call.parameters(as: Text.self))
            case "Stream":
                try call.requireMore()
                hold(call)
            case "Hold": hold(call)
            case "Twice":
                call.reply(NoParameters(), continues: true)
                call.reply()
                call.reply()
            case "NaN": call.reply(["value": Double.nan])
            default: break
            }
        } catch {
            call.fail(error)
        }
    }

    private func hold(_ call: ServerCall) {
        held = call
        // Called while the connection processes its calls: the next one may come before this returns.
        call.onCancel = { [unowned self] in held = nil }
        call.onWritable = { [unowned self] in stream() }
    }

    /// Answers the open call; returns false if there is none.
    @discardableResult
    func answer() -> Bool {
        guard let call = held else { return false }
        held = nil
        call.reply(["number": number])
        return true
    }

    /// Sends one reply of a stream, if the peer reads.
    func stream() {
        guard let call = held, call.isWritable, call.wantsMore else { return }
        number += 1
        call.reply(["number": number], continues: true)
    }

    func letGo() { held = nil }
}
