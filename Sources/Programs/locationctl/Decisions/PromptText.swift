import CommandLineSupport
import Localization
import LocationInterface
import LocationServiceManagement

/// Formats prompts for people.
///
/// All of a prompt but the choices is text of others: from a declaration, which the program's vendor wrote, and the
/// system's names for a process. It is quoted or follows a label, and its further lines are indented deeper than the
/// choices, so that no part of it can look like a choice.
struct PromptText {
    let prompt: AgentInterface.Prompt
    /// The width of the terminal, in cells; `nil` if there is none.
    let width: Int?
    var catalogue = Catalogue.current

    /// The lines of the prompt, with the choices and the request for one at the end.
    var lines: [String] {
        let question = prompt.question(limit: 64, in: catalogue).wrapped(width: width)
        let choices = prompt.choices.enumerated().map { "  \($0.offset + 1)  \(catalogue.text($0.element.words))" }
        let request = catalogue.text("Your choice, 1 to {count}:", ["count": "\(prompt.choices.count)"])
        return [""] + question + reason + program + user + choices + [request]
    }

    /// The text of the prompt in a list.
    func about(id: String) -> [String] {
        "\(id)  \(prompt.question(limit: 64, in: catalogue))".wrapped(width: width) + reason + program
    }

    private var reason: [String] {
        ["  \(prompt.usageDescription.quoted())", prompt.recipientSentence(in: catalogue).map { "  \($0)" }]
            .compactMap(\.self).flatMap { $0.wrapped(width: width) }
    }

    private var program: [String] {
        let process = catalogue.text(
            "{client}: process {process}",
            ["client": prompt.client.shown(limit: 255), "process": "\(prompt.processID)"])
        let names = [prompt.executable?.shown(limit: 256), prompt.unit?.shown(limit: 256)].compactMap { $0 }
        return (["  \(process)"] + names).joined(separator: ", ").wrapped(width: width)
    }

    private var user: [String] {
        let name = User.name(prompt.userID)
        guard let session = prompt.session?.shown(limit: 32) else {
            return "  \(catalogue.text("user {user}", ["user": name]))".wrapped(width: width)
        }
        let text = catalogue.text("user {user}, session {session}", ["user": name, "session": session])
        return "  \(text)".wrapped(width: width)
    }
}

extension AgentInterface.Prompt {
    /// Returns the title with the quoted name of the program, of at most `limit` characters.
    func question(limit: Int, in catalogue: Catalogue) -> String {
        catalogue.text(kind.question(about: "{name}"), ["name": displayName.quoted(limit: limit)])
    }

    /// Returns a sentence that names those to whom the client passes the location on, each quoted; `nil` if its declaration
    /// states none.
    func recipientSentence(in catalogue: Catalogue) -> String? {
        guard let recipients, !recipients.isEmpty else { return nil }
        let names = recipients.prefix(8).map { $0.quoted(limit: 128) }.joined(separator: ", ")
        return catalogue.text("It passes your location on to {names}.", ["names": names])
    }
}
