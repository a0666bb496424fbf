/// Parses a binary property list in the format `bplist00`.
///
/// The file has a header, the objects, a table of their offsets and a trailer of 32 bytes with the position of that
/// table. A dictionary or array refers to objects by number, so objects can be shared and even contain themselves: the
/// limits of depth, count and size, which count shared objects as often as they are used, end the recursion.
struct BinaryListParser {
    private struct Malformed: Error {}

    private let bytes: [UInt8]
    private var result: ParsedPropertyList
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let topObject: Int
    private let offsetTable: Int
    /// The number of bytes that may still be read. A list without shared objects reads none twice.
    private var budget = ConfigurationFile.maximumSize

    static func parse(_ bytes: [UInt8], file: String) -> ParsedPropertyList {
        var malformed = ParsedPropertyList(file: file)
        malformed.report("This binary property list is damaged, or has values that no setting uses; create it again.")
        do throws(Malformed) {
            var parser = try BinaryListParser(bytes, file: file)
            parser.result.root = try parser.value(parser.topObject, path: .root, depth: 0)
            return parser.result
        } catch {
            return malformed
        }
    }

    private init(_ bytes: [UInt8], file: String) throws(Malformed) {
        let trailerSize = 32
        guard bytes.starts(with: "bplist00".utf8), bytes.count >= 8 + trailerSize else { throw Malformed() }
        self.bytes = bytes
        result = ParsedPropertyList(file: file)
        let trailer = bytes.count - trailerSize
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        objectCount = try Self.integer(bytes, at: trailer + 8, size: 8)
        topObject = try Self.integer(bytes, at: trailer + 16, size: 8)
        offsetTable = try Self.integer(bytes, at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), offsetTable >= 8, offsetTable < trailer,
            objectCount > 0, objectCount <= (trailer - offsetTable) / offsetSize
        else { throw Malformed() }
    }

    /// An unsigned big-endian number. Throws if it does not fit into `Int` or exceeds the file.
    private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) throws(Malformed) -> Int {
        guard offset >= 0, offset <= bytes.count - size else { throw Malformed() }
        let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let value = Int(exactly: value) else { throw Malformed() }
        return value
    }

    /// The offset of object number `reference`.
    private func offset(of reference: Int) throws(Malformed) -> Int {
        guard reference < objectCount else { throw Malformed() }
        let offset = try Self.integer(bytes, at: offsetTable + reference * offsetSize, size: offsetSize)
        guard offset >= 8, offset < offsetTable else { throw Malformed() }
        return offset
    }

    /// The bytes from `start`, `units` units of `size` bytes each.
    private mutating func content(_ start: Int, _ units: Int, of size: Int = 1) throws(Malformed) -> ArraySlice<UInt8> {
        guard start <= offsetTable, units <= min(offsetTable - start, budget) / size else { throw Malformed() }
        budget -= units * size
        return bytes[start..<start + units * size]
    }

    /// The length in an object's marker, and the offset of its content. Lengths from 15 on are a separate integer.
    private mutating func length(at offset: Int) throws(Malformed) -> (units: Int, start: Int) {
        let short = Int(bytes[offset] & 0x0F)
        guard short == 0x0F else { return (short, offset + 1) }
        guard let marker = try content(offset + 1, 1).first, (0x10...0x13).contains(marker) else { throw Malformed() }
        let size = 1 << Int(marker & 0x0F)
        return (try Self.integer(bytes, at: offset + 2, size: size), offset + 2 + size)
    }

    /// The value of object number `reference`; `nil` if it exceeds a limit.
    private mutating func value(
        _ reference: Int, path: ListPath, depth: Int
    ) throws(Malformed) -> PropertyListValue? {
        guard result.admit(depth: depth) else { return nil }
        let offset = try offset(of: reference)
        let (kind, size) = (bytes[offset] >> 4, Int(bytes[offset] & 0x0F))
        switch (kind, size) {
        case (0x0, 0x8): return .boolean(false)
        case (0x0, 0x9): return .boolean(true)
        case (0x1, 0...4): return Self.integer(try content(offset + 1, 1 << size)).map { .integer($0) } ?? .other
        case (0x2, 2): return .real(Double(Float(bitPattern: UInt32(Self.bits(try content(offset + 1, 4))))))
        case (0x2, 3): return .real(Double(bitPattern: Self.bits(try content(offset + 1, 8))))
        case (0x3, 3):
            _ = try content(offset + 1, 8)
            return .other
        case (0x4, _):
            let (units, start) = try length(at: offset)
            _ = try content(start, units)
            return .other
        case (0x5, _), (0x6, _): return .string(try string(at: offset))
        case (0xA, _):
            let (units, start) = try length(at: offset)
            var elements: [PropertyListValue] = []
            for (index, element) in try references(start, units).enumerated() {
                guard let value = try value(element, path: path.index(index), depth: depth + 1) else { return nil }
                elements.append(value)
            }
            return .array(elements)
        case (0xD, _): return try dictionary(at: offset, path: path, depth: depth).map { .dictionary($0) }
        default: throw Malformed()
        }
    }

    private mutating func dictionary(
        at offset: Int, path: ListPath, depth: Int
    ) throws(Malformed) -> [String: PropertyListValue]? {
        let (units, start) = try length(at: offset)
        let keys = try references(start, units)
        let values = try references(start + units * referenceSize, units)
        var entries: [String: PropertyListValue] = [:]
        for (key, reference) in zip(keys, values) {
            let key = try string(at: try self.offset(of: key))
            guard let value = try value(reference, path: path.key(key), depth: depth + 1) else { return nil }
            if entries.updateValue(value, forKey: key) != nil {
                result.report("This key occurs more than once; keep one.", at: path.key(key))
            }
        }
        return entries
    }

    /// A number of 1, 2 or 4 bytes without a sign, or of 8 or 16 bytes with one; `nil` if it does not fit into `Int`.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int? {
        let low = bits(bytes.suffix(8))
        guard bytes.count == 16 else { return bytes.count == 8 ? Int(bitPattern: UInt(low)) : Int(low) }
        let value = Int(bitPattern: UInt(low))
        return Int64(bitPattern: bits(bytes.prefix(8))) == (value < 0 ? -1 : 0) ? value : nil
    }

    /// Up to eight bytes, big-endian.
    private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private mutating func references(_ start: Int, _ units: Int) throws(Malformed) -> [Int] {
        _ = try content(start, units, of: referenceSize)
        var references: [Int] = []
        for index in 0..<units {
            references.append(try Self.integer(bytes, at: start + index * referenceSize, size: referenceSize))
        }
        return references
    }

    private mutating func string(at offset: Int) throws(Malformed) -> String {
        let (units, start) = try length(at: offset)
        switch bytes[offset] >> 4 {
        case 0x5:
            let text = try content(start, units)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw Malformed() }
            return String(decoding: text, as: UTF8.self)
        case 0x6:
            let text = try content(start, units, of: 2)
            let codeUnits = stride(from: text.startIndex, to: text.endIndex, by: 2)
                .map { UInt16(text[$0]) << 8 | UInt16(text[$0 + 1]) }
            guard let string = String(validating: codeUnits, as: UTF16.self) else { throw Malformed() }
            return string
        default: throw Malformed()
        }
    }
}
