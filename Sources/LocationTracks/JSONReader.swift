/// A value of a JSON document, with the line it begins on.
struct JSONNode {
    enum Content {
        case null
        case boolean(Bool)
        case number(Double)
        case string(String)
        case array([JSONNode])
        case object([String: JSONNode])
    }

    var line: Int
    var content: Content

    subscript(name: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members[name]
    }

    var string: String? { if case .string(let string) = content { string } else { nil } }
    var number: Double? { if case .number(let number) = content { number } else { nil } }
    var array: [JSONNode]? { if case .array(let array) = content { array } else { nil } }
    var isNull: Bool { if case .null = content { true } else { false } }
}

/// A pull parser for JSON (RFC 8259) that knows its line, which Foundation's decoders do not report.
struct JSONReader {
    /// The greatest depth of nested values.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private(set) var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    }

    /// True if only white space is left.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.count
        }
    }

    /// Reads an object; calls `body` after each name to read the value.
    mutating func members(_ body: (String, inout JSONReader) throws(Refusal) -> Void) throws(Refusal) {
        try list("{", "}") { reader throws(Refusal) in
            let name = try reader.string()
            try reader.expect(":")
            try body(name, &reader)
        }
    }

    /// Reads an array; calls `body` before each element to read it.
    mutating func elements(_ body: (inout JSONReader) throws(Refusal) -> Void) throws(Refusal) {
        try list("[", "]", body)
    }

    /// Reads any value.
    mutating func value() throws(Refusal) -> JSONNode {
        skipSpace()
        let line = line
        let content: JSONNode.Content
        switch peek {
        case UInt8(ascii: "{"):
            var members: [String: JSONNode] = [:]
            try self.members { name, reader throws(Refusal) in members[name] = try reader.value() }
            content = .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONNode] = []
            try self.elements { reader throws(Refusal) in elements.append(try reader.value()) }
            content = .array(elements)
        case UInt8(ascii: "\""): content = .string(try string())
        default: content = try word()
        }
        return JSONNode(line: line, content: content)
    }

    // MARK: - Pieces

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            if byte == 0x0a { line += 1 }
            position += 1
        }
    }

    private mutating func isNext(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Refusal) {
        guard isNext(character) else { throw malformed }
    }

    private var malformed: Refusal {
        if bytes.isEmpty { return Refusal(reason: "the file is empty") }
        if peek == nil { return Refusal(reason: "the file ends here, in the midst of its document: it was cut short") }
        return Refusal(reason: "this is not JSON")
    }

    private mutating func list(
        _ begin: Unicode.Scalar, _ end: Unicode.Scalar, _ body: (inout JSONReader) throws(Refusal) -> Void
    ) throws(Refusal) {
        try expect(begin)
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw Refusal(reason: "there are more than \(Self.maximumDepth) values within one another")
        }
        if !isNext(end) {
            repeat { try body(&self) } while isNext(",")
            try expect(end)
        }
        depth -= 1
    }

    private mutating func string() throws(Refusal) -> String {
        try expect("\"")
        var text: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\"") {
            position += 1
            switch byte {
            case UInt8(ascii: "\\"): text += String(try escaped()).utf8
            case 0..<0x20: throw malformed
            default: text.append(byte)
            }
        }
        guard peek != nil, let string = String(validating: text, as: UTF8.self) else { throw malformed }
        position += 1
        return string
    }

    private mutating func escaped() throws(Refusal) -> Unicode.Scalar {
        guard let byte = peek else { throw malformed }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw malformed
        }
        let unit = try hexadecimal()
        guard (0xd800..<0xdc00).contains(unit) else {
            guard let scalar = Unicode.Scalar(unit) else { throw malformed }
            return scalar
        }
        // The first half of a surrogate pair.
        guard bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { throw malformed }
        position += 2
        let low = try hexadecimal()
        guard (0xdc00..<0xe000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        else { throw malformed }
        return scalar
    }

    private mutating func hexadecimal() throws(Refusal) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        // The initializer would accept a sign.
        guard digits.count == 4,
            digits.allSatisfy({ $0.isOfWord && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed }
        position += 4
        return unit
    }

    /// Reads a number, `true`, `false` or `null`.
    private mutating func word() throws(Refusal) -> JSONNode.Content {
        let start = position
        while let byte = peek, byte.isOfWord { position += 1 }
        switch String(decoding: bytes[start..<position], as: UTF8.self) {
        case "null": return .null
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case let text:
            if text.isEmpty { throw malformed }
            guard let number = DecimalNumber.value(text), text.first != "+" else {
                // At the end of the document the word may be incomplete.
                if peek == nil { throw malformed }
                throw Refusal(reason: "this is not JSON: there is a word in it that is no number")
            }
            return .number(number)
        }
    }
}

extension UInt8 {
    /// True for characters of numbers and of names without quotes.
    fileprivate var isOfWord: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
