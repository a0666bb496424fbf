import CSystemd
import Glibc
package import NIOCore
import Pacing

/// A connection to a message bus: sd-bus on an event loop.
///
/// Incoming messages are handled in slices of time, so that a flood leaves the loop to others. Confined to the event loop.
package final class BusConnection {
    /// A message bus of this machine.
    package enum Bus: Sendable {
        case system
        /// The bus of the user's session.
        case session
        case address(String)
    }

    package typealias Handler = (IncomingMessage) -> Void

    /// A handler registered with sd-bus. Letting it go cancels the registration.
    package final class Slot {
        fileprivate var pointer: OpaquePointer?
        fileprivate let handler: Handler
        /// Handles the bus's answer to a match rule.
        fileprivate let confirmation: Handler?

        fileprivate init(_ handler: @escaping Handler, confirmation: Handler? = nil) {
            (self.handler, self.confirmation) = (handler, confirmation)
        }

        /// Ends the registration.
        package func cancel() { pointer = sd_bus_slot_unref(pointer) }

        deinit { cancel() }
    }

    private let eventLoop: any EventLoop
    private let poller: DescriptorPoller
    /// Called once, when the connection has failed and was closed.
    private let onFailure: (SystemdError) -> Void
    private var bus: OpaquePointer?
    /// A duplicate: sd-bus closes its own when the connection breaks, and the number may go to another file.
    private var descriptor: Int32 = -1
    private var watch: DescriptorPoller.Watch?
    /// The polled events; 0 once the descriptor was ready.
    private var watchedEvents: Int32 = 0
    private var timer: LoopTimer?
    private var isProcessing = false
    /// The registrations that last as long as the connection.
    private var slots: [Slot] = []

    /// Connects to the bus. Nothing here waits for it.
    package init(
        to bus: Bus, eventLoop: any EventLoop, poller: DescriptorPoller,
        onFailure: @escaping (SystemdError) -> Void
    ) throws(SystemdError) {
        self.eventLoop = eventLoop
        self.poller = poller
        self.onFailure = onFailure
        do throws(SystemdError) {
            let action = "opening the bus"
            switch bus {
            case .system: try SystemdError.check(action, sd_bus_open_system(&self.bus))
            case .session: try SystemdError.check(action, sd_bus_open_user(&self.bus))
            case .address(let address):
                try SystemdError.check(action, sd_bus_new(&self.bus))
                try SystemdError.check(action, sd_bus_set_address(self.bus, address))
                try SystemdError.check(action, sd_bus_set_bus_client(self.bus, 1))
                try SystemdError.check(action, sd_bus_start(self.bus))
            }
            descriptor = fcntl(try SystemdError.check(action, sd_bus_get_fd(self.bus)), F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw SystemdError(action, -errno) }
            watch = poller.add(descriptor) { [weak self] in
                self?.watchedEvents = 0
                self?.process()
            }
            watchedEvents = POLLIN
            arm()
        } catch {
            close()
            throw error
        }
    }

    /// Closes the connection. Slots from before are not called afterwards.
    package func close() {
        timer?.cancel()
        if let watch { poller.remove(watch) }
        slots.forEach { $0.cancel() }
        if descriptor >= 0 { Glibc.close(descriptor) }
        sd_bus_close_unref(bus)
        (bus, descriptor, watch, timer, slots) = (nil, -1, nil, nil, [])
    }

    /// The name by which the bus knows this connection; `nil` until the bus has answered Hello.
    package var uniqueName: String? {
        var name: UnsafePointer<CChar>?
        // sd-bus would wait for the bus's greeting.
        guard let bus, sd_bus_is_ready(bus) > 0, sd_bus_get_unique_name(bus, &name) >= 0 else { return nil }
        return name.map { String(cString: $0) }
    }

    deinit { assert(bus == nil, "a connection is closed before it is let go") }
}

// MARK: Receiving

extension BusConnection {
    /// Calls `handler` for every message to an object at or below `path`.
    package func handleCalls(below path: String, _ handler: @escaping Handler) throws(SystemdError) {
        let slot = Slot(handler)
        try SystemdError.check(
            "serving \(path)",
            sd_bus_add_fallback(bus, &slot.pointer, path, Self.callback, Unmanaged.passUnretained(slot).toOpaque()))
        slots.append(slot)
    }

    /// Calls `handler` for every signal that matches, until the slot is cancelled or released.
    ///
    /// - Parameter confirmation: called with the bus's answer to the rule. Without it the connection fails if the bus
    ///   refuses the rule.
    package func handleSignals(
        matching rule: String, confirmation: Handler? = nil, _ handler: @escaping Handler
    ) throws(SystemdError) -> Slot {
        let slot = Slot(handler, confirmation: confirmation)
        try SystemdError.check(
            "watching \(rule)",
            sd_bus_add_match_async(
                bus, &slot.pointer, rule, Self.callback, confirmation == nil ? nil : Self.confirmationCallback,
                Unmanaged.passUnretained(slot).toOpaque()))
        arm()
        return slot
    }

    /// Requests a name, in the queue if it is taken. Calls `handler` with the answer.
    package func requestName(_ name: String, _ handler: @escaping Handler) throws(SystemdError) {
        let slot = Slot(handler)
        try SystemdError.check(
            "asking for the name \(name)",
            sd_bus_request_name_async(
                bus, &slot.pointer, name, UInt64(SD_BUS_NAME_QUEUE), Self.callback,
                Unmanaged.passUnretained(slot).toOpaque()))
        slots.append(slot)
        arm()
    }

    private static let callback: sd_bus_message_handler_t = { message, context, _ in
        guard let message, let context else { return 0 }
        Unmanaged<Slot>.fromOpaque(context).takeUnretainedValue().handler(IncomingMessage(message))
        // 1 keeps sd-bus from offering the call to other handlers.
        return IncomingMessage(message).isCall ? 1 : 0
    }

    private static let confirmationCallback: sd_bus_message_handler_t = { message, context, _ in
        guard let message, let context else { return 0 }
        Unmanaged<Slot>.fromOpaque(context).takeUnretainedValue().confirmation?(IncomingMessage(message))
        return 0
    }

    private func process() {
        let slice = LoopSlice(on: eventLoop)
        isProcessing = true
        // A handler may call `close()`.
        var result: Int32 = 0
        while let bus {
            result = sd_bus_process(bus, nil)
            if result <= 0 || slice.isOver { break }
        }
        isProcessing = false
        guard bus != nil else { return }
        if result < 0 { return fail(SystemdError("the bus", result)) }
        if result == 0 {
            arm()
            return setTimer()
        }
        let this = NIOLoopBound(self, eventLoop: eventLoop)
        slice.resumeLater { this.value.process() }
    }

    /// Handles messages for this time, or until `isDone` or the connection fails. Blocks the event loop, for the end of the
    /// service.
    package func drain(for time: TimeAmount, until isDone: () -> Bool = { false }) {
        let deadline = NIODeadline.now() + time
        isProcessing = true
        while let bus, NIODeadline.now() < deadline, !isDone() {
            let result = sd_bus_process(bus, nil)
            if result < 0 { break }
            let left = (deadline - .now()).nanoseconds / 1000
            if result == 0, left > 0, sd_bus_wait(bus, UInt64(left)) < 0 { break }
        }
        isProcessing = false
    }

    /// Polls for the events that sd-bus waits for: input, and after sending also room for output that is still queued.
    private func arm() {
        guard let bus, let watch, !isProcessing else { return }
        // A negative value means a broken connection, which epoll always reports; `process` then fails.
        let events = max(sd_bus_get_events(bus), 0)
        if events != watchedEvents {
            watchedEvents = events
            poller.resume(watch, events: events)
        }
    }

    /// Sets the timer for the next timeout of a call.
    private func setTimer() {
        guard let bus else { return }
        timer?.cancel()
        timer = nil
        guard let deadline = Self.deadline(of: bus) else { return }
        timer = eventLoop.makeTimer(at: deadline) { [weak self] in self?.process() }
    }

    /// The time at which sd-bus has to process the connection without an event: sd_bus_get_timeout(3).
    private static func deadline(of bus: OpaquePointer) -> NIODeadline? {
        var microseconds: UInt64 = 0
        guard sd_bus_get_timeout(bus, &microseconds) > 0, microseconds != .max else { return nil }
        // Both are of CLOCK_MONOTONIC. A time that does not fit is never.
        let (nanoseconds, isTooLate) = microseconds.multipliedReportingOverflow(by: 1000)
        return isTooLate ? nil : .uptimeNanoseconds(nanoseconds)
    }

    private func fail(_ error: SystemdError) {
        guard bus != nil else { return }
        close()
        onFailure(error)
    }
}

// MARK: Sending

extension BusConnection {
    /// Answers a call.
    package func reply(to call: OpaquePointer, _ write: (inout OutgoingMessage) -> Void = { _ in }) {
        guard bus != nil, sd_bus_message_get_expect_reply(call) > 0, var message = OutgoingMessage(replyTo: call) else {
            return
        }
        write(&message)
        send(message)
    }

    /// Answers a call with the error of this name.
    package func fail(_ call: OpaquePointer, name: String, message text: String) {
        guard bus != nil, sd_bus_message_get_expect_reply(call) > 0,
            let message = OutgoingMessage(error: name, text, to: call)
        else { return }
        send(message)
    }

    /// Sends a signal to one peer.
    package func signal(
        _ member: String, of interface: String, at path: String, to peer: String,
        _ write: (inout OutgoingMessage) -> Void
    ) {
        guard let bus,
            var message = OutgoingMessage(bus: bus, signal: member, of: interface, at: path, to: peer)
        else { return }
        write(&message)
        send(message)
    }

    /// Calls a method of a peer, and `handler` with the reply, or with an error after `timeout`, unless the slot is let go
    /// before.
    package func call(
        _ member: String, of interface: String, at path: String, of peer: String, timeout: Duration,
        _ write: (inout OutgoingMessage) -> Void, handler: @escaping Handler
    ) -> Slot? {
        guard let bus, var message = OutgoingMessage(bus: bus, call: member, of: interface, at: path, of: peer)
        else { return nil }
        write(&message)
        let slot = Slot(handler)
        guard message.failure == 0,
            sd_bus_call_async(
                bus, &slot.pointer, message.pointer, Self.callback, Unmanaged.passUnretained(slot).toOpaque(),
                UInt64(timeout / .microseconds(1))) >= 0
        else { return nil }
        if !isProcessing {
            arm()
            setTimer()
        }
        return slot
    }

    private func send(_ message: borrowing OutgoingMessage) {
        guard message.failure == 0 else {
            return assertionFailure("a message could not be written: \(message.failure)")
        }
        let result = sd_bus_send(bus, message.pointer, nil)
        // Later, since callers do not expect the connection to be closed when this returns.
        if result < 0 {
            let this = NIOLoopBound(self, eventLoop: eventLoop)
            eventLoop.execute { this.value.fail(SystemdError("sending to the bus", result)) }
        }
        arm()
    }
}
