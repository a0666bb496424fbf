public import LocationModel

/// `org.locationd.Agent`: showing prompts to the user and answering them.
public enum AgentInterface {
    /// An answer to a prompt.
    public typealias Choice = PromptChoice

    /// What a prompt asks.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The first question, for the location while in use.
        case whenInUse
        /// The first question of a client that wants it always.
        case always
        /// The question that offers a client with while-in-use more.
        case upgrade
        /// The question that a provisional always leads to when it first matters.
        case confirmAlways
        /// May it know exactly, for now?
        case temporaryFullAccuracy
    }

    /// A question to the user.
    ///
    /// The texts of the client and the names of programs come from elsewhere: show control characters harmlessly.
    public struct Prompt: Codable, Hashable, Sendable {
        /// Names the prompt.
        public var id: Int
        /// What is asked.
        public var kind: Kind
        /// Who asks: its identifier.
        public var client: String
        /// What to call it.
        public var displayName: String
        /// The process that asks.
        public var processID: Int
        /// The program it runs.
        public var executable: String?
        /// The unit it belongs to.
        public var unit: String?
        /// The session it belongs to.
        public var session: String?
        /// The installed application that it says or seems to be, by the name of its desktop file without `.desktop`: for
        /// a picture beside the question, not as an answer to who it is.
        public var application: String?
        /// Whose location it is.
        public var userID: Int
        /// Why, in the client's own words.
        public var usageDescription: String
        /// What can be answered.
        public var choices: [Choice]

        /// A question; set what else is known of who asks.
        public init(
            id: Int, kind: Kind, client: String, displayName: String, processID: Int, userID: Int,
            usageDescription: String, choices: [Choice]
        ) {
            self.id = id
            self.kind = kind
            self.client = client
            self.displayName = displayName
            self.processID = processID
            self.userID = userID
            self.usageDescription = usageDescription
            self.choices = choices
        }
    }

    /// An activity in the background that the user must be able to see.
    public struct Activity: Codable, Hashable, Sendable {
        /// Whose it is: its identifier.
        public var client: String
        /// What to call it.
        public var displayName: String
        /// The process.
        public var processID: Int

        /// An activity of a client.
        public init(client: String, displayName: String, processID: Int) {
            self.client = client
            self.displayName = displayName
            self.processID = processID
        }
    }

    /// Shows the caller's user everything that is to be shown.
    public enum Register: InterfaceMethod {
        /// `org.locationd.Agent.Register`
        public static let name = "org.locationd.Agent.Register"

        /// What is asked for.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Whether it wants only the prompts of its own client, while there is no other agent.
            public var isFallback: Bool?

            /// An agent, or a fallback.
            public init(isFallback: Bool? = nil) { self.isFallback = isFallback }
        }

        /// One of the answers; exactly one member is there.
        public struct Reply: Codable, Hashable, Sendable {
            /// A prompt to show.
            public var prompt: Prompt?
            /// The id of a prompt that needs no answer any more.
            public var withdrawn: Int?
            /// All activities in the background.
            public var activities: [Activity]?

            /// A prompt to show.
            public init(prompt: Prompt) { self.prompt = prompt }
            /// A prompt to take away.
            public init(withdrawn: Int) { self.withdrawn = withdrawn }
            /// All activities.
            public init(activities: [Activity]) { self.activities = activities }
        }
    }

    /// Answers a prompt.
    public enum Answer: InterfaceMethod {
        /// `org.locationd.Agent.Answer`
        public static let name = "org.locationd.Agent.Answer"

        /// The answer.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Which prompt.
            public var id: Int
            /// The answer to it.
            public var choice: Choice

            /// `choice` is the answer to the prompt `id`.
            public init(id: Int, choice: Choice) {
                self.id = id
                self.choice = choice
            }
        }

        /// Nothing is answered.
        public typealias Reply = Nothing
    }

    /// The open prompts.
    public enum ListPrompts: InterfaceMethod {
        /// `org.locationd.Agent.ListPrompts`
        public static let name = "org.locationd.Agent.ListPrompts"
        /// Nothing is asked for.
        public typealias Parameters = Nothing

        /// The answer.
        public struct Reply: Codable, Hashable, Sendable {
            /// The prompts.
            public var prompts: [Prompt]

            /// These are open.
            public init(prompts: [Prompt]) { self.prompts = prompts }
        }
    }
}

// MARK: Errors

extension AgentInterface {
    /// The caller is not an agent.
    public struct NotAnAgent: InterfaceError {
        /// `org.locationd.Agent.NotAnAgent`
        public static let name = "org.locationd.Agent.NotAnAgent"
        /// A sentence for people which says which key of which file to change.
        public var message: String

        /// Not an agent, as `message` says.
        public init(message: String) { self.message = message }
    }

    /// There is no such prompt, or not any more.
    public struct NoSuchPrompt: InterfaceError {
        /// `org.locationd.Agent.NoSuchPrompt`
        public static let name = "org.locationd.Agent.NoSuchPrompt"
        /// What was asked for.
        public var id: Int

        /// No prompt `id`.
        public init(id: Int) { self.id = id }
    }

    /// The prompt does not offer this choice.
    public struct ChoiceNotOffered: InterfaceError {
        /// `org.locationd.Agent.ChoiceNotOffered`
        public static let name = "org.locationd.Agent.ChoiceNotOffered"
        /// What it offers.
        public var choices: [Choice]

        /// These are offered.
        public init(choices: [Choice]) { self.choices = choices }
    }
}
