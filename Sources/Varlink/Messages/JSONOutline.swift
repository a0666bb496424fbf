import NIOCore

/// A validated JSON object (RFC 8259) whose members are located but not decoded.
///
/// The validation covers grammar, depth and, in objects at any depth, duplicate names. RFC 8259 leaves open which of
/// two equal names counts, so two readers might choose different ones.
struct JSONOutline {
    /// A flaw in a text.
    enum Flaw: Error, Equatable {
        /// Not a JSON object, or nested too deeply.
        case malformed
        /// An object has two members of the same name, at `path`: `a.b`, with elements of arrays as `a[0]`.
        case repeatedName(path: String)
    }

    private let text: [UInt8]
    private let members: [JSONScanner.Member]

    /// - Parameter text: UTF-8, which is not validated here.
    init(_ text: [UInt8]) throws(Flaw) {
        var scanner = JSONScanner(text)
        members = try scanner.scanDocument()
        self.text = text
    }

    /// The outline of a message.
    init(_ message: ByteBuffer) throws(Flaw) {
        guard (try? UTF8Span(validating: message.readableBytesUInt8Span)) != nil else { throw .malformed }
        try self.init(Array(message.readableBytesView))
    }

    /// The text of a member's value; `nil` if the member is absent or `null`.
    ///
    /// - Parameter name: an ASCII name.
    subscript(name: StaticString) -> ArraySlice<UInt8>? {
        let isNamed = { (member: JSONScanner.Member) in
            name.withUTF8Buffer { utf8 in
                member.isPlain
                    ? text[member.name].elementsEqual(utf8)
                    : JSONScanner.unescaped(text[member.name])?.utf8.elementsEqual(utf8) == true
            }
        }
        guard let value = members.first(where: isNamed).map({ text[$0.value] }), !value.elementsEqual("null".utf8)
        else { return nil }
        return value
    }
}

extension ArraySlice<UInt8> {
    /// The value of a boolean; `nil` for another type.
    var jsonBool: Bool? {
        switch first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// The value of a string; `nil` for another type.
    var jsonString: String? {
        first == UInt8(ascii: "\"") ? JSONScanner.unescaped(dropFirst().dropLast()) : nil
    }

    var isJSONObject: Bool { first == UInt8(ascii: "{") }
}
