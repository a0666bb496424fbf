package import NIOCore

/// A service on the system's bus by its well-known name: follows whether it runs, calls it, and receives its signals. It is
/// never started from here.
///
/// Confined to the event loop of the bus.
package final class BusService {
    package enum State: Hashable, Sendable {
        /// Not asked for, or not known yet.
        case unknown
        /// There is no connection to the bus.
        case withoutBus
        /// No service has the name.
        case absent
        /// The service runs under this unique name.
        case running(owner: String)
    }

    package let name: String
    private let bus: SystemBus
    private var use: SystemBus.Use?
    private var connection: BusConnection?
    private var onChange: (State) -> Void = { _ in }
    package private(set) var state = State.unknown
    /// Watches and requests the owner of the name.
    private var ownerSlots: [BusConnection.Slot] = []
    /// The subscriptions to signals, which last as long as the service runs.
    private var signals: [BusConnection.Slot] = []
    /// The calls that are not answered yet, by number.
    private var calls: [Int: BusConnection.Slot] = [:]
    private var lastCall = 0

    package init(_ name: String, on bus: SystemBus) {
        (self.name, self.bus) = (name, bus)
    }

    deinit { assert(use == nil, "a service is closed before it is let go") }

    /// The reason for having no connection to the bus.
    package var busProblem: String? { bus.problem }

    /// Follows the service until `close()`.
    ///
    /// - Parameter onChange: called for each change of `state`, never from within this call. After a change nothing is left of
    ///   the calls and signals from before.
    package func open(onChange: @escaping (State) -> Void) {
        guard use == nil else { return }
        self.onChange = onChange
        use = bus.use { [weak self] in self?.connect($0) }
    }

    /// Ends following the service, and lets go of the bus. Calls from before are not answered.
    package func close() {
        forget()
        (connection, ownerSlots, state, onChange) = (nil, [], .unknown, { _ in })
        if let use { bus.end(use) }
        use = nil
    }

    private func forget() {
        (signals, calls) = ([], [:])
    }

    private func set(_ state: State) {
        guard state != self.state else { return }
        forget()
        self.state = state
        onChange(state)
    }

    // MARK: The owner of the name

    private func connect(_ connection: BusConnection?) {
        self.connection = connection
        ownerSlots = []
        guard let connection else { return set(.withoutBus) }
        let rule =
            "type='signal',sender='\(SystemBus.busName)',path='\(SystemBus.busPath)',"
            + "interface='\(SystemBus.busName)',member='NameOwnerChanged',arg0='\(name)'"
        do {
            ownerSlots = [
                try connection.handleSignals(matching: rule) { [weak self] in self?.receiveOwnerChange($0) }
            ]
        } catch {
            // Only a lack of memory, or a connection that is about to be reported as lost.
            return set(.withoutBus)
        }
        // Asked after the watch began, so that the answer is not older than it.
        let question = connection.call(
            "GetNameOwner", of: SystemBus.busName, at: SystemBus.busPath, of: SystemBus.busName, timeout: .seconds(10),
            { [name] in $0.append(name) }
        ) { [weak self] answer in
            // The bus answers with an error if there is none.
            self?.setOwner(answer.errorName == nil ? answer.readText() : nil)
        }
        if let question { ownerSlots.append(question) }
    }

    private func receiveOwnerChange(_ message: IncomingMessage) {
        guard message.isFromBus, let values = message.readArguments(), values.count == 3, values[0].text == name else {
            return
        }
        setOwner(values[2].text)
    }

    private func setOwner(_ owner: String?) {
        guard let owner, !owner.isEmpty else { return set(.absent) }
        set(.running(owner: owner))
    }
}

// MARK: Calls and signals

extension BusService {
    private static let properties = "org.freedesktop.DBus.Properties"

    /// Calls a method, and `answer` with the arguments of the reply, or with an error, also after `timeout`. The answer is
    /// omitted if the service ends before, which `onChange` reports.
    ///
    /// The call goes to the running process, so that the bus starts none.
    package func call(
        _ member: String, of interface: String, at path: String, timeout: Duration = .seconds(10),
        _ write: (inout OutgoingMessage) -> Void = { _ in },
        answer: @escaping (Result<[BusArgument], BusFailure>) -> Void
    ) {
        guard case .running(let owner) = state, let connection else { return }
        lastCall += 1
        let number = lastCall
        calls[number] = connection.call(member, of: interface, at: path, of: owner, timeout: timeout, write) {
            [weak self] reply in
            self?.calls[number] = nil
            answer(reply.result)
        }
    }

    /// Waits until all calls are answered, at most for this time. Blocks the event loop, for the end of the program.
    package func finishCalls(within time: TimeAmount) { connection?.drain(for: time) { calls.isEmpty } }

    /// Reads all properties of an interface of an object.
    package func readProperties(
        of interface: String, at path: String, answer: @escaping (Result<BusArgument, BusFailure>) -> Void
    ) {
        call("GetAll", of: Self.properties, at: path, { $0.append(interface) }) { reply in
            answer(reply.map { $0.first ?? .dictionary([:]) })
        }
    }

    /// Calls `handler` for each broadcast signal of the service with this member and interface, from the object at `path` or
    /// below it, as long as the service runs.
    package func handleSignals(
        _ member: String, of interface: String, below path: String, argument: String? = nil,
        _ handler: @escaping (_ path: String, _ arguments: [BusArgument]) -> Void
    ) {
        guard case .running(let owner) = state, let connection else { return }
        let rule =
            "type='signal',sender='\(owner)',path_namespace='\(path)',interface='\(interface)',member='\(member)'"
            + (argument.map { ",arg0='\($0)'" } ?? "")
        let slot = try? connection.handleSignals(matching: rule) { message in
            // sd-bus leaves it to the bus to check the sender, which does so only for broadcasts.
            guard message.sender == owner, let arguments = message.readArguments() else { return }
            handler(message.path, arguments)
        }
        if let slot { signals.append(slot) }
    }

    /// Calls `handler` with the properties of this interface that have changed, at `path` or below it, as long as the service
    /// runs.
    package func handlePropertyChanges(
        of interface: String, below path: String, _ handler: @escaping (_ path: String, _ changed: BusArgument) -> Void
    ) {
        handleSignals("PropertiesChanged", of: Self.properties, below: path, argument: interface) { path, arguments in
            // The interface, the new values, and the names of those without their values, which are not used by anybody here.
            if arguments.count == 3 { handler(path, arguments[1]) }
        }
    }
}

extension IncomingMessage {
    /// The arguments of a reply, or the error.
    fileprivate var result: Result<[BusArgument], BusFailure> {
        if let errorName { return .failure(BusFailure(name: errorName, text: errorText ?? errorName)) }
        guard let arguments = readArguments() else {
            return .failure(
                BusFailure(name: "org.freedesktop.DBus.Error.LimitsExceeded", text: "The answer is too large."))
        }
        return .success(arguments)
    }
}
