/// Reads the fields of a Protocol Buffers message (<https://protobuf.dev/programming-guides/encoding/>) in sequence.
struct ProtobufReader {
    /// The value of a field. Fixed-size numbers are given as their bits.
    enum Value: Hashable {
        case varint(UInt64)
        case fixed64(UInt64)
        case bytes(ArraySlice<UInt8>)
        case fixed32(UInt32)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the next field, or `nil` at the end.
    mutating func next() throws(VectorTile.Damaged) -> (field: UInt64, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let key = try varint()
        guard key >> 3 > 0 else { throw .init() }
        switch key & 7 {
        case 0: return (key >> 3, .varint(try varint()))
        case 1: return (key >> 3, .fixed64(try fixed(8)))
        case 2:
            let length = try varint()
            guard length <= UInt64(rest.count) else { throw .init() }
            defer { rest = rest.dropFirst(Int(length)) }
            return (key >> 3, .bytes(rest.prefix(Int(length))))
        case 5: return (key >> 3, .fixed32(UInt32(try fixed(4))))
        default: throw .init()
        }
    }

    /// Returns the numbers of a packed field.
    static func packed(_ bytes: ArraySlice<UInt8>) throws(VectorTile.Damaged) -> [UInt64] {
        var reader = ProtobufReader(bytes)
        var values: [UInt64] = []
        values.reserveCapacity(bytes.count)
        while !reader.rest.isEmpty { values.append(try reader.varint()) }
        return values
    }

    private mutating func varint() throws(VectorTile.Damaged) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.first {
            rest = rest.dropFirst()
            guard shift < 63 || byte <= 1 else { throw .init() }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .init()
    }

    private mutating func fixed(_ count: Int) throws(VectorTile.Damaged) -> UInt64 {
        guard rest.count >= count else { throw .init() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Writes the fields of a Protocol Buffers message.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ field: UInt64, _ value: ProtobufReader.Value) {
        switch value {
        case .varint(let number):
            varint(field << 3)
            varint(number)
        case .fixed64(let number):
            varint(field << 3 | 1)
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        case .bytes(let content):
            varint(field << 3 | 2)
            varint(UInt64(content.count))
            bytes += content
        case .fixed32(let number):
            varint(field << 3 | 5)
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
    }

    mutating func put(_ field: UInt64, packed values: [UInt64]) {
        var inner = ProtobufWriter()
        for value in values { inner.varint(value) }
        put(field, .bytes(inner.bytes[...]))
    }

    private mutating func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(value & 0x7f) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}
