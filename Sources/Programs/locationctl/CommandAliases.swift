import ArgumentParser

// Earlier names of commands, which are understood and not listed.

/// `prompts`: `agent prompts`.
struct PromptsAlias: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prompts", abstract: Prompts.configuration.abstract, shouldDisplay: false)

    @OptionGroup var command: Prompts

    func run() async throws { try await command.run() }
}

/// `answer`: `agent answer`.
struct AnswerAlias: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: Answer.configuration.abstract,
        discussion: Answer.configuration.discussion, shouldDisplay: false)

    @OptionGroup var command: Answer

    func run() async throws { try await command.run() }
}

/// `place`: `sources fixed`.
struct PlaceAlias: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "place", abstract: SourcesFixed.configuration.abstract, shouldDisplay: false,
        subcommands: SourcesFixed.configuration.subcommands,
        defaultSubcommand: SourcesFixed.configuration.defaultSubcommand)
}
