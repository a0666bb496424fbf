import CommandSupport
import DesktopNotifications
import LocationClient
import LocationInterface

/// A prompt as a notification.
///
/// Like `PromptText`, it quotes what comes from elsewhere. Nothing in it is markup.
enum PromptNotification {
    /// - Parameter secret: goes into the keys of the buttons. Programs in a sandbox that may show notifications can put
    ///   others in the place of ours; they cannot give those our buttons.
    static func make(
        _ prompt: AgentInterface.Prompt, capabilities: NotificationCapabilities, secret: UInt64
    ) -> DesktopNotification {
        let question = prompt.kind.question(about: prompt.displayName.quoted(limit: 64))
        var lines = [prompt.usageDescription.isEmpty ? "It gives no reason." : prompt.usageDescription.quoted()]
        lines.append(program(prompt))
        var buttons: [DesktopNotification.Button] = []
        if capabilities.contains(.actions) {
            buttons = prompt.choices.map { .init(key: key($0, secret), label: $0.words) }
        } else {
            lines.append("To answer: locationctl prompts, in a terminal.")
        }
        return DesktopNotification(
            summary: question, body: body(lines, capabilities), buttons: buttons, urgency: .critical)
    }

    /// What says that programs use the location in the background.
    static func make(
        _ activity: AgentInterface.Activity, capabilities: NotificationCapabilities
    ) -> DesktopNotification {
        let name = activity.displayName.quoted(limit: 64)
        let advice = "To end that: locationctl deny \(activity.client.shown(limit: 255))"
        return DesktopNotification(
            summary: "\(name) is using your location in the background.", body: body([advice], capabilities),
            urgency: .low)
    }

    /// The choice that a key of a prompt's button stands for.
    static func choice(_ key: String, in prompt: AgentInterface.Prompt, secret: UInt64) -> AgentInterface.Choice? {
        prompt.choices.first { self.key($0, secret) == key }
    }

    private static func key(_ choice: AgentInterface.Choice, _ secret: UInt64) -> String {
        "\(choice.rawValue)-\(String(secret, radix: 36))"
    }

    private static func program(_ prompt: AgentInterface.Prompt) -> String {
        let program = (prompt.executable ?? prompt.unit)?.shown(limit: 128) ?? prompt.client.shown(limit: 128)
        return "\(program), process \(prompt.processID)"
    }

    private static func body(_ lines: [String], _ capabilities: NotificationCapabilities) -> String {
        guard capabilities.contains(.body) else { return "" }
        let text = lines.joined(separator: "\n")
        return capabilities.contains(.bodyMarkup) ? text.markupEscaped : text
    }
}
