import CSystemd

/// The types of the bus: sd_bus_message_append_basic(3).
package enum BusType {
    package static let boolean = CChar(UInt8(ascii: "b"))
    package static let number = CChar(UInt8(ascii: "u"))
    package static let signedNumber = CChar(UInt8(ascii: "i"))
    package static let shortNumber = CChar(UInt8(ascii: "q"))
    package static let signedShortNumber = CChar(UInt8(ascii: "n"))
    package static let long = CChar(UInt8(ascii: "t"))
    package static let signedLong = CChar(UInt8(ascii: "x"))
    package static let real = CChar(UInt8(ascii: "d"))
    package static let string = CChar(UInt8(ascii: "s"))
    package static let path = CChar(UInt8(ascii: "o"))
    package static let signature = CChar(UInt8(ascii: "g"))
    package static let descriptor = CChar(UInt8(ascii: "h"))
    package static let byte = CChar(UInt8(ascii: "y"))
    package static let variant = CChar(UInt8(ascii: "v"))
    package static let array = CChar(UInt8(ascii: "a"))
    package static let structure = CChar(UInt8(ascii: "r"))
    package static let entry = CChar(UInt8(ascii: "e"))
}

/// An outgoing message.
///
/// The first error of an append is kept, and prevents sending.
package struct OutgoingMessage: ~Copyable {
    package let pointer: OpaquePointer
    package private(set) var failure: Int32 = 0

    private init?(_ make: (inout OpaquePointer?) -> Int32) {
        var made: OpaquePointer?
        guard make(&made) >= 0, let made else { return nil }
        pointer = made
    }

    init?(replyTo call: OpaquePointer) { self.init { sd_bus_message_new_method_return(call, &$0) } }

    init?(error name: String, _ message: String, to call: OpaquePointer) {
        var text = sd_bus_error()
        sd_bus_error_set(&text, name, message)
        defer { sd_bus_error_free(&text) }
        self.init { sd_bus_message_new_method_error(call, &$0, &text) }
    }

    /// A signal to one peer. Broadcasts would reveal to every user of the machine where one of them is.
    init?(bus: OpaquePointer, signal member: String, of interface: String, at path: String, to peer: String) {
        self.init { sd_bus_message_new_signal(bus, &$0, path, interface, member) }
        note(sd_bus_message_set_destination(pointer, peer))
    }

    package init?(bus: OpaquePointer, call member: String, of interface: String, at path: String, of peer: String) {
        self.init { sd_bus_message_new_method_call(bus, &$0, peer, path, interface, member) }
    }

    deinit { sd_bus_message_unref(pointer) }

    private mutating func note(_ result: Int32) {
        if result < 0, failure == 0 { failure = result }
    }

    package mutating func append(_ text: String) { note(sd_bus_message_append_basic(pointer, BusType.string, text)) }

    package mutating func append(path: String) { note(sd_bus_message_append_basic(pointer, BusType.path, path)) }

    /// The bus's boolean is a C int.
    package mutating func append(_ truth: Bool) { append(BusType.boolean, Int32(truth ? 1 : 0)) }

    package mutating func append(_ number: UInt8) { append(BusType.byte, number) }
    package mutating func append(_ number: Int32) { append(BusType.signedNumber, number) }
    package mutating func append(_ number: UInt32) { append(BusType.number, number) }
    package mutating func append(_ number: UInt64) { append(BusType.long, number) }
    package mutating func append(_ number: Int64) { append(BusType.signedLong, number) }
    package mutating func append(_ number: Double) { append(BusType.real, number) }

    package mutating func append(bytes: [UInt8]) {
        bytes.withUnsafeBytes { note(sd_bus_message_append_array(pointer, BusType.byte, $0.baseAddress, $0.count)) }
    }

    private mutating func append(_ type: CChar, _ value: some BitwiseCopyable) {
        withUnsafeBytes(of: value) { note(sd_bus_message_append_basic(pointer, type, $0.baseAddress)) }
    }

    /// An array whose elements have the signature `contents`; `body` appends them.
    package mutating func appendArray(of contents: String, _ body: (inout OutgoingMessage) -> Void = { _ in }) {
        append(BusType.array, contents, body)
    }

    /// A structure whose members have the signature `contents`.
    package mutating func appendStructure(of contents: String, _ body: (inout OutgoingMessage) -> Void) {
        append(BusType.structure, contents, body)
    }

    /// A variant whose value has the signature `contents`.
    package mutating func appendVariant(of contents: String, _ body: (inout OutgoingMessage) -> Void) {
        append(BusType.variant, contents, body)
    }

    /// An entry of a dictionary, whose key and value have the signature `contents`.
    package mutating func appendEntry(of contents: String, _ body: (inout OutgoingMessage) -> Void) {
        append(BusType.entry, contents, body)
    }

    /// An entry of an `a{sv}`, whose value has the signature `contents`.
    package mutating func appendEntry(
        _ name: String, of contents: String, _ body: (inout OutgoingMessage) -> Void
    ) {
        appendEntry(of: "sv") {
            $0.append(name)
            $0.appendVariant(of: contents, body)
        }
    }

    private mutating func append(_ type: CChar, _ contents: String, _ body: (inout OutgoingMessage) -> Void) {
        note(sd_bus_message_open_container(pointer, type, contents))
        body(&self)
        note(sd_bus_message_close_container(pointer))
    }
}

/// An incoming message, valid while its handler runs.
package struct IncomingMessage {
    package let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// The unique name of the sender, which the bus fills in.
    package var sender: String { Self.text(sd_bus_message_get_sender(pointer)) ?? "" }
    package var path: String { Self.text(sd_bus_message_get_path(pointer)) ?? "" }
    package var interface: String? { Self.text(sd_bus_message_get_interface(pointer)) }
    package var member: String { Self.text(sd_bus_message_get_member(pointer)) ?? "" }
    package var isCall: Bool { sd_bus_message_is_method_call(pointer, nil, nil) > 0 }
    /// True if the bus itself sent it; no peer can have this name.
    package var isFromBus: Bool { sender == "org.freedesktop.DBus" }

    /// The name of the error; `nil` for other messages.
    package var errorName: String? {
        guard sd_bus_message_is_method_error(pointer, nil) > 0 else { return nil }
        return sd_bus_message_get_error(pointer).flatMap { Self.text($0.pointee.name) } ?? "an error"
    }

    /// The message of the error, or its name; `nil` for other messages.
    package var errorText: String? {
        errorName.map { name in sd_bus_message_get_error(pointer).flatMap { Self.text($0.pointee.message) } ?? name }
    }

    /// The `errno` of an error reply; 0 for other messages.
    package var errorCode: Int32 { sd_bus_message_get_errno(pointer) }
    /// True if it was sent to this connection alone. The bus checks senders against match rules only for broadcasts.
    package var isUnicast: Bool { sd_bus_message_get_destination(pointer) != nil }
    /// The signature of its body.
    package var signature: String { Self.text(sd_bus_message_get_signature(pointer, 1)) ?? "" }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

    /// Reads a string, or another type that is text.
    package func readText(_ type: CChar = BusType.string) -> String? {
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(pointer, type, &text) > 0 else { return nil }
        return Self.text(text)
    }

    /// Numbers and booleans are 32 bits wide.
    package func readWord(_ type: CChar = BusType.number) -> UInt32? {
        var word: UInt32 = 0
        return sd_bus_message_read_basic(pointer, type, &word) > 0 ? word : nil
    }

    /// The signature of the value in the variant that is next.
    package var variantSignature: String? {
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(pointer, nil, &contents) > 0 else { return nil }
        return Self.text(contents)
    }

    /// Reads a variant of this type with `body`. Skips a variant of another type and returns `nil`.
    package func readVariant<Value>(of type: String, _ body: () -> Value?) -> Value? {
        guard sd_bus_message_enter_container(pointer, BusType.variant, type) > 0 else {
            sd_bus_message_skip(pointer, "v")
            return nil
        }
        defer { sd_bus_message_exit_container(pointer) }
        return body()
    }

    /// Reads a descriptor, which the message keeps and closes.
    package func readDescriptor() -> Int32? {
        var descriptor: Int32 = -1
        return sd_bus_message_read_basic(pointer, BusType.descriptor, &descriptor) > 0 ? descriptor : nil
    }

    /// Reads an array of strings.
    package func readTexts() -> [String]? {
        guard sd_bus_message_enter_container(pointer, BusType.array, "s") > 0 else { return nil }
        var texts: [String] = []
        while let text = readText() { texts.append(text) }
        return sd_bus_message_exit_container(pointer) >= 0 ? texts : nil
    }

    /// Reads an array of bytes up to its first 0, as text.
    package func readBytes() -> String? {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard sd_bus_message_read_array(pointer, BusType.byte, &bytes, &count) >= 0, let bytes else { return nil }
        let text = UnsafeRawBufferPointer(start: bytes, count: count).prefix { $0 != 0 }
        return String(validating: text, as: UTF8.self)
    }

    /// Reads an `a{sv}`. `body` reads the variant of a name, or returns false to skip it.
    package func readEntries(_ body: (_ name: String) -> Bool) {
        guard sd_bus_message_enter_container(pointer, BusType.array, "{sv}") > 0 else { return }
        while sd_bus_message_enter_container(pointer, BusType.entry, "sv") > 0 {
            guard let name = readText() else { return }
            guard body(name) || sd_bus_message_skip(pointer, "v") >= 0, sd_bus_message_exit_container(pointer) >= 0
            else { return }
        }
        sd_bus_message_exit_container(pointer)
    }
}

/// A message that is kept after its handler has returned.
package final class HeldMessage {
    package let pointer: OpaquePointer

    package init(_ message: IncomingMessage) { pointer = sd_bus_message_ref(message.pointer) }

    deinit { sd_bus_message_unref(pointer) }
}
