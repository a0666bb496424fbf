import NIOCore

/// A JSON object (RFC 8259) whose text has been checked in one pass and whose members have been found, but not decoded.
///
/// Checked is all of it: the grammar, how deep values are nested, and that no object at any depth has two members of the
/// same name. RFC 8259 leaves open which of two counts, so two readers of a message might take different ones.
struct JSONOutline {
    /// What is wrong with a text.
    enum Flaw: Error, Equatable {
        /// It is not a JSON object, or too deep.
        case malformed
        /// An object has two members of the same name. `path` is theirs: `a.b`, elements of arrays as `a[0]`.
        case repeatedName(path: String)
    }

    private let text: [UInt8]
    private let members: [JSONScanner.Member]

    /// - Parameter text: UTF-8, which is not checked here.
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

    /// The text of a member's value; `nil` if there is no such member or it is `null`.
    ///
    /// - Parameter name: of ASCII.
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
    /// The value as what it is; `nil` if it is something else.
    var jsonBool: Bool? {
        switch first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// The value as what it is; `nil` if it is something else.
    var jsonString: String? {
        first == UInt8(ascii: "\"") ? JSONScanner.unescaped(dropFirst().dropLast()) : nil
    }

    var isJSONObject: Bool { first == UInt8(ascii: "{") }
}
