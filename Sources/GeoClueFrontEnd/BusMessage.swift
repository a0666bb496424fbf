import CSystemd
import GeoClue

/// The types of the bus: sd_bus_message_append_basic(3).
enum BusType {
    static let boolean = CChar(UInt8(ascii: "b"))
    static let number = CChar(UInt8(ascii: "u"))
    static let long = CChar(UInt8(ascii: "t"))
    static let real = CChar(UInt8(ascii: "d"))
    static let string = CChar(UInt8(ascii: "s"))
    static let path = CChar(UInt8(ascii: "o"))
    static let descriptor = CChar(UInt8(ascii: "h"))
    static let byte = CChar(UInt8(ascii: "y"))
    static let variant = CChar(UInt8(ascii: "v"))
    static let array = CChar(UInt8(ascii: "a"))
    static let structure = CChar(UInt8(ascii: "r"))
    static let entry = CChar(UInt8(ascii: "e"))
}

/// An outgoing message.
///
/// The first error of an append is kept, and prevents sending.
struct OutgoingMessage: ~Copyable {
    let pointer: OpaquePointer
    private(set) var failure: Int32 = 0

    private init?(_ make: (inout OpaquePointer?) -> Int32) {
        var made: OpaquePointer?
        guard make(&made) >= 0, let made else { return nil }
        pointer = made
    }

    /// The reply to a call.
    init?(replyTo call: OpaquePointer) { self.init { sd_bus_message_new_method_return(call, &$0) } }

    /// The error that answers a call.
    init?(error: BusError, to call: OpaquePointer) {
        var text = sd_bus_error()
        sd_bus_error_set(&text, error.name, error.message)
        defer { sd_bus_error_free(&text) }
        self.init { sd_bus_message_new_method_error(call, &$0, &text) }
    }

    /// A signal to one peer. Broadcasts would tell every user of the machine where one of them is.
    init?(bus: OpaquePointer, signal member: String, of interface: Interface, at path: String, to peer: String) {
        self.init { sd_bus_message_new_signal(bus, &$0, path, interface.rawValue, member) }
        note(sd_bus_message_set_destination(pointer, peer))
    }

    /// A call.
    init?(bus: OpaquePointer, call member: String, of interface: String, at path: String, of peer: String) {
        self.init { sd_bus_message_new_method_call(bus, &$0, peer, path, interface, member) }
    }

    deinit { sd_bus_message_unref(pointer) }

    private mutating func note(_ result: Int32) {
        if result < 0, failure == 0 { failure = result }
    }

    mutating func append(_ value: BusValue) {
        switch value {
        case .boolean(let isTrue):
            // The bus's boolean is a C int.
            var word: Int32 = isTrue ? 1 : 0
            note(sd_bus_message_append_basic(pointer, BusType.boolean, &word))
        case .number(var number): note(sd_bus_message_append_basic(pointer, BusType.number, &number))
        case .real(var number): note(sd_bus_message_append_basic(pointer, BusType.real, &number))
        case .text(let text): note(sd_bus_message_append_basic(pointer, BusType.string, text))
        case .path(let path): note(sd_bus_message_append_basic(pointer, BusType.path, path))
        case .time(var seconds, var microseconds):
            note(sd_bus_message_open_container(pointer, BusType.structure, "tt"))
            note(sd_bus_message_append_basic(pointer, BusType.long, &seconds))
            note(sd_bus_message_append_basic(pointer, BusType.long, &microseconds))
            note(sd_bus_message_close_container(pointer))
        }
    }

    mutating func appendVariant(_ value: BusValue) {
        note(sd_bus_message_open_container(pointer, BusType.variant, value.signature))
        append(value)
        note(sd_bus_message_close_container(pointer))
    }

    mutating func append(_ properties: [PropertyValue]) {
        note(sd_bus_message_open_container(pointer, BusType.array, "{sv}"))
        for property in properties {
            note(sd_bus_message_open_container(pointer, BusType.entry, "sv"))
            append(.text(property.name))
            appendVariant(property.value)
            note(sd_bus_message_close_container(pointer))
        }
        note(sd_bus_message_close_container(pointer))
    }

    /// An array without elements.
    mutating func appendNothing(of type: String) {
        note(sd_bus_message_open_container(pointer, BusType.array, type))
        note(sd_bus_message_close_container(pointer))
    }
}

/// An incoming message, valid while its handler runs.
struct IncomingMessage {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// The unique name of the sender, which the bus fills in.
    var sender: String { Self.text(sd_bus_message_get_sender(pointer)) ?? "" }
    var path: String { Self.text(sd_bus_message_get_path(pointer)) ?? "" }
    var interface: String? { Self.text(sd_bus_message_get_interface(pointer)) }
    var member: String { Self.text(sd_bus_message_get_member(pointer)) ?? "" }
    /// True for a method call.
    var isCall: Bool { sd_bus_message_is_method_call(pointer, nil, nil) > 0 }
    /// True if the sender waits for a reply.
    var expectsReply: Bool { sd_bus_message_get_expect_reply(pointer) > 0 }
    /// True if the bus itself sent it; no peer can have this name.
    var isFromBus: Bool { sender == "org.freedesktop.DBus" }

    /// The name of the error; `nil` for other messages.
    var errorName: String? {
        guard sd_bus_message_is_method_error(pointer, nil) > 0 else { return nil }
        return sd_bus_message_get_error(pointer).flatMap { Self.text($0.pointee.name) } ?? "an error"
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

    /// The arguments of a call, with the value of a variant in its place; `nil` for a signature that no method here has.
    func arguments() -> [BusValue]? {
        let signature = Self.text(sd_bus_message_get_signature(pointer, 1)) ?? ""
        guard ["", "s", "o", "ss", "ssv"].contains(signature) else { return nil }
        var values: [BusValue] = []
        for type in signature.utf8 {
            guard let value = type == UInt8(ascii: "v") ? readVariant() : read(CChar(type)) else { return nil }
            values.append(value)
        }
        return values
    }

    /// Reads a value of a basic type; `nil` for a type that is not used here.
    func read(_ type: CChar) -> BusValue? {
        switch type {
        case BusType.string: readText(type).map { .text($0) }
        case BusType.path: readText(type).map { .path($0) }
        case BusType.number: readWord(type).map { .number($0) }
        case BusType.boolean: readWord(type).map { .boolean($0 != 0) }
        default: nil
        }
    }

    private func readText(_ type: CChar) -> String? {
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(pointer, type, &text) > 0 else { return nil }
        return Self.text(text)
    }

    /// Numbers and booleans are 32 bits wide.
    func readWord(_ type: CChar) -> UInt32? {
        var word: UInt32 = 0
        return sd_bus_message_read_basic(pointer, type, &word) > 0 ? word : nil
    }

    /// Reads the value in a variant.
    func readVariant() -> BusValue? {
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(pointer, nil, &contents) > 0, let type = Self.text(contents)?.utf8.first,
            type != UInt8(ascii: "v")
        else { return nil }
        return readVariant(of: String(UnicodeScalar(type))) { read(CChar(type)) }
    }

    /// Reads a variant of this type with `body`. Skips a variant of another type and returns `nil`.
    func readVariant<Value>(of type: String, _ body: () -> Value?) -> Value? {
        guard sd_bus_message_enter_container(pointer, BusType.variant, type) > 0 else {
            sd_bus_message_skip(pointer, "v")
            return nil
        }
        defer { sd_bus_message_exit_container(pointer) }
        return body()
    }

    /// Reads a descriptor, which the message keeps and closes.
    func readDescriptor() -> Int32? {
        var descriptor: Int32 = -1
        return sd_bus_message_read_basic(pointer, BusType.descriptor, &descriptor) > 0 ? descriptor : nil
    }

    /// Reads an array of bytes up to its first 0, as text.
    func readBytes() -> String? {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard sd_bus_message_read_array(pointer, BusType.byte, &bytes, &count) >= 0, let bytes else { return nil }
        let text = UnsafeRawBufferPointer(start: bytes, count: count).prefix { $0 != 0 }
        return String(validating: text, as: UTF8.self)
    }

    /// Reads an `a{sv}`. `body` reads the variant of a name, or returns false to skip it.
    func readEntries(_ body: (_ name: String) -> Bool) {
        guard sd_bus_message_enter_container(pointer, BusType.array, "{sv}") > 0 else { return }
        while sd_bus_message_enter_container(pointer, BusType.entry, "sv") > 0 {
            guard let name = readText(BusType.string) else { return }
            guard body(name) || sd_bus_message_skip(pointer, "v") >= 0, sd_bus_message_exit_container(pointer) >= 0
            else { return }
        }
        sd_bus_message_exit_container(pointer)
    }
}

/// A reference to a call that is answered later.
final class HeldCall {
    let pointer: OpaquePointer

    init(_ message: IncomingMessage) { pointer = sd_bus_message_ref(message.pointer) }

    deinit { sd_bus_message_unref(pointer) }
}
