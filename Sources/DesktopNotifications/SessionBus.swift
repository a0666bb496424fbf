import CSystemd
import Dispatch
import Glibc

/// A connection to the bus of the user's session.
///
/// Calls are synchronous, on its queue.
///
/// `@unchecked Sendable` because it is used on its queue only, after its creation.
final class SessionBus: @unchecked Sendable {
    private let queue: DispatchQueue
    private var bus: OpaquePointer?
    /// A duplicate: sd-bus closes its own when the connection breaks, and the number may go to another file.
    private var descriptor: Int32 = -1
    private var source: (any DispatchSourceRead)?
    private let onSignal: (BusMessage) -> Void
    private let onEnd: (BusError) -> Void
    /// Received signals. They are handled after `sd_bus_process`, during which no call is possible.
    private var signals: [BusMessage] = []

    /// Connects, and subscribes to the signals that match the rules. `onEnd` is called once, when the connection is lost.
    init(
        queue: DispatchQueue, matching rules: [String], onSignal: @escaping (BusMessage) -> Void,
        onEnd: @escaping (BusError) -> Void
    ) throws(BusError) {
        (self.queue, self.onSignal, self.onEnd) = (queue, onSignal, onEnd)
        do throws(BusError) {
            try BusError.check(sd_bus_open_user(&bus))
            descriptor = fcntl(try BusError.check(sd_bus_get_fd(bus)), F_DUPFD_CLOEXEC, 0)
            try BusError.check(descriptor < 0 ? -errno : 0)
            for rule in rules { try match(rule) }
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// Starts to call `onSignal`.
    func start() {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        // Closed by the source, so that the number is not reused while the source polls it.
        let descriptor = descriptor
        source.setCancelHandler { Glibc.close(descriptor) }
        source.setEventHandler { [weak self] in self?.process() }
        self.source = source
        source.resume()
        process()
    }

    /// Calls a method and waits for its answer.
    ///
    /// - Parameter write: appends the arguments.
    func call(
        _ member: String, of interface: String, at path: String, of service: String,
        write: (BusWriter) -> Void = { _ in }
    ) throws(BusError) -> BusMessage {
        defer { queue.async { [weak self] in self?.process() } }
        var message: OpaquePointer?
        defer { sd_bus_message_unref(message) }
        try BusError.check(sd_bus_message_new_method_call(bus, &message, service, path, interface, member))
        guard let message else { throw BusError(code: ENOMEM) }
        let writer = BusWriter(message: message)
        write(writer)
        try BusError.check(writer.result)
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let result = sd_bus_call(bus, message, 0, &error, &reply)
        guard result >= 0, let reply else { throw BusError(error, code: -result) }
        defer { sd_bus_message_unref(reply) }
        return BusMessage(reply)
    }

    private func match(_ rule: String) throws(BusError) {
        try BusError.check(
            sd_bus_add_match(
                bus, nil, rule,
                { message, context, _ in
                    guard let message, let context else { return 0 }
                    // The slot lives as long as the connection, which this object owns.
                    Unmanaged<SessionBus>.fromOpaque(context).takeUnretainedValue().signals.append(BusMessage(message))
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque()))
    }

    private func process() {
        while let bus {
            let result = sd_bus_process(bus, nil)
            while !signals.isEmpty { onSignal(signals.removeFirst()) }
            if result < 0 {
                close()
                return onEnd(BusError(code: -result))
            }
            if result == 0 { return }
        }
    }

    private func close() {
        if let source { source.cancel() } else if descriptor >= 0 { Glibc.close(descriptor) }
        sd_bus_close_unref(bus)
        (bus, source, descriptor) = (nil, nil, -1)
    }
}

/// A received message. Each call of a reading function takes the next value of its body.
final class BusMessage {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) { self.message = sd_bus_message_ref(message) }

    deinit { sd_bus_message_unref(message) }

    /// The unique name of the sender, which the bus fills in.
    var sender: String? { sd_bus_message_get_sender(message).map { String(cString: $0) } }
    /// True if it was sent to this connection alone, regardless of match rules.
    var isUnicast: Bool { sd_bus_message_get_destination(message) != nil }
    var interface: String? { sd_bus_message_get_interface(message).map { String(cString: $0) } }
    var member: String? { sd_bus_message_get_member(message).map { String(cString: $0) } }

    /// The next value, if it is a string.
    func string() -> String? {
        var value: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &value) > 0 else { return nil }
        return value.map { String(cString: $0) }
    }

    /// The next value, if it is a number of that type.
    func number() -> UInt32? {
        var value: UInt32 = 0
        return sd_bus_message_read_basic(message, CChar(UInt8(ascii: "u")), &value) > 0 ? value : nil
    }

    /// The next value, if it is an array of strings.
    func strings() -> [String]? {
        guard sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "s") > 0 else { return nil }
        var values: [String] = []
        while let value = string() { values.append(value) }
        return sd_bus_message_exit_container(message) >= 0 ? values : nil
    }
}

/// Appends values to a message, up to the first error.
final class BusWriter {
    fileprivate let message: OpaquePointer
    fileprivate private(set) var result: Int32 = 0

    fileprivate init(message: OpaquePointer) { self.message = message }

    func string(_ value: String) { append { sd_bus_message_append_basic($0, CChar(UInt8(ascii: "s")), value) } }

    func number(_ value: UInt32) { appendBasic("u", value) }

    func number(_ value: Int32) { appendBasic("i", value) }

    func byte(_ value: UInt8) { appendBasic("y", value) }

    /// An array whose elements have that signature; `body` appends them.
    func array(of signature: String, _ body: () -> Void) { container("a", signature, body) }

    /// An entry of a dictionary of variants, whose value has that signature; `value` appends it.
    func entry(_ key: String, _ signature: String, _ value: () -> Void) {
        container("e", "sv") {
            string(key)
            container("v", signature, value)
        }
    }

    private func container(_ type: Unicode.Scalar, _ contents: String, _ body: () -> Void) {
        append { sd_bus_message_open_container($0, CChar(UInt8(ascii: type)), contents) }
        body()
        append { sd_bus_message_close_container($0) }
    }

    private func appendBasic(_ type: Unicode.Scalar, _ value: some FixedWidthInteger) {
        append { message in
            withUnsafeBytes(of: value) {
                sd_bus_message_append_basic(message, CChar(UInt8(ascii: type)), $0.baseAddress)
            }
        }
    }

    private func append(_ body: (OpaquePointer) -> Int32) {
        if result >= 0 { result = body(message) }
    }
}

/// An error of the bus.
package struct BusError: Error, Hashable, CustomStringConvertible {
    /// The name of an error reply, such as `org.freedesktop.DBus.Error.ServiceUnknown`; `nil` for a local error.
    package var name: String?
    /// The message of the error reply, or of the system.
    package var description: String

    init(description: String) { self.description = description }

    fileprivate init(_ error: sd_bus_error = sd_bus_error(), code: Int32) {
        name = error.name.map { String(cString: $0) }
        description = error.message.map { String(cString: $0) } ?? String(cString: strerror(code))
    }

    @discardableResult
    fileprivate static func check(_ result: Int32) throws(BusError) -> Int32 {
        guard result >= 0 else { throw BusError(code: -result) }
        return result
    }
}
