/// Text that came from a peer, made fit for a line of the log: control characters escaped, length bounded.
struct LogText: CustomStringConvertible {
    private static let limit = 200
    let description: String

    init(_ text: String) {
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
