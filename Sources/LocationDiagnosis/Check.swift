/// Evidence about one part of the way from the antenna to the client, and the judgement of it.
///
/// The evidence is the value's properties: made up in a test, gathered by a `look` function in a file of its own. The
/// judgement looks at nothing else.
package protocol Check: Sendable {
    /// What the evidence comes to; at least one finding.
    var findings: [Finding] { get }
}

/// Something that was looked at, if that was possible.
package enum Evidence<Value: Sendable>: Sendable {
    /// This is how it is.
    case seen(Value)
    /// It could not be seen; the reason follows “not looked at: ”.
    case hidden(String)

    /// What was seen.
    package var value: Value? {
        switch self {
        case .seen(let value): value
        case .hidden: nil
        }
    }
}
