/// The evidence about one part of the chain from the antenna to the client, and its evaluation.
///
/// The evidence is the value's properties: made up in tests, and gathered by a `look` function in a file of its own. The
/// evaluation uses nothing else.
package protocol Check: Sendable {
    /// The findings; at least one.
    var findings: [Finding] { get }
}

/// A piece of evidence, or the reason why it could not be gathered.
package enum Evidence<Value: Sendable>: Sendable {
    /// The evidence.
    case seen(Value)
    /// It could not be gathered; the reason follows “not checked: ”.
    case hidden(String)

    /// The evidence, if it was gathered.
    package var value: Value? {
        switch self {
        case .seen(let value): value
        case .hidden: nil
        }
    }
}

/// Remedies of several checks.
enum Remedy {
    /// Puts back files of the package. It is in no archive of Debian.
    static let reinstall =
        "Download the package locationd from where it came from, then run: sudo apt install --reinstall ./locationd_*.deb"
}
