import CommandLineSupport
import LocationClient
import LocationInterface
import LocationModel

/// Formats prompts for people.
///
/// All of a prompt but the choices is text of others: from a declaration, which the program's vendor wrote, and the
/// system's names for a process. It is quoted or follows a label, and its further lines are indented deeper than the
/// choices, so that no part of it can look like a choice.
enum PromptText {
    /// The lines of the prompt, with the choices and the request for one at the end.
    static func lines(_ prompt: AgentInterface.Prompt, width: Int?) -> [String] {
        let question = prompt.kind.question(about: prompt.displayName.quoted(limit: 64)).wrapped(width: width)
        let session = prompt.session.map { ", session \($0.shown(limit: 32))" } ?? ""
        let user = "  user \(User.name(prompt.userID))\(session)".wrapped(width: width)
        let choices = prompt.choices.enumerated().map { "  \($0.offset + 1)  \($0.element.words)" }
        return [""] + question + reason(prompt, width: width) + program(prompt, width: width) + user + choices
            + ["Your choice, 1 to \(prompt.choices.count):"]
    }

    /// The text of a prompt in a list.
    static func about(_ prompt: AgentInterface.Prompt, id: String, width: Int?) -> [String] {
        "\(id)  \(prompt.kind.question(about: prompt.displayName.quoted(limit: 64)))".wrapped(width: width)
            + reason(prompt, width: width) + program(prompt, width: width)
    }

    private static func reason(_ prompt: AgentInterface.Prompt, width: Int?) -> [String] {
        ["  \(prompt.usageDescription.quoted())", prompt.recipientSentence.map { "  \($0)" }].compactMap(\.self)
            .flatMap { $0.wrapped(width: width) }
    }

    private static func program(_ prompt: AgentInterface.Prompt, width: Int?) -> [String] {
        let names = [prompt.executable?.shown(limit: 256), prompt.unit?.shown(limit: 256)].compactMap { $0 }
        return (["  \(prompt.client.shown(limit: 255)): process \(prompt.processID)"] + names).joined(separator: ", ")
            .wrapped(width: width)
    }
}

extension AgentInterface.Prompt {
    /// A sentence that names those to whom the client passes the location on, each quoted; `nil` if its declaration states none.
    var recipientSentence: String? {
        guard let recipients, !recipients.isEmpty else { return nil }
        let names = recipients.prefix(8).map { $0.quoted(limit: 128) }
        return "It passes your location on to \(names.joined(separator: ", "))."
    }
}
