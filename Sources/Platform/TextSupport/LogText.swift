/// Untrusted text in a form that is safe to log: unsafe characters are escaped, and its length is limited.
package struct LogText: CustomStringConvertible {
    private static let limit = 200
    /// The safe text.
    package let description: String

    /// Escapes and shortens `text`.
    package init(_ text: String) {
        let shown = text.unicodeScalars.prefix(Self.limit)
        description = Substring(shown).escapingUnsafe + (shown.endIndex == text.endIndex ? "" : "…")
    }
}
