import ArgumentParser
import CommandLineSupport
import LocationInterface
import LocationServiceManagement

struct Rules: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Limit where, when and how exactly programs receive your location.",
        discussion:
            "Rules only take away: they allow nothing that you have not allowed, and adding one never gives a program more.",
        subcommands: [List.self, RulesAdd.self, Remove.self, RulesTry.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the rules that apply to you, with those of the machine and of programs (default).")

        @Option(
            help: ArgumentHelp("Only the rules that may limit this client.", valueName: "client"), completion: .clients)
        var client: String?

        @OptionGroup var service: ServiceOptions
        @OptionGroup var whose: UserOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let rules = try await LocationServiceManager(socketPath: service.socket)
                .rules(client: client, user: whose.user?.id)
            try output.say(rules) { text(rules) }
        }

        private func text(_ rules: [ManagerInterface.Rule]) -> [String] {
            guard !rules.isEmpty else {
                return ["There are no rules. To see how to add one, run: locationctl help rules add"]
            }
            return Table.lines(["id", "rule", "now"], rules.map { [$0.id, $0.sentence, $0.now] }, wrapping: 1)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove one of your rules.")

        @Argument(help: ArgumentHelp("The rule's id in the output of rules list.", valueName: "id"), completion: .rules)
        var id: String

        @OptionGroup var service: ServiceOptions
        @OptionGroup var whose: UserOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await LocationServiceManager(socketPath: service.socket).removeRule(id, user: whose.user?.id)
            try output.say(["id": id]) { ["Rule \(id) is removed. Its number is not used again."] }
        }
    }
}

extension ManagerInterface.Rule {
    /// Its effect at this moment, for people.
    var now: String {
        let time = until.map { Clock.near($0) }
        return switch state {
        case .applies: time.map { "until \($0)" } ?? "applies"
        case .inDoubt: "applies, in doubt: \(doubt ?? "a condition is not known")"
        case .doesNotApply: time.map { "not before \($0)" } ?? "does not apply"
        case .unknown(let name): name
        }
    }
}

extension CompletionKind {
    /// The identifiers of the user's own rules, from the service; none if it does not answer.
    static let rules = list { manager in try await manager.rules().map(\.id).filter { Int($0) != nil } }

    /// The names of the user's places, from the service; none if it does not answer.
    static let places = list { manager in try await manager.places().map(\.name) }
}
