import Testing

@testable import locationctl

@Suite("Words of commands for a shell", .timeLimit(.minutes(10)))
struct ShellWordTests {
    @Test(
        "a name that a shell would read otherwise is in quotation marks",
        arguments: [
            ("home", "home"), ("Zürich-2", "Zürich-2"), ("Ferienhaus am See", "'Ferienhaus am See'"),
            ("Anna's", #"'Anna'\''s'"#), ("$HOME", "'$HOME'"), ("a;b", "'a;b'"), ("", "''"),
        ])
    func words(name: String, word: String) { #expect(name.shellWord == word) }
}
