package import NIOCore
import Pacing

/// The connection to the system's message bus that the parts of a program share.
///
/// It opens, with the thread that polls it, when the first part needs it, and closes when the last one lets go. After a loss it
/// opens again at growing intervals. Nobody waits for it.
///
/// Confined to its event loop, therefore `@unchecked Sendable`.
package final class SystemBus: @unchecked Sendable {
    /// The need of one part for the bus.
    package final class Use {
        fileprivate let onChange: (BusConnection?) -> Void
        fileprivate var isEnded = false

        fileprivate init(_ onChange: @escaping (BusConnection?) -> Void) { self.onChange = onChange }

        deinit { assert(isEnded, "a use of the bus is ended before it is let go") }
    }

    /// The service that is the bus itself.
    package static let busName = "org.freedesktop.DBus"
    package static let busPath = "/org/freedesktop/DBus"
    /// The time within which the bus has to greet a new connection.
    private static let greetingTime = Duration.seconds(10)

    package let eventLoop: any EventLoop
    private let address: BusConnection.Bus
    private var uses: [Use] = []
    private var poller: DescriptorPoller?
    private var connection: BusConnection?
    /// The bus's greeting that is awaited.
    private var greeting: BusConnection.Slot?
    private var reopening: LoopTimer?
    private var backOff = BackOff(from: .milliseconds(250), to: .seconds(30))
    /// True once the bus has greeted the connection.
    private var isConnected = false
    /// The reason for which the bus cannot be used; `nil` while it can, while nothing is known yet, and while nobody needs it.
    package private(set) var problem: String?

    package init(at address: BusConnection.Bus = .system, eventLoop: any EventLoop) {
        (self.address, self.eventLoop) = (address, eventLoop)
    }

    /// Begins a use of the bus, which has to be ended with `end`.
    ///
    /// - Parameter onChange: called with the connection once the bus has greeted it (at once if it has), and with `nil` when
    ///   the bus cannot be reached or the connection was lost, after which all its slots are void.
    package func use(_ onChange: @escaping (BusConnection?) -> Void) -> Use {
        eventLoop.preconditionInEventLoop()
        let use = Use(onChange)
        uses.append(use)
        if uses.count == 1 { open(in: .zero) } else if isConnected { onChange(connection) }
        return use
    }

    /// Ends a use; its `onChange` is not called any more. The slots of its calls and signals have to be let go before.
    package func end(_ use: Use) {
        eventLoop.preconditionInEventLoop()
        use.isEnded = true
        uses.removeAll { $0 === use }
        guard uses.isEmpty else { return }
        reopening?.cancel()
        disconnect()
        poller?.stop()
        (reopening, poller, problem) = (nil, nil, nil)
        backOff.reset()
    }

    private func open(in time: TimeAmount) {
        reopening = eventLoop.makeTimer(in: time) { [weak self] in self?.open() }
    }

    private func open() {
        do {
            let poller = try poller ?? DescriptorPoller(eventLoop: eventLoop, name: "bus")
            self.poller = poller
            let connection = try BusConnection(to: address, eventLoop: eventLoop, poller: poller) { [weak self] in
                self?.lose($0)
            }
            self.connection = connection
            greeting = connection.call(
                "GetId", of: Self.busName, at: Self.busPath, of: Self.busName, timeout: Self.greetingTime, { _ in }
            ) { [weak self] in self?.receiveGreeting($0) }
        } catch {
            lose(error)
        }
    }

    private func receiveGreeting(_ answer: IncomingMessage) {
        greeting = nil
        if let error = answer.errorText { return lose(BusFailure(name: answer.errorName ?? "", text: error)) }
        (isConnected, problem) = (true, nil)
        backOff.reset()
        report()
    }

    private func lose(_ error: any Error) {
        let isNew = problem == nil
        disconnect()
        problem = "\(error)"
        open(in: TimeAmount(backOff.next()))
        if isNew { report() }
    }

    private func report() {
        for use in uses where !use.isEnded { use.onChange(connection) }
    }

    private func disconnect() {
        greeting = nil
        connection?.close()
        (connection, isConnected) = (nil, false)
    }
}

/// The error with which a peer or the bus answers a call.
package struct BusFailure: Error, Hashable, CustomStringConvertible {
    /// The error's name on the bus, such as `org.freedesktop.DBus.Error.AccessDenied`.
    package let name: String
    package let text: String

    package init(name: String, text: String) { (self.name, self.text) = (name, text) }

    package var description: String { text }
}
