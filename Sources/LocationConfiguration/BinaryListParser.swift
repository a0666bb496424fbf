/// Walks a binary property list, format `bplist00`.
///
/// The file is a header, the objects, a table of their offsets and a trailer of 32 bytes that says where that is. A
/// dictionary or array holds numbers of objects, so objects can be shared and can even contain themselves: the limits
/// of depth, count and size, which count what is shared as often as it is used, end that.
struct BinaryOutliner {
    private struct Malformed: Error {}

    private let bytes: [UInt8]
    private var result: PropertyListOutline
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let topObject: Int
    private let offsetTable: Int
    /// How many bytes may still be read. A list that shares nothing reads none twice.
    private var budget = ConfigurationFile.maximumSize

    static func outline(_ bytes: [UInt8], file: String) -> PropertyListOutline {
        var malformed = PropertyListOutline(file: file)
        malformed.report("This binary property list is damaged or uses what other kinds of file need; write it anew.")
        do throws(Malformed) {
            var outliner = try BinaryOutliner(bytes, file: file)
            _ = try outliner.walk(outliner.topObject, path: .root, depth: 0)
            return outliner.result
        } catch {
            return malformed
        }
    }

    private init(_ bytes: [UInt8], file: String) throws(Malformed) {
        let trailerSize = 32
        guard bytes.starts(with: "bplist00".utf8), bytes.count >= 8 + trailerSize else { throw Malformed() }
        self.bytes = bytes
        result = PropertyListOutline(file: file)
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

    /// An unsigned big-endian number. Throws if it does not fit into `Int` or goes past the end.
    private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) throws(Malformed) -> Int {
        guard offset >= 0, offset <= bytes.count - size else { throw Malformed() }
        let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let value = Int(exactly: value) else { throw Malformed() }
        return value
    }

    /// Where object number `reference` begins.
    private func offset(of reference: Int) throws(Malformed) -> Int {
        guard reference < objectCount else { throw Malformed() }
        let offset = try Self.integer(bytes, at: offsetTable + reference * offsetSize, size: offsetSize)
        guard offset >= 8, offset < offsetTable else { throw Malformed() }
        return offset
    }

    /// The bytes of an object of `units` units of `size` bytes each, which begin at `start`.
    private mutating func content(_ start: Int, _ units: Int, of size: Int = 1) throws(Malformed) -> ArraySlice<UInt8> {
        guard start <= offsetTable, units <= min(offsetTable - start, budget) / size else { throw Malformed() }
        budget -= units * size
        return bytes[start..<start + units * size]
    }

    /// The length an object's marker gives, and where its content begins: lengths from 15 on are an integer of their own.
    private mutating func length(at offset: Int) throws(Malformed) -> (units: Int, start: Int) {
        let short = Int(bytes[offset] & 0x0F)
        guard short == 0x0F else { return (short, offset + 1) }
        guard let marker = try content(offset + 1, 1).first, (0x10...0x13).contains(marker) else { throw Malformed() }
        let size = 1 << Int(marker & 0x0F)
        return (try Self.integer(bytes, at: offset + 2, size: size), offset + 2 + size)
    }

    /// Walks object number `reference`. False when a limit has ended the walk.
    private mutating func walk(_ reference: Int, path: ListPath, depth: Int) throws(Malformed) -> Bool {
        guard result.admit(depth: depth) else { return false }
        let offset = try offset(of: reference)
        let (kind, size) = (bytes[offset] >> 4, Int(bytes[offset] & 0x0F))
        switch (kind, size) {
        case (0x0, 0x8), (0x0, 0x9): break
        case (0x1, 0...4), (0x2, 2...3), (0x3, 3): _ = try content(offset + 1, 1 << size)
        case (0x4, _):
            let (units, start) = try length(at: offset)
            _ = try content(start, units)
        case (0x5, _), (0x6, _): _ = try string(at: offset)
        case (0xA, _):
            let (units, start) = try length(at: offset)
            for (index, element) in try references(start, units).enumerated() {
                guard try walk(element, path: path.index(index), depth: depth + 1) else { return false }
            }
        case (0xD, _):
            return try walkDictionary(at: offset, path: path, depth: depth)
        default: throw Malformed()
        }
        return true
    }

    private mutating func walkDictionary(at offset: Int, path: ListPath, depth: Int) throws(Malformed) -> Bool {
        let (units, start) = try length(at: offset)
        let keys = try references(start, units)
        let values = try references(start + units * referenceSize, units)
        var seen: Set<String> = []
        for (key, value) in zip(keys, values) {
            let key = try string(at: try self.offset(of: key))
            if !seen.insert(key).inserted {
                result.report("This key is there more than once; keep one.", at: path.key(key))
            }
            guard try walk(value, path: path.key(key), depth: depth + 1) else { return false }
        }
        return true
    }

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
