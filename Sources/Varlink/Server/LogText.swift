import TextSafety

/// Untrusted text in a form that is safe to log: unsafe characters are escaped, and its length is limited.
public struct LogText: CustomStringConvertible {
    private static let limit = 200
    /// The safe text.
    public let description: String

    /// Escapes and shortens `text`.
    public init(_ text: String) {
        let shown = text.unicodeScalars.prefix(Self.limit)
        description = Substring(shown).escapingUnsafe + (shown.endIndex == text.endIndex ? "" : "…")
    }
}
