/// A validated JSON object whose members are located but not decoded.
package struct JSONOutline {
    private let bytes: [UInt8]
    private let members: [(name: JSONScanner.Token, value: Range<Int>)]

    /// Scans an object, which must be the whole text.
    package init(_ bytes: [UInt8]) throws(JSONFlaw) { try self.init(bytes, in: bytes.indices) }

    fileprivate init(_ bytes: [UInt8], in range: Range<Int>) throws(JSONFlaw) {
        var scanner = JSONScanner(bytes, in: range)
        var members: [(name: JSONScanner.Token, value: Range<Int>)] = []
        try scanner.openObject()
        while let name = try scanner.nextName() { members.append((name, try scanner.skip())) }
        guard scanner.isAtEnd else { throw .malformed }
        (self.bytes, self.members) = (bytes, members)
    }

    /// The value of a member; `nil` if the member is absent or `null`.
    ///
    /// - Parameter name: an ASCII name.
    package subscript(name: StaticString) -> Value? {
        for member in members where isNamed(member.name, name) {
            return bytes[member.value.lowerBound] == UInt8(ascii: "n") ? nil : Value(bytes: bytes, range: member.value)
        }
        return nil
    }

    /// The members in the order of the text.
    package var all: [(name: String, value: Value)] {
        members.map { (JSONScanner.text(of: $0.name, in: bytes), Value(bytes: bytes, range: $0.value)) }
    }

    private func isNamed(_ token: JSONScanner.Token, _ name: StaticString) -> Bool {
        guard token.isPlain else { return JSONScanner.text(of: token, in: bytes) == "\(name)" }
        guard token.range.count == name.utf8CodeUnitCount else { return false }
        for offset in 0..<token.range.count where bytes[token.range.lowerBound + offset] != name.utf8Start[offset] {
            return false
        }
        return true
    }

    /// A validated value.
    package struct Value {
        fileprivate let bytes: [UInt8]
        fileprivate let range: Range<Int>

        /// The text of the value.
        package var text: ArraySlice<UInt8> { bytes[range] }

        package var isObject: Bool { text.first == UInt8(ascii: "{") }

        /// The object; `nil` for another type.
        package var object: JSONOutline? { isObject ? try? JSONOutline(bytes, in: range) : nil }

        /// The value of a boolean; `nil` for another type.
        package var boolean: Bool? {
            switch text.first {
            case UInt8(ascii: "t"): true
            case UInt8(ascii: "f"): false
            default: nil
            }
        }

        /// The value of a string; `nil` for another type.
        package var string: String? {
            guard text.first == UInt8(ascii: "\"") else { return nil }
            let content = range.lowerBound + 1..<range.upperBound - 1
            return JSONScanner.text(of: JSONScanner.Token(range: content, isPlain: false), in: bytes)
        }

        /// The value of a number; `nil` for another type, and for a number beyond the range of `Double`.
        package var number: Double? {
            guard let first = text.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
                return nil
            }
            return JSONScanner.number(in: text)
        }

        /// The value of a number without a fraction, in any notation: `3`, `3.0` or `0.3e1`. Its magnitude is less than
        /// 2⁵³: from there on a `Double` stands for several integers.
        package var integer: Int? {
            guard let number, abs(number) < 0x1p53 else { return nil }
            return Int(exactly: number)
        }

        /// The objects of an array; `nil` for another type, and for an array with anything else in it.
        package var objects: [JSONOutline]? {
            try? ranges()?.map { range throws(JSONFlaw) in try JSONOutline(bytes, in: range) }
        }

        /// The elements of an array; `nil` for another type.
        package var elements: [Value]? { try? ranges()?.map { Value(bytes: bytes, range: $0) } }

        /// The positions of an array's elements; `nil` for another type.
        private func ranges() throws(JSONFlaw) -> [Range<Int>]? {
            guard text.first == UInt8(ascii: "[") else { return nil }
            var scanner = JSONScanner(bytes, in: range)
            var ranges: [Range<Int>] = []
            try scanner.openArray()
            while try scanner.nextElement() { ranges.append(try scanner.skip()) }
            return ranges
        }
    }
}
