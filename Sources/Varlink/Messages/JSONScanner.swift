/// A single-pass JSON scanner that keeps only the positions of names, with one or two allocations for any text.
struct JSONScanner {
    /// A member of the outermost object, by positions in the text.
    struct Member {
        /// The position without quotation marks.
        let name: Range<Int>
        let value: Range<Int>
        /// True if the name is ASCII without escapes.
        let isPlain: Bool
    }

    private typealias Flaw = JSONOutline.Flaw

    /// The greatest depth of nested values, as in Foundation's decoder.
    private static let maximumDepth = 512
    /// The number of names that are compared one by one.
    private static let few = 16

    private let text: [UInt8]
    private var position = 0
    private var depth = 0
    /// The names in the open objects, those of the innermost last.
    private var names: [Range<Int>] = []

    init(_ text: [UInt8]) {
        self.text = text
        names.reserveCapacity(Self.few)
    }

    /// Scans an object, which must be the whole text.
    mutating func scanDocument() throws(JSONOutline.Flaw) -> [Member] {
        var members: [Member] = []
        skipSpace()
        try object { name, value, isPlain in members.append(Member(name: name, value: value, isPlain: isPlain)) }
        skipSpace()
        guard position == text.count else { throw .malformed }
        return members
    }

    // MARK: Values

    private mutating func value() throws(JSONOutline.Flaw) {
        switch peek {
        case UInt8(ascii: "{"): try object()
        case UInt8(ascii: "["): try array()
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    private mutating func object(
        _ found: (Range<Int>, Range<Int>, Bool) -> Void = { _, _, _ in }
    ) throws(JSONOutline.Flaw) {
        let outer = names.count
        // A set for looking up names, once they are many or cannot be compared byte by byte.
        var known: Set<String>?
        try list(UInt8(ascii: "{"), UInt8(ascii: "}")) { scanner throws(JSONOutline.Flaw) in
            let (name, isPlain) = try scanner.string()
            guard try scanner.isNew(name, isPlain, since: outer, &known) else {
                throw .repeatedName(path: try scanner.name(at: name))
            }
            scanner.names.append(name)
            scanner.skipSpace()
            try scanner.expect(UInt8(ascii: ":"))
            scanner.skipSpace()
            let start = scanner.position
            do throws(JSONOutline.Flaw) {
                try scanner.value()
            } catch {
                throw error.within(try scanner.name(at: name))
            }
            found(name, start..<scanner.position, isPlain)
        }
        names.removeSubrange(outer...)
    }

    private mutating func array() throws(JSONOutline.Flaw) {
        var index = 0
        try list(UInt8(ascii: "["), UInt8(ascii: "]")) { scanner throws(JSONOutline.Flaw) in
            do throws(JSONOutline.Flaw) {
                try scanner.value()
            } catch {
                throw error.within("[\(index)]")
            }
            index += 1
        }
    }

    private mutating func list(
        _ begin: UInt8, _ end: UInt8, _ element: (inout JSONScanner) throws(JSONOutline.Flaw) -> Void
    ) throws(JSONOutline.Flaw) {
        try expect(begin)
        depth += 1
        guard depth <= Self.maximumDepth else { throw .malformed }
        skipSpace()
        if peek != end {
            while true {
                try element(&self)
                skipSpace()
                guard peek == UInt8(ascii: ",") else { break }
                position += 1
                skipSpace()
            }
        }
        try expect(end)
        depth -= 1
    }

    /// Scans a string. Returns its position without quotation marks, and true if it is ASCII without escapes.
    private mutating func string() throws(JSONOutline.Flaw) -> (Range<Int>, isPlain: Bool) {
        try expect(UInt8(ascii: "\""))
        let start = position
        var isPlain = true
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return (start..<position - 1, isPlain)
            case UInt8(ascii: "\\"):
                isPlain = false
                position += 1
                // The escape itself is checked when the string is decoded.
                guard peek != nil else { throw .malformed }
            case 0..<0x20: throw .malformed
            default: if byte >= 0x80 { isPlain = false }
            }
            position += 1
        }
        throw .malformed
    }

    private mutating func number() throws(JSONOutline.Flaw) {
        if peek == UInt8(ascii: "-") { position += 1 }
        if peek == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if peek == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        guard peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") else { return }
        position += 1
        if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
        try digits()
    }

    private mutating func digits() throws(JSONOutline.Flaw) {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw .malformed }
    }

    private mutating func word(_ word: StaticString) throws(JSONOutline.Flaw) {
        let isNext = word.withUTF8Buffer { text[position...].starts(with: $0) }
        guard isNext else { throw .malformed }
        position += word.utf8CodeUnitCount
    }

    // MARK: Pieces

    private var peek: UInt8? { position < text.count ? text[position] : nil }

    private mutating func expect(_ byte: UInt8) throws(JSONOutline.Flaw) {
        guard peek == byte else { throw .malformed }
        position += 1
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    // MARK: Names

    /// True if the object has no such name yet. Names are compared as Swift strings, like in the decoders, which keep
    /// members by name.
    private func isNew(
        _ name: Range<Int>, _ isPlain: Bool, since outer: Int, _ known: inout Set<String>?
    ) throws(JSONOutline.Flaw) -> Bool {
        if known == nil, isPlain, names.count - outer < Self.few {
            return !names[outer...].contains { text[$0].elementsEqual(text[name]) }
        }
        if known == nil {
            known = []
            for earlier in names[outer...] { known?.insert(try self.name(at: earlier)) }
        }
        return known?.insert(try self.name(at: name)).inserted ?? true
    }

    private func name(at range: Range<Int>) throws(JSONOutline.Flaw) -> String {
        guard let name = Self.unescaped(text[range]) else { throw .malformed }
        return name
    }

    /// Decodes a string without its quotation marks; `nil` for an invalid escape.
    static func unescaped(_ text: ArraySlice<UInt8>) -> String? {
        guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
        var result = String.UnicodeScalarView()
        var rest = text
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            result += String(decoding: rest[..<backslash], as: UTF8.self).unicodeScalars
            rest = rest[(backslash + 1)...]
            guard let scalar = takeEscaped(&rest) else { return nil }
            result.append(scalar)
        }
        return String(result + String(decoding: rest, as: UTF8.self).unicodeScalars)
    }

    private static func takeEscaped(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch rest.popFirst() {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: return nil
        }
        guard let unit = takeUnit(&rest) else { return nil }
        guard (0xd800..<0xdc00).contains(unit) else { return Unicode.Scalar(unit) }
        // The first half of a surrogate pair.
        guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"), let low = takeUnit(&rest),
            (0xdc00..<0xe000).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
    }

    private static func takeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        let digits = rest.prefix(4)
        guard digits.count == 4 else { return nil }
        rest = rest.dropFirst(4)
        var unit: UInt32 = 0
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(value)
        }
        return unit
    }
}

extension JSONOutline.Flaw {
    /// The same flaw with a path from one value further out.
    fileprivate func within(_ step: String) -> JSONOutline.Flaw {
        guard case .repeatedName(let path) = self else { return self }
        return .repeatedName(path: path.hasPrefix("[") ? step + path : "\(step).\(path)")
    }
}
