public import LocationModel

/// `org.locationd.Agent`: showing prompts to the user and answering them.
public enum AgentInterface {
    /// An answer to a prompt.
    public typealias Choice = PromptChoice

    /// The kind of question.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The first question, after a request for *when in use*.
        case whenInUse
        /// The first question, after a request for *always*.
        case always
        /// The question that offers *always* to a client with *when in use*.
        case upgrade
        /// The question that confirms a provisional *always* before the first delivery in the background.
        case confirmAlways
        /// The question about full accuracy until the client is no longer in use.
        case temporaryFullAccuracy
    }

    /// A question to the user.
    ///
    /// The usage description and the names are untrusted text: do not pass control characters to a terminal.
    public struct Prompt: Codable, Hashable, Sendable {
        /// Identifies the prompt.
        public var id: Int
        /// The kind of question.
        public var kind: Kind
        /// The client's identifier.
        public var client: String
        /// The name for people.
        public var displayName: String
        /// The requesting process.
        public var processID: Int
        /// The path of its program.
        public var executable: String?
        /// Its systemd unit.
        public var unit: String?
        /// Its logind session.
        public var session: String?
        /// The installed application that it is, by the name of its desktop file without `.desktop`; `nil` if only its own
        /// claim says so.
        /// Use it for an icon beside the question, not as its identity.
        public var application: String?
        /// The user whose location it is.
        public var userID: Int
        /// The client's reason, from its declaration.
        public var usageDescription: String
        /// The possible answers.
        public var choices: [Choice]

        /// A question without the optional properties of the process.
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

    /// A background activity, which an agent has to show to the user.
    public struct Activity: Codable, Hashable, Sendable {
        /// The client's identifier.
        public var client: String
        /// The name for people.
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

    /// Registers the caller as an agent of its user: prompts and background activities follow.
    public enum Register: InterfaceMethod {
        /// `org.locationd.Agent.Register`
        public static let name = "org.locationd.Agent.Register"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// True for an agent that shows only the prompts of its own client, while there is no other agent.
            public var isFallback: Bool?

            /// An agent for everything, or a fallback.
            public init(isFallback: Bool? = nil) { self.isFallback = isFallback }
        }

        /// One reply. Exactly one member is present.
        public struct Reply: Codable, Hashable, Sendable {
            /// A prompt to show.
            public var prompt: Prompt?
            /// The id of a prompt that needs no answer any more.
            public var withdrawn: Int?
            /// All background activities.
            public var activities: [Activity]?

            /// A reply with a prompt to show.
            public init(prompt: Prompt) { self.prompt = prompt }
            /// A reply with the id of a prompt to remove.
            public init(withdrawn: Int) { self.withdrawn = withdrawn }
            /// A reply with all background activities.
            public init(activities: [Activity]) { self.activities = activities }
        }
    }

    /// Answers a prompt.
    public enum Answer: InterfaceMethod {
        /// `org.locationd.Agent.Answer`
        public static let name = "org.locationd.Agent.Answer"

        /// The parameters.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The id of the prompt.
            public var id: Int
            /// The user's answer.
            public var choice: Choice

            /// The answer `choice` to the prompt `id`.
            public init(id: Int, choice: Choice) {
                self.id = id
                self.choice = choice
            }
        }

        /// An empty reply.
        public typealias Reply = Nothing
    }

    /// Lists the open prompts.
    public enum ListPrompts: InterfaceMethod {
        /// `org.locationd.Agent.ListPrompts`
        public static let name = "org.locationd.Agent.ListPrompts"
        /// No parameters.
        public typealias Parameters = Nothing

        /// The reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The prompts.
            public var prompts: [Prompt]

            /// A reply with these prompts.
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
        /// A sentence for people that names the key and the file to change.
        public var message: String

        /// The error with this message.
        public init(message: String) { self.message = message }
    }

    /// There is no prompt with this id, or it is no longer open.
    public struct NoSuchPrompt: InterfaceError {
        /// `org.locationd.Agent.NoSuchPrompt`
        public static let name = "org.locationd.Agent.NoSuchPrompt"
        /// The requested one.
        public var id: Int

        /// The error for the prompt `id`.
        public init(id: Int) { self.id = id }
    }

    /// The prompt does not offer this choice.
    public struct ChoiceNotOffered: InterfaceError {
        /// `org.locationd.Agent.ChoiceNotOffered`
        public static let name = "org.locationd.Agent.ChoiceNotOffered"
        /// The choices that it offers.
        public var choices: [Choice]

        /// The error with the choices offered.
        public init(choices: [Choice]) { self.choices = choices }
    }
}
