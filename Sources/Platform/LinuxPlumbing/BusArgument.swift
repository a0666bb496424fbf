import CSystemd

/// A value in a message from a peer, of any type but a descriptor. The value of a variant stands in the variant's place.
package indirect enum BusArgument: Hashable, Sendable {
    case boolean(Bool)
    /// A number without a sign, of 8 to 64 bits.
    case unsigned(UInt64)
    /// A number with a sign, of 16 to 64 bits.
    case signed(Int64)
    case real(Double)
    /// A string, an object path or a signature.
    case text(String)
    /// An array of bytes.
    case bytes([UInt8])
    /// Another array, or a structure.
    case list([BusArgument])
    /// An array of entries. Of entries with the same key it holds the last one.
    case dictionary([BusArgument: BusArgument])
}

extension BusArgument {
    package var isTrue: Bool? { if case .boolean(let isTrue) = self { isTrue } else { nil } }

    /// The number, with or without a sign; `nil` if it does not fit.
    package var integer: Int? {
        switch self {
        case .unsigned(let number): Int(exactly: number)
        case .signed(let number): Int(exactly: number)
        default: nil
        }
    }

    package var real: Double? { if case .real(let number) = self { number } else { nil } }
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    package var list: [BusArgument]? { if case .list(let list) = self { list } else { nil } }
    package var dictionary: [BusArgument: BusArgument]? {
        if case .dictionary(let entries) = self { entries } else { nil }
    }

    /// The value of a dictionary with this key.
    package subscript(key: String) -> BusArgument? { dictionary?[.text(key)] }
    package subscript(key: UInt64) -> BusArgument? { dictionary?[.unsigned(key)] }
}

extension IncomingMessage {
    /// Reads the rest of the body.
    ///
    /// Returns `nil` for a body that needs more than `limit` bytes, that nests deeper than 16 containers or that holds a
    /// descriptor: the bus itself lets a peer send 128 MiB in 64 levels.
    package func readArguments(limit: Int = 1 << 20) -> [BusArgument]? {
        var reader = ArgumentReader(pointer: pointer, budget: limit)
        return try? reader.readAll(depth: 0)
    }
}

/// Reads the values of a message within bounds.
private struct ArgumentReader {
    /// The message has no such value, or exceeds a bound.
    struct Refusal: Error {}

    private static let deepest = 16
    /// The memory of a value besides its text or bytes, in bytes.
    private static let costOfValue = 32

    let pointer: OpaquePointer
    var budget: Int

    /// Reads the values up to the end of the container, or of the body.
    mutating func readAll(depth: Int) throws(Refusal) -> [BusArgument] {
        var values: [BusArgument] = []
        while let value = try readNext(depth: depth) { values.append(value) }
        return values
    }

    /// Reads the next value; `nil` at the end of the container.
    private mutating func readNext(depth: Int) throws(Refusal) -> BusArgument? {
        guard depth <= Self.deepest else { throw Refusal() }
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let result = sd_bus_message_peek_type(pointer, &type, &contents)
        guard result > 0 else {
            guard result == 0 else { throw Refusal() }
            return nil
        }
        try spend(Self.costOfValue)
        guard let contents else { return try readBasic(type) }
        let signature = String(cString: contents)
        if type == BusType.array, signature == "y" { return .bytes(try readBytes()) }
        if type == BusType.array, signature.hasPrefix("{") {
            return try inside(type, signature) { reader throws(Refusal) in try reader.readEntries(signature, depth) }
        }
        return try inside(type, signature) { reader throws(Refusal) in
            let values = try reader.readAll(depth: depth + 1)
            return type == BusType.variant ? values.first : .list(values)
        }
    }

    /// Reads the content of a container.
    private mutating func inside<Value>(
        _ type: CChar, _ contents: String, _ read: (inout Self) throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        guard sd_bus_message_enter_container(pointer, type, contents) > 0 else { throw Refusal() }
        let value = try read(&self)
        guard sd_bus_message_exit_container(pointer) >= 0 else { throw Refusal() }
        return value
    }

    /// Reads the entries of a dictionary, whose contents have this signature in braces.
    private mutating func readEntries(_ signature: String, _ depth: Int) throws(Refusal) -> BusArgument {
        let contents = String(signature.dropFirst().dropLast())
        var entries: [BusArgument: BusArgument] = [:]
        while sd_bus_message_at_end(pointer, 0) == 0 {
            try spend(Self.costOfValue)
            let entry = try inside(BusType.entry, contents) { reader throws(Refusal) in
                try reader.readAll(depth: depth + 1)
            }
            guard entry.count == 2 else { throw Refusal() }
            entries[entry[0]] = entry[1]
        }
        return .dictionary(entries)
    }

    private mutating func readBytes() throws(Refusal) -> [UInt8] {
        var bytes: UnsafeRawPointer?
        var count = 0
        guard sd_bus_message_read_array(pointer, BusType.byte, &bytes, &count) >= 0 else { throw Refusal() }
        try spend(count)
        return Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }

    private mutating func readBasic(_ type: CChar) throws(Refusal) -> BusArgument {
        switch type {
        case BusType.boolean: .boolean(try read(type, as: UInt32.self) != 0)
        case BusType.byte: .unsigned(UInt64(try read(type, as: UInt8.self)))
        case BusType.shortNumber: .unsigned(UInt64(try read(type, as: UInt16.self)))
        case BusType.number: .unsigned(UInt64(try read(type, as: UInt32.self)))
        case BusType.long: .unsigned(try read(type, as: UInt64.self))
        case BusType.signedShortNumber: .signed(Int64(try read(type, as: Int16.self)))
        case BusType.signedNumber: .signed(Int64(try read(type, as: Int32.self)))
        case BusType.signedLong: .signed(try read(type, as: Int64.self))
        case BusType.real: .real(Double(bitPattern: try read(type, as: UInt64.self)))
        case BusType.string, BusType.path, BusType.signature: .text(try readText(type))
        default: throw Refusal()
        }
    }

    private func read<Number: FixedWidthInteger>(_ type: CChar, as: Number.Type) throws(Refusal) -> Number {
        var number: Number = 0
        guard sd_bus_message_read_basic(pointer, type, &number) > 0 else { throw Refusal() }
        return number
    }

    private mutating func readText(_ type: CChar) throws(Refusal) -> String {
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(pointer, type, &text) > 0, let text else { throw Refusal() }
        try spend(strlen(text))
        return String(cString: text)
    }

    private mutating func spend(_ cost: Int) throws(Refusal) {
        budget -= cost
        guard budget >= 0 else { throw Refusal() }
    }
}
