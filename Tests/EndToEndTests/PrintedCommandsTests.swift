import FoundationEssentials
import TestSupport
import Testing

/// The commands that the texts of all programs tell people to run. The texts are those of `Tests/Texts/texts.txt`.
@Suite("Commands in texts", .timeLimit(.minutes(10)))
struct PrintedCommandsTests {
    /// A command of a program, as `--experimental-dump-help` shows it.
    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                var kind: String
                var name: String
            }
            var kind: String
            var names: [Name]?
            var parsingStrategy: String?
        }
        var commandName: String
        var arguments: [Argument]?
        var subcommands: [Command]?

        /// True if it passes its arguments on to another program.
        var passesOn: Bool { arguments?.contains { $0.parsingStrategy == "allRemainingInput" } ?? false }

        /// The problem of a command line; `nil` for none.
        func problem(with words: [String]) -> String? {
            guard !passesOn, words.first?.contains("{") != true else { return nil }
            if let first = words.first, let next = subcommands?.first(where: { $0.commandName == first }) {
                return next.problem(with: Array(words.dropFirst()))
            }
            // The option of a default command, whose name is left out.
            if words.first?.hasPrefix("-") == true,
                subcommands?.contains(where: { $0.problem(with: words) == nil }) == true
            {
                return nil
            }
            let options = (arguments ?? []).flatMap { $0.names ?? [] }.map {
                $0.kind == "short" ? "-\($0.name)" : "--\($0.name)"
            }
            if let option = words.first(where: {
                $0.hasPrefix("-") && $0.dropFirst().first?.isNumber != true && !options.contains($0)
            }) {
                return "\(commandName) has no option \(option)"
            }
            let takesWords = arguments?.contains { $0.kind == "positional" } ?? false
            if let word = words.first, !word.hasPrefix("-"), !takesWords {
                return "\(commandName) has no command \(word)"
            }
            return nil
        }
    }

    private struct Help: Decodable { var command: Command }

    /// Commands of locationctl that only root may run.
    private static let ofRoot = [
        "clients add", "clients remove", "config reload", "doctor --fix", "doctor --undo", "geoclue off", "geoclue on",
        "gpsd off", "gpsd on", "off --system", "on --system", "sources disable", "sources enable",
        "sources fixed clear",
        "sources fixed set",
    ]
    /// Commands of systemctl that everybody may run.
    private static let readingUnits = ["cat", "is-active", "list-units", "show", "status"]
    /// Packages of Debian. Those of locationd are in no archive: they are files.
    private static let packages = [
        "chromium", "gpsd", "iio-sensor-proxy", "network-manager", "osmium-tool", "polkitd", "postgresql",
        "postgresql-postgis", "tilemaker",
    ]
    private enum User { case anybody, root, either }

    /// Programs whose arguments are not looked at, and who runs them.
    private static let others: [String: User] = [
        "chmod": .either, "chown": .either, "gpsmon": .root, "journalctl": .either, "kill": .either, "ln": .root,
        "createdb": .root, "ip": .anybody, "mmcli": .root, "osmium": .anybody, "psql": .root, "rm": .either,
        "ss": .either, "systemd-sysusers": .root,
        "tile-join": .anybody,
        "timedatectl": .root, "usermod": .root,
    ]

    /// The commands in a text, each with its words: what follows `run:`, and a text that is one. A command ends where the sentence
    /// goes on.
    static func commands(in text: String) -> [[String]] {
        let isCommand = text.hasPrefix("run: ") || text.hasPrefix("sudo ")
        return text.split(separator: "run: ").dropFirst(isCommand ? 0 : 1).flatMap { part in
            var commands: [[String]] = [[]]
            var isQuoted = false
            for word in part.split(separator: " ") {
                let quotes = word.count { $0 == "'" || $0 == "\"" }
                if !isQuoted, quotes == 0 {
                    // Placeholders are upper-case words, and sentences begin with a capital letter.
                    if word.first?.isUppercase == true, word.dropFirst().contains(where: \.isLowercase) { break }
                    if ["or", "and", "in", "…"].contains(word) { break }
                    if word == "&&" {
                        commands.append([])
                        continue
                    }
                }
                if quotes % 2 == 1 { isQuoted.toggle() }
                let isEnd = !isQuoted && [".", ";", ",", ":"].contains { word.hasSuffix($0) }
                commands[commands.count - 1].append(String(isEnd ? word.dropLast() : word))
                if isEnd { break }
            }
            return commands.filter { !$0.isEmpty }
        }
    }

    /// The problem of a command; `nil` for none.
    private static func problem(with words: [String], _ programs: [String: Command]) -> String? {
        let isRoot = words.first == "sudo"
        // As root or, as a database has it, as another user.
        let words = isRoot ? Array(words.dropFirst(words.dropFirst().first == "-u" ? 3 : 1)) : words
        guard let program = words.first, !program.contains("{") else { return nil }
        let rest = Array(words.dropFirst())
        if let command = programs[program] {
            let line = rest.joined(separator: " ")
            if !isRoot, ofRoot.contains(where: { line == $0 || line.hasPrefix($0 + " ") }) { return "it lacks sudo" }
            return command.problem(with: rest)
        }
        switch program {
        case "systemctl":
            let verb = rest.first { !$0.hasPrefix("-") } ?? ""
            let isOfUser = rest.contains("--user")
            if isOfUser == isRoot, isRoot { return "it is for the user's own units" }
            return isRoot || isOfUser || readingUnits.contains(verb) ? nil : "it lacks sudo"
        case "apt":
            guard isRoot else { return "it lacks sudo" }
            let unknown = rest.dropFirst().filter { !$0.hasPrefix("-") && !$0.hasPrefix("./") && !$0.contains("{") }
                .filter { !packages.contains($0) }
            return unknown.isEmpty ? nil : "no archive has \(unknown.joined(separator: " "))"
        default:
            return switch others[program] {
            case nil: "\(program) is no program"
            case .root: isRoot ? nil : "it lacks sudo"
            case .anybody: isRoot ? "it needs no sudo" : nil
            case .either: nil
            }
        }
    }

    @Test("each command that a text names can be run as printed by the user who reads it")
    func commands() async throws {
        var programs: [String: Command] = [:]
        for (name, program) in [
            ("locationctl", [Products.locationctl]), ("locationctl share", [Products.locationdShare]),
            ("locationctl fleet", [Products.locationdShare, "fleet"]),
            ("recorder", [Products.directory + "/locationd-fleet-recorder"]),
        ] {
            let help = try await ChildProcess.run(program + ["--experimental-dump-help"])
            programs[name] = try JSONDecoder().decode(Help.self, from: Data(help.output.utf8)).command
        }
        let recorder = programs.removeValue(forKey: "recorder")?.subcommands ?? []
        programs["locationctl fleet"]?.subcommands? += recorder
        let packaged = ["share", "fleet"].reduce(into: [:]) { packaged, name in
            packaged[name] = programs.removeValue(forKey: "locationctl \(name)")
        }
        let file = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let texts = try String(contentsOfFile: "/\(file)/Texts/texts.txt", encoding: .utf8)
        var count = 0
        for text in texts.split(separator: "\n") {
            for words in Self.commands(in: String(text)) {
                count += 1
                let problem =
                    words.count > 1 && words[0] == "locationctl" && packaged[words[1]] != nil
                    ? packaged[words[1]]?.problem(with: Array(words.dropFirst(2))) : Self.problem(with: words, programs)
                #expect(problem == nil, "\(words.joined(separator: " ")): \(problem ?? "")\n\(text)")
            }
        }
        #expect(count > 150)
    }

    @Test(
        "a wrong command is detected",
        arguments: [
            ("run: locationctl doctor --fix", "it lacks sudo"),
            ("run: sudo apt install locationd-map", "no archive has"),
            ("run: systemctl restart gpsd.service", "it lacks sudo"),
            ("run: locationctl clinets", "has no command clinets"),
            ("run: locationctl allow --allways NAME", "has no option --allways"),
            ("run: gpsmn /dev/a", "is no program"),
            ("run: systemctl status a && systemctl restart b", "it lacks sudo"),
        ])
    func wrong(text: String, words: String) async throws {
        let help = try await ChildProcess.run([Products.locationctl, "--experimental-dump-help"])
        let command = try JSONDecoder().decode(Help.self, from: Data(help.output.utf8)).command
        let problems = Self.commands(in: text).compactMap { Self.problem(with: $0, ["locationctl": command]) }
        #expect(problems.contains { $0.contains(words) }, "\(problems)")
    }
}
