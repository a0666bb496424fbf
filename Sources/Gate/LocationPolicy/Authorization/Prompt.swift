public import LocationModel

/// A question to the user about a client's authorization.
public struct Prompt: Hashable, Sendable {
    /// The kind of question.
    public enum Kind: Hashable, Sendable {
        /// The first question, after a request for *when in use*.
        case whenInUse
        /// The first question, after a request for *always*. The user sees the same prompt.
        case always
        /// The question that offers *always* to a client with *while using*. Once answered, it is not asked again.
        case upgrade
        /// The question that confirms a provisional *always* before the first delivery in the background.
        case confirmAlways
        /// The question about temporary full accuracy, for the purpose with this key.
        case temporaryFullAccuracy(purposeKey: String)

        /// The possible answers.
        public var choices: [Choice] {
            switch self {
            case .whenInUse, .always: [.allowWhileUsing, .allowOnce, .dontAllow]
            case .upgrade, .confirmAlways: [.keepWhileUsing, .changeToAlways]
            case .temporaryFullAccuracy: [.allowOnce, .dontAllow]
            }
        }
    }

    /// An answer.
    public typealias Choice = PromptChoice

    /// The kind of question.
    public var kind: Kind
    /// The client's reason, from its declaration.
    public var usageDescription: String

    /// A question of this kind.
    public init(kind: Kind, usageDescription: String) {
        self.kind = kind
        self.usageDescription = usageDescription
    }
}
