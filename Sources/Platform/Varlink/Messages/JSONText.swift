/// JSON text under construction: the text so far and its open brackets.
///
/// Values are written in the order of the text. A second value in the same place, or a member of a completed object, is
/// an `EncodingError`.
struct JSONText {
    /// An open bracket. The number distinguishes it from earlier ones at the same depth.
    struct Bracket: Equatable {
        let depth: Int
        let number: Int
        let isObject: Bool
    }

    private(set) var bytes: [UInt8] = []
    private var open: [(bracket: Bracket, isEmpty: Bool)] = []
    private var openedCount = 0
    /// The position of the value that is due or was written last.
    private var valueStart = 0

    init() { bytes.reserveCapacity(512) }

    /// The number of open brackets.
    var depth: Int { open.count }

    /// Prepares for the next value of an object, with this name, or of an array. Brackets open inside are closed.
    mutating func begin(in bracket: Bracket, member name: String? = nil) throws {
        guard open.indices.contains(bracket.depth), open[bracket.depth].bracket == bracket else {
            throw Self.misplaced("A container was filled after another beside it had been begun.")
        }
        close(downTo: bracket.depth + 1)
        if !open[bracket.depth].isEmpty { bytes.append(UInt8(ascii: ",")) }
        open[bracket.depth].isEmpty = false
        if let name {
            append(quoted: name)
            bytes.append(UInt8(ascii: ":"))
        }
        valueStart = bytes.count
    }

    mutating func write(literal: String) throws {
        try checkPlace()
        append(literal)
    }

    /// Writes a number. `path` is used in the error for NaN and the infinities.
    mutating func write(_ number: Double, path: @autoclosure () -> [any CodingKey] = []) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: path(), debugDescription: "JSON has no \(number)."))
        }
        try write(literal: number.description)
    }

    mutating func write(_ truth: Bool) throws {
        try write(literal: truth ? "true" : "false")
    }

    mutating func write(_ text: String) throws {
        try checkPlace()
        append(quoted: text)
    }

    /// Opens an object or an array as the value.
    mutating func openBracket(isObject: Bool) throws -> Bracket {
        try checkPlace()
        bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        openedCount += 1
        let bracket = Bracket(depth: open.count, number: openedCount, isObject: isObject)
        open.append((bracket, isEmpty: true))
        return bracket
    }

    /// Ends the last value and closes brackets down to a depth.
    mutating func close(downTo depth: Int) {
        // A value that encodes nothing becomes an empty object.
        if bytes.count == valueStart { append("{}") }
        while open.count > depth {
            bytes.append(open.removeLast().bracket.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        }
    }

    private func checkPlace() throws {
        guard bytes.count == valueStart else { throw Self.misplaced("There are two values for one.") }
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes += $0 }
    }

    /// Appends a string with the escapes of RFC 8259, section 7.
    private mutating func append(quoted text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            guard utf8.contains(where: Self.isEscaped) else { return bytes += utf8 }
            for byte in utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
                case 0..<0x10: append("\\u000\(String(byte, radix: 16))")
                case 0x10..<0x20: append("\\u00\(String(byte, radix: 16))")
                default: bytes.append(byte)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func misplaced(_ description: String) -> EncodingError {
        .invalidValue("", .init(codingPath: [], debugDescription: description))
    }
}
