/// An event of parsing an XML document.
package enum XMLEvent {
    /// Start of an element. Only attributes without a prefix are reported, by their names.
    case start(XMLName, attributes: [String: String])
    /// End of the element that started last and is still open.
    case end
    /// A piece of an element's text, in UTF-8; one text may come in several pieces. Copy it: the buffer is valid only
    /// during the call.
    case text(UnsafeBufferPointer<UInt8>)
    /// A comment.
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

/// The name of an element.
package struct XMLName: Hashable, Sendable {
    /// The namespace URI; `nil` without a namespace, and when namespaces are not resolved.
    package var namespace: String?
    /// The local name; with its prefix when namespaces are not resolved.
    package var local: String

    package init(namespace: String?, local: String) {
        self.namespace = namespace
        self.local = local
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
}
