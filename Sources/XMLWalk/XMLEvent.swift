/// What a walk over an XML document meets.
package enum XMLEvent {
    /// An element begins. Attributes without a prefix go by their names; the others are of no use here.
    case start(XMLName, attributes: [String: String])
    /// The element that began last and has not ended yet ends.
    case end
    /// A piece of the text of an element, in UTF-8, which may come in several. To be copied: it is gone after the call.
    case text(UnsafeBufferPointer<UInt8>)
    /// A comment, whatever it says.
    case comment
    /// The encoding that the document says it is in.
    case encoding(String)
    /// A DOCTYPE begins. With declarations of its own it could define entities that expand without end.
    case doctype(hasDeclarations: Bool)
    /// An entity that is not known, since document type definitions are never fetched.
    case unknownEntity(String)
}

/// The name of an element.
package struct XMLName: Hashable, Sendable {
    /// The namespace's URI; `nil` outside of any, and when namespaces are not resolved.
    package var namespace: String?
    /// The name in that namespace; with its prefix when namespaces are not resolved.
    package var local: String

    package init(namespace: String?, local: String) {
        self.namespace = namespace
        self.local = local
    }
}

/// Where a document stops being XML.
package struct XMLFault: Error {
    /// Counted from 1.
    package var line: Int
    /// expat's words, such as `mismatched tag`.
    package var reason: String
    /// Whether all is well as far as the document goes, but it ends too soon.
    package var isCutShort: Bool
}
