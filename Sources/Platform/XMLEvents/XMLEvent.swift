import Glibc

/// An event of parsing an XML document.
package enum XMLEvent {
    /// Start of an element.
    case start(XMLTag)
    /// End of the element that started last and is still open.
    case end
    /// A piece of an element's text, in UTF-8; one text may come in several pieces. Copy it: the buffer is valid only
    /// during the call.
    case text(UnsafeBufferPointer<UInt8>)
    case comment
    /// The encoding that the document declares.
    case encoding(String)
    /// A DOCTYPE. Its own declarations, if there are any, could define entities that expand without limit.
    case doctype(hasDeclarations: Bool)
    /// A reference to an undefined entity. External document type definitions are never fetched.
    case unknownEntity(String)
}

/// The position of an event in a document.
package struct XMLPosition: Hashable, Sendable {
    /// The line, counted from 1.
    package var line: Int
    /// The bytes of the tag, text or comment. The end of an element that is one tag (`<true/>`) has none, and follows it.
    package var bytes: Range<Int>
}

/// The start tag of an element. Valid only during the call that reports it: the names and values are expat's.
package struct XMLTag {
    let start: UnsafePointer<CChar>
    /// Alternating names and values, ended by a null pointer.
    let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

    /// The name of the element, with its prefix.
    package var name: String { String(cString: start) }

    /// The value of the attribute `name`, written with its prefix; `nil` without such an attribute.
    package subscript(name: String) -> String? {
        var value: String?
        forEachAttribute { attribute, text in
            if strcmp(attribute, name) == 0 { value = String(cString: text) }
        }
        return value
    }

    /// Calls `body` with the name and the value of each attribute, with their prefixes, ended by a null byte.
    package func forEachAttribute(_ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void) {
        guard var next = list else { return }
        while let name = next.pointee, let value = (next + 1).pointee {
            body(name, value)
            next += 2
        }
    }
}

/// A violation of XML's rules in a document.
package struct XMLFault: Error {
    /// The line, counted from 1.
    package var line: Int
    /// expat's description, such as `mismatched tag`.
    package var reason: String
    /// True if the document is well-formed so far but ends too early.
    package var isCutShort: Bool
    /// True if the bytes are no text in the encoding that the document declares or was given.
    package var isOfAnotherEncoding: Bool
}
