/// A strict pull scanner for JSON (RFC 8259): reads one value after another, at the caller's requests.
///
/// It accepts neither invalid UTF-8 nor unpaired surrogates and, unless asked to, no repeated names. It does not recurse,
/// and keeps names as positions, so that scanning takes a few allocations for any text.
///
/// ```swift
/// try scanner.openObject()
/// while let name = try scanner.nextMember() {
///     if name == "id" { id = try scanner.string() } else { try scanner.skip() }
/// }
/// ```
package struct JSONScanner {
    /// The greatest depth of nested values, as in Foundation's decoder.
    package static let maximumDepth = 512
    /// The number of names that are compared one by one, each with all before it. A report of gpsd's has about 25.
    private static let few = 48

    /// The kind of a value, by its first character.
    package enum Kind {
        case object, array, string, number, boolean, null
    }

    /// The content of a string or the name of a member.
    struct Token {
        /// The position without quotation marks.
        let range: Range<Int>
        /// True if it is ASCII without escapes.
        let isPlain: Bool
    }

    /// An open object or array.
    private struct Level {
        let isObject: Bool
        /// The number of members or elements so far.
        var count = 0
        /// The position of its first name in `names`.
        let firstName: Int
        /// A set for looking up names, once they are many or cannot be compared byte by byte.
        var known: Set<String>?
    }

    private let bytes: [UInt8]
    private let end: Int
    private let isLenient: Bool
    /// The position of the next byte.
    package private(set) var position: Int
    /// The current line, from 1.
    package private(set) var line = 1
    private var levels: [Level] = []
    /// The names in the open objects, those of the innermost last.
    private var names: [Token] = []

    /// Scans all of `bytes`, or a part.
    ///
    /// - Parameter isLenient: true for files in which programs write repeated names, NaN and infinities, which are read
    ///   as null, and where no decision hangs on which of two members counts.
    package init(_ bytes: [UInt8], in range: Range<Int>? = nil, isLenient: Bool = false) {
        (self.bytes, self.isLenient) = (bytes, isLenient)
        (position, end) = (range?.lowerBound ?? 0, range?.upperBound ?? bytes.count)
        levels.reserveCapacity(8)
        names.reserveCapacity(32)
    }

    /// True if only white space is left.
    package var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == end
        }
    }

    /// The kind of the next value.
    package var kind: Kind {
        mutating get throws(JSONFlaw) {
            skipSpace()
            switch peek {
            case UInt8(ascii: "{"): return .object
            case UInt8(ascii: "["): return .array
            case UInt8(ascii: "\""): return .string
            case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
            case UInt8(ascii: "n"): return .null
            case UInt8(ascii: "-") where isLenient && position + 1 < end && bytes[position + 1] == UInt8(ascii: "I"):
                return .null
            case UInt8(ascii: "N") where isLenient, UInt8(ascii: "I") where isLenient: return .null
            case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return .number
            default: throw flaw
            }
        }
    }
}

// MARK: Values

extension JSONScanner {
    /// Begins an object, whose members `nextMember` gives.
    package mutating func openObject() throws(JSONFlaw) { try open(isObject: true) }

    /// Begins an array, whose elements `nextElement` announces.
    package mutating func openArray() throws(JSONFlaw) { try open(isObject: false) }

    /// The name of the next member of the object; its value follows. `nil` at the end of the object, which closes it.
    package mutating func nextMember() throws(JSONFlaw) -> String? {
        guard let name = try nextName() else { return nil }
        return text(of: name)
    }

    /// True if another element of the array follows; false at the end of the array, which closes it.
    package mutating func nextElement() throws(JSONFlaw) -> Bool {
        try advance(to: UInt8(ascii: "]"))
    }

    package mutating func string() throws(JSONFlaw) -> String {
        skipSpace()
        return text(of: try token())
    }

    /// Reads a number within the range of `Double`.
    package mutating func number() throws(JSONFlaw) -> Double {
        guard try kind == .number, let number = Self.number(in: bytes[try skip()]) else { throw .malformed }
        return number
    }

    /// The value of a scanned number; `nil` beyond the range of `Double`.
    static func number(in text: ArraySlice<UInt8>) -> Double? {
        exactNumber(in: text)
            ?? Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The value of a scanned number whose digits and power of ten a `Double` holds exactly, so that one division rounds
    /// correctly (Clinger, *How to Read Floating Point Numbers Accurately*, 1990); `nil` for others. Most numbers are such.
    private static func exactNumber(in text: ArraySlice<UInt8>) -> Double? {
        // 15 digits are less than 2⁵³.
        guard text.count <= 16 else { return nil }
        var (digits, decimals, hasPoint): (Int64, Int, Bool) = (0, 0, false)
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
                if hasPoint { decimals += 1 }
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "-"): break
            default: return nil
            }
        }
        guard digits < 1 << 53 else { return nil }
        let magnitude = Double(digits) / powersOfTen[decimals]
        return text.first == UInt8(ascii: "-") ? -magnitude : magnitude
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    package mutating func boolean() throws(JSONFlaw) -> Bool {
        guard try kind == .boolean else { throw .malformed }
        return bytes[try skip().lowerBound] == UInt8(ascii: "t")
    }

    /// Passes over any value. Returns its position.
    @discardableResult
    package mutating func skip() throws(JSONFlaw) -> Range<Int> {
        skipSpace()
        let start = position
        let depth = levels.count
        repeat {
            switch try kind {
            case .object: try openObject()
            case .array: try openArray()
            case .string: _ = try token()
            case .number: try passNumber()
            case .boolean: try word(peek == UInt8(ascii: "t") ? "true" : "false")
            case .null: try null()
            }
            while levels.count > depth {
                if levels[levels.count - 1].isObject ? try nextName() != nil : try nextElement() { break }
            }
        } while levels.count > depth
        return start..<position
    }

    private mutating func open(isObject: Bool) throws(JSONFlaw) {
        skipSpace()
        try expect(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        guard levels.count < Self.maximumDepth else { throw .tooDeep }
        levels.append(Level(isObject: isObject, firstName: names.count))
    }

    /// Moves to the next member or element of the innermost level. Returns false at its end, and closes it.
    private mutating func advance(to end: UInt8) throws(JSONFlaw) -> Bool {
        skipSpace()
        let index = levels.count - 1
        if peek == end {
            position += 1
            names.removeSubrange(levels.removeLast().firstName...)
            return false
        }
        if levels[index].count > 0 {
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
        levels[index].count += 1
        return true
    }

    /// The next member's name, unless the object ends.
    mutating func nextName() throws(JSONFlaw) -> Token? {
        guard try advance(to: UInt8(ascii: "}")) else { return nil }
        let name = try token()
        if !isLenient {
            let isNew = isNew(name)
            names.append(name)
            guard isNew else { throw .repeatedName(path: path) }
        }
        skipSpace()
        try expect(UInt8(ascii: ":"))
        skipSpace()
        return name
    }

    private mutating func passNumber() throws(JSONFlaw) {
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

    private mutating func digits() throws(JSONFlaw) {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw flaw }
    }

    /// Passes over `null`, or what a lenient scanner takes for it.
    private mutating func null() throws(JSONFlaw) {
        switch peek {
        case UInt8(ascii: "N"): try word("NaN")
        case UInt8(ascii: "I"): try word("Infinity")
        case UInt8(ascii: "-"): try word("-Infinity")
        default: try word("null")
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONFlaw) {
        for offset in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[offset]) }
    }

    // MARK: Pieces

    private var peek: UInt8? { position < end ? bytes[position] : nil }

    private var flaw: JSONFlaw { position < end ? .malformed : .cutShort }

    private mutating func expect(_ byte: UInt8) throws(JSONFlaw) {
        guard peek == byte else { throw flaw }
        position += 1
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            if byte == 0x0a { line += 1 }
            position += 1
        }
    }
}

// MARK: Names

extension JSONScanner {
    /// True if the innermost object has no such name yet. Names are compared as Swift strings, like in the decoders, which
    /// keep members by name.
    private mutating func isNew(_ name: Token) -> Bool {
        let index = levels.count - 1
        let earlier = names[levels[index].firstName...]
        if levels[index].known == nil, name.isPlain, earlier.count < Self.few {
            return !earlier.contains { isEqual($0.range, name.range) }
        }
        let text = text(of: name)
        if levels[index].known == nil { levels[index].known = Set(earlier.map { self.text(of: $0) }) }
        return levels[index].known?.insert(text).inserted ?? true
    }

    private func isEqual(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        guard one.count == other.count else { return false }
        for offset in 0..<one.count where bytes[one.lowerBound + offset] != bytes[other.lowerBound + offset] {
            return false
        }
        return true
    }

    /// The path of the current value.
    private var path: String {
        var path = ""
        for (index, level) in levels.enumerated() {
            if level.isObject {
                let end = index + 1 < levels.count ? levels[index + 1].firstName : names.count
                path += (path.isEmpty ? "" : ".") + text(of: names[end - 1])
            } else {
                path += "[\(level.count - 1)]"
            }
        }
        return path
    }
}

// MARK: Strings

extension JSONScanner {
    /// Scans a string.
    private mutating func token() throws(JSONFlaw) -> Token {
        try expect(UInt8(ascii: "\""))
        let start = position
        var (hasEscapes, isASCII) = (false, true)
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                let range = start..<position
                guard isASCII || isUTF8(range) else { throw .malformed }
                position += 1
                return Token(range: range, isPlain: isASCII && !hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                _ = try escapedCharacter()
            case 0..<0x20: throw .malformed
            default:
                if byte >= 0x80 { isASCII = false }
                position += 1
            }
        }
        throw .cutShort
    }

    private func isUTF8(_ range: Range<Int>) -> Bool {
        (try? UTF8Span(validating: bytes.span.extracting(range))) != nil
    }

    /// Reads an escape sequence.
    private mutating func escapedCharacter() throws(JSONFlaw) -> Unicode.Scalar {
        try expect(UInt8(ascii: "\\"))
        guard let byte = peek else { throw .cutShort }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw .malformed
        }
        let unit = try hexadecimalUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // The first half of a surrogate pair.
        try expect(UInt8(ascii: "\\"))
        try expect(UInt8(ascii: "u"))
        let low = try hexadecimalUnit()
        guard (0xd800..<0xdc00).contains(unit), (0xdc00..<0xe000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        else { throw .malformed }
        return scalar
    }

    private mutating func hexadecimalUnit() throws(JSONFlaw) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw flaw }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    func text(of token: Token) -> String { Self.text(of: token, in: bytes) }

    /// The text of a string that was scanned in `bytes`.
    static func text(of token: Token, in bytes: [UInt8]) -> String {
        if token.isPlain || !bytes[token.range].contains(UInt8(ascii: "\\")) {
            return String(decoding: bytes[token.range], as: UTF8.self)
        }
        var scanner = JSONScanner(bytes, in: token.range)
        var text: [UInt8] = []
        while let byte = scanner.peek {
            if byte == UInt8(ascii: "\\") {
                // Valid, since the string has been scanned.
                guard let scalar = try? scanner.escapedCharacter() else { break }
                text += String(scalar).utf8
            } else {
                text.append(byte)
                scanner.position += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
