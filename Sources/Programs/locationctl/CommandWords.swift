import ArgumentParser
import CommandLineSupport
import TextSupport

/// The words with which a command line begins, up to the command.
struct CommandWords {
    /// The options with a value, and the flags, that may also be given before the command. The argument parser takes options
    /// after it only.
    private static let options = ["--socket", "--format", "--user", "--units", "--coordinates"]
    private static let flags = ["--utc"]

    /// The command line with such options moved after the command, or after all its words if another package's program reads them:
    /// its commands are not known here.
    private(set) var words: [String]
    /// The error in the words; `nil` if the command is known and has the options given before it.
    private(set) var complaint: String?

    /// Reads the words of a command line.
    ///
    /// - Parameter root: the command that the program is.
    init(_ words: [String], in root: any ParsableCommand.Type) {
        self.words = words
        var rest = words[...]
        var path: [String] = []
        var options: [String] = []
        var names: [String] = []
        var command = root
        while let word = rest.first {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, word != "help" else { break }
            if let next = commands.first(where: { $0._commandName == word }) {
                path.append(word)
                command = next
                rest.removeFirst()
            } else if let option = Self.options.first(where: { word == $0 || word.hasPrefix($0 + "=") }) {
                names.append(option)
                options += rest.prefix(word == option ? 2 : 1)
                rest = rest.dropFirst(word == option ? 2 : 1)
            } else if Self.flags.contains(word) {
                names.append(word)
                options.append(rest.removeFirst())
            } else if word.hasPrefix("-") {
                break
            } else {
                let names = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
                complaint = Self.unknown(word, after: path, among: names)
                return
            }
        }
        guard !options.isEmpty, rest.first != "help" else { return }
        guard let option = path.isEmpty ? names.last : names.first(where: { !Self.takes($0, command, in: root) }) else {
            let end = Self.isForwarded(command) ? rest.firstIndex(of: "--") ?? rest.endIndex : rest.startIndex
            self.words = path + rest[..<end] + options + rest[end...]
            return
        }
        complaint =
            path.isEmpty
            ? "No command follows \(option), as in: locationctl \(option)\(Self.flags.contains(option) ? "" : " …") get"
            : "The command \(path.joined(separator: " ")) has no option \(option)."
    }

    /// True if the command, or the one that it stands for, has an option.
    private static func takes(_ option: String, _ command: any ParsableCommand.Type, in root: any ParsableCommand.Type)
        -> Bool
    {
        let command = command.configuration.defaultSubcommand ?? command
        return isForwarded(command) || root.helpMessage(for: command).contains("  \(option) ")
    }

    /// True if the words of a command are for another package's program.
    private static func isForwarded(_ command: any ParsableCommand.Type) -> Bool {
        command == Map.self || command == Share.self || command == Privacy.self || command == Fleet.self
    }

    /// Words of other programs and of people, with the commands that do what they say.
    private static let synonyms = [
        "where": "get", "whereami": "get", "locate": "get", "location": "get", "show": "get",
        "grant": "allow", "permit": "allow", "revoke": "deny", "block": "deny", "forget": "reset", "apps": "clients",
        "programs": "clients", "log": "history", "why": "explain", "geofence": "monitor", "permissions": "privacy",
        "dashboard": "privacy", "record": "follow",
        "find": "search", "position": "sources fixed", "fixed": "sources fixed", "gps": "sources", "check": "doctor",
        "timezone": "get --time-zone", "prompts": "agent prompts", "answer": "agent answer",
    ]

    private static func unknown(_ word: String, after path: [String], among names: [String]) -> String {
        let name = (path + [word.shown(limit: 64)]).joined(separator: " ")
        let meant = path.isEmpty ? synonyms[word] : nil
        let hint = (meant ?? names.suggestion(for: word))
            .map { " Did you mean \((path + [$0]).joined(separator: " "))?" }
        return "There is no command \(name)."
            + (hint ?? (path.isEmpty ? "" : " There are: \(names.joined(separator: ", "))."))
    }
}
