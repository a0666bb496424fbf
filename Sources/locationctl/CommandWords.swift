import ArgumentParser
import CommandLineSupport
import SpellingCorrection

/// The words with which a command line begins, up to the command.
enum CommandWords {
    /// What is wrong with them, and the command that was probably meant; `nil` where the command is known. The argument
    /// parser calls such words arguments that it did not expect.
    static func complaint(about words: [String], in root: any ParsableCommand.Type) -> String? {
        var path: [String] = []
        var command = root
        for word in words {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, word != "help" else { return nil }
            if let next = commands.first(where: { $0._commandName == word }) {
                path.append(word)
                command = next
            } else if word.hasPrefix("-") {
                let isMisplaced = path.isEmpty && ["--socket", "--format", "--user"].contains(word)
                return isMisplaced ? "\(word) follows the command, as in: locationctl get \(word) …" : nil
            } else {
                let names = commands.map { $0._commandName }
                let name = (path + [word.shown(limit: 64)]).joined(separator: " ")
                let hint = names.suggestion(for: word)
                    .map { " Did you mean \((path + [$0]).joined(separator: " "))?" }
                return "There is no command \(name)." + (hint ?? (path.isEmpty ? "" : " \(list(names))"))
            }
        }
        return nil
    }

    private static func list(_ names: [String]) -> String { "There are: \(names.joined(separator: ", "))." }
}
