import CommandLineSupport
import DesktopNotifications
import LocationClient
import LocationInterface
import LocationModel

/// Renders prompts as notifications.
///
/// Like `PromptText`, it quotes text from programs and declarations. It uses no markup.
enum PromptNotification {
    /// - Parameter secret: a part of the keys of the buttons. A sandboxed program that may show notifications can replace
    ///   this one, but cannot give its replacement valid buttons.
    static func make(
        _ prompt: AgentInterface.Prompt, capabilities: NotificationCapabilities, secret: UInt64
    ) -> DesktopNotification {
        let question = prompt.kind.question(about: prompt.displayName.quoted(limit: 96))
        var lines = [prompt.usageDescription.isEmpty ? "It gives no reason." : prompt.usageDescription.quoted()]
        if let sentence = prompt.recipientSentence { lines.append(sentence) }
        lines.append(program(prompt))
        var buttons: [DesktopNotification.Button] = []
        if capabilities.contains(.actions) {
            buttons = prompt.choices.map { .init(key: key($0, secret), label: $0.words) }
        } else {
            lines.append("To answer, run in a terminal: locationctl agent prompts")
        }
        return DesktopNotification(
            summary: question, body: body(lines, capabilities), buttons: buttons, urgency: .critical)
    }

    /// The notification about a program that uses the location in the background.
    static func make(
        _ activity: AgentInterface.Activity, capabilities: NotificationCapabilities
    ) -> DesktopNotification {
        let name = activity.displayName.quoted(limit: 96)
        let advice = "To end that, run: locationctl deny \(activity.client.shown(limit: 255))"
        return DesktopNotification(
            summary: "\(name) is using your location in the background.", body: body([advice], capabilities),
            urgency: .low)
    }

    /// The choice with this button key; `nil` for a key that was not offered.
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
