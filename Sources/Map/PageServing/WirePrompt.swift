import LocationClient
package import LocationInterface
import LocationServiceManagement

/// A prompt that a page shows. Its texts are those of others.
package struct WirePrompt: Encodable, Hashable, Sendable {
    package struct Choice: Encodable, Hashable, Sendable {
        package let choice: String
        /// The title of the button in English.
        package let title: String
    }

    package let id: Int
    /// The title in English, with `{name}` in place of the program's name. The page translates it.
    package let title: String
    package let name: String
    package let reason: String
    /// Those to whom the program passes the location on; `nil` if it states none.
    package let recipients: [String]?
    package let client: String
    package let process: Int
    /// The executable and the unit, as far as they are known.
    package let programs: [String]
    package let choices: [Choice]

    package init(_ prompt: AgentInterface.Prompt) {
        (id, name, reason, recipients) = (prompt.id, prompt.displayName, prompt.usageDescription, prompt.recipients)
        title = prompt.kind.question(about: "{name}")
        (client, process) = (prompt.client, prompt.processID)
        programs = [prompt.executable, prompt.unit].compactMap(\.self)
        choices = prompt.choices.map { Choice(choice: $0.rawValue, title: $0.words) }
    }
}
