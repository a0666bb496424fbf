public import LocationModel

/// A question to the user about one client.
public struct Prompt: Hashable, Sendable {
    /// What is asked.
    public enum Kind: Hashable, Sendable {
        /// The first question, because the client wants the location while in use.
        case whenInUse
        /// The first question, because the client wants it always. It looks the same to the user.
        case always
        /// The one question that offers a client with while-in-use more.
        case upgrade
        /// The question that a provisional always leads to when it first matters.
        case confirmAlways
        /// Whether a client with reduced accuracy may know exactly for now, for the purpose with this key.
        case temporaryFullAccuracy(purposeKey: String)

        /// What the user can answer.
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

    /// What is asked.
    public var kind: Kind
    /// Why, in the client's own words.
    public var usageDescription: String

    /// A question of this kind.
    public init(kind: Kind, usageDescription: String) {
        self.kind = kind
        self.usageDescription = usageDescription
    }
}
