/// What a user can answer when asked whether a program may know where they are.
///
/// The names are those of the buttons on Apple's systems, and the words of the wire.
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
