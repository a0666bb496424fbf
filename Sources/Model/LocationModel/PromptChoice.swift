/// A user's possible answers to a location prompt.
///
/// The names are those of the buttons on Apple's systems; the raw values are used in the Varlink interface.
public enum PromptChoice: String, Hashable, Sendable, CaseIterable, Codable {
    /// Allow While Using.
    case allowWhileUsing
    /// Allow Once.
    case allowOnce
    /// Don't Allow.
    case dontAllow
    /// Keep While Using.
    case keepWhileUsing
    /// Change to Always.
    case changeToAlways
}
