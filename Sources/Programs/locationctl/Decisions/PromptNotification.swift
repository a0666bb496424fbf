import CommandLineSupport
import DesktopNotifications
import Localization
import LocationInterface
import LocationModel
import LocationServiceManagement

/// Renders prompts as notifications.
///
/// Like `PromptText`, it quotes text from programs and declarations. It uses no markup.
enum PromptNotification {
    /// - Parameter secret: a part of the keys of the buttons. A sandboxed program that may show notifications can replace
    ///   this one, but cannot give its replacement valid buttons.
    static func make(
        _ prompt: AgentInterface.Prompt, capabilities: NotificationCapabilities, secret: UInt64,
        catalogue: Catalogue = .current
    ) -> DesktopNotification {
        let reason = prompt.usageDescription
        var lines = [reason.isEmpty ? catalogue.text("It gives no reason.") : reason.quoted()]
        if let sentence = prompt.recipientSentence(in: catalogue) { lines.append(sentence) }
        lines.append(program(prompt, catalogue))
        var buttons: [DesktopNotification.Button] = []
        if capabilities.contains(.actions) {
            buttons = answers(to: prompt).map { .init(key: key($0, secret), label: catalogue.text($0.words)) }
        } else {
            let command = "locationctl agent prompts"
            lines.append(catalogue.text("To answer, run in a terminal: {command}", ["command": command]))
        }
        return DesktopNotification(
            summary: prompt.question(limit: 96, in: catalogue), body: capabilities.body(lines), buttons: buttons,
            urgency: .critical)
    }

    /// The notification about a program that uses the location in the background.
    static func make(
        _ activity: AgentInterface.Activity, capabilities: NotificationCapabilities, catalogue: Catalogue = .current
    ) -> DesktopNotification {
        let command = "locationctl deny \(activity.client.shown(limit: 255))"
        let advice = catalogue.text("To end that, run: {command}", ["command": command])
        return DesktopNotification(
            summary: activity.sentence(limit: 96, in: catalogue), body: capabilities.body([advice]), urgency: .low)
    }

    /// The answer with this button key; `nil` for a key that was not offered.
    static func answer(_ key: String, to prompt: AgentInterface.Prompt, secret: UInt64) -> PromptAnswer? {
        answers(to: prompt).first { self.key($0, secret) == key }
    }

    /// The answers that buttons offer: the prompt's choices and, where the program may be allowed while in use, that for an hour.
    ///
    /// GNOME Shell shows the first three buttons. There *once* is left out, which for a program in a window means as long as the window:
    /// an hour is what one knows in advance.
    private static func answers(to prompt: AgentInterface.Prompt) -> [PromptAnswer] {
        let choices = prompt.choices.map { PromptAnswer.choice($0) }
        let isFirst = prompt.kind == .whenInUse || prompt.kind == .always
        guard isFirst, prompt.choices.contains(.allowWhileUsing) else { return choices }
        let last = PromptAnswer.choice(.allowOnce)
        var answers = choices.filter { $0 != last }
        answers.insert(.allowForAnHour, at: 1)
        return choices.contains(last) ? answers + [last] : answers
    }

    private static func key(_ answer: PromptAnswer, _ secret: UInt64) -> String {
        "\(answer.name)-\(String(secret, radix: 36))"
    }

    private static func program(_ prompt: AgentInterface.Prompt, _ catalogue: Catalogue) -> String {
        let program = (prompt.executable ?? prompt.unit)?.shown(limit: 128) ?? prompt.client.shown(limit: 128)
        return catalogue.text(
            "{program}, process {process}", ["program": program, "process": "\(prompt.processID)"])
    }
}

extension AgentInterface.Activity {
    /// Returns the sentence that the program uses the location, with its quoted name of at most `limit` characters.
    func sentence(limit: Int, in catalogue: Catalogue) -> String {
        catalogue.text(
            "{name} is using your location in the background.", ["name": displayName.quoted(limit: limit)])
    }
}

/// An answer to a prompt by a button.
enum PromptAnswer: Hashable {
    /// A choice that the service offers.
    case choice(AgentInterface.Choice)
    /// To allow the program for an hour while it is in use, by a decision that ends.
    case allowForAnHour

    var words: String {
        switch self {
        case .choice(let choice): choice.words
        case .allowForAnHour: "Allow for One Hour"
        }
    }

    fileprivate var name: String {
        switch self {
        case .choice(let choice): choice.rawValue
        case .allowForAnHour: "allowForAnHour"
        }
    }
}
