/// Text that came from a peer, made fit for a line of the log or of a terminal: control characters escaped, length
/// bounded.
public struct LogText: CustomStringConvertible {
    private static let limit = 200
    /// The text as it can be shown.
    public let description: String

    /// Makes text fit to be shown.
    public init(_ text: String) {
        var result = ""
        for scalar in text.unicodeScalars.prefix(Self.limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
                result += scalar.escaped(asASCII: true)
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        description = text.unicodeScalars.dropFirst(Self.limit).isEmpty ? result : result + "…"
    }
}
