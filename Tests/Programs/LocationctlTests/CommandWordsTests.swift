import Testing

@testable import locationctl

@Suite("Words before a command's own", .timeLimit(.minutes(10)))
struct CommandWordsTests {
    @Test(
        "options before the command are moved after it",
        arguments: [
            ("--units imperial get", "get --units imperial"),
            ("--units=imperial get --timeout 3", "get --units=imperial --timeout 3"),
            ("--socket /s --format json monitor list", "monitor list --socket /s --format json"),
            ("monitor --format json list", "monitor list --format json"),
            ("--format json rules", "rules --format json"),
            ("--user 0 clients", "clients --user 0"),
            ("--utc history --limit 3", "history --utc --limit 3"),
            // The last one counts.
            ("--units imperial get --units metric", "get --units imperial --units metric"),
            // Other packages' programs check their own, which belong to a command of theirs.
            ("--socket /s map list", "map list --socket /s"), ("--format json share", "share --format json"),
            ("--format json fleet list --broker b", "fleet list --broker b --format json"),
            ("--user 0 map show -- --x", "map show --user 0 -- --x"),
            ("get --units imperial", "get --units imperial"),
            ("help get", "help get"), ("--version", "--version"), ("", ""),
        ])
    func moved(typed: String, words: String) {
        let read = CommandWords(typed.split(separator: " ").map(String.init), in: Locationctl.self)
        #expect(read.complaint == nil)
        #expect(read.words.joined(separator: " ") == words)
    }

    @Test(
        "a command without the option is an error, and so is an option without a command",
        arguments: [
            ("--units imperial status", "The command status has no option --units."),
            ("--coordinates dms monitor list", "The command monitor list has no option --coordinates."),
            ("--user 0 config", "The command config has no option --user."),
            ("--units imperial", "No command follows --units, as in: locationctl --units … get"),
            ("--utc status", "The command status has no option --utc."),
            ("--utc", "No command follows --utc, as in: locationctl --utc get"),
            ("--units get", "No command follows --units, as in: locationctl --units … get"),
            ("--units imperial gte", "There is no command gte. Did you mean get?"),
            ("locate", "There is no command locate. Did you mean get?"),
            ("grant", "There is no command grant. Did you mean allow?"),
            ("position", "There is no command position. Did you mean sources fixed?"),
            // An earlier name is no suggestion.
            ("promts", "There is no command promts."),
            ("agent promts", "There is no command agent promts. Did you mean agent prompts?"),
        ])
    func refused(typed: String, complaint: String) {
        #expect(CommandWords(typed.split(separator: " ").map(String.init), in: Locationctl.self).complaint == complaint)
    }
}
