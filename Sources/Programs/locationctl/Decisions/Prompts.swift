import CommandLineSupport
import ArgumentParser
import Glibc
import Localization
import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement

struct Agent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show prompts in this terminal, list them, or answer one.",
        subcommands: [Show.self, Prompts.self, Answer.self], defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show prompts in this terminal and send your answers.",
            discussion: """
                Ends with Ctrl-C or Ctrl-D. Only programs that the service lists as Agents may do this. With --desktop the \
                prompts are notifications with buttons, and an item in the panel names the programs that have your location; the \
                user unit locationd-agent.service runs that in graphical sessions.
                """)

        @OptionGroup var service: ServiceOptions

        @Flag(help: "Show them as desktop notifications instead.")
        var desktop = false

        func run() async throws {
            guard !desktop else {
                return try await NotificationAgent(manager: LocationServiceManager(socketPath: service.socket))
                    .run()
            }
            guard isatty(STDIN_FILENO) != 0 else {
                throw LocationError.refused(
                    message:
                        "There is no terminal to answer in. Without one, run: locationctl agent --desktop, or locationctl agent prompts"
                )
            }
            let agent = TerminalAgent(manager: LocationServiceManager(socketPath: service.socket))
            Terminal.complain(
                Catalogue.current.text("Waiting for programs that ask for your location. To end, press Ctrl-C."))
            do {
                switch try await agent.run(isFallback: false) {
                case .endOfInput:
                    Terminal.complain(
                        Catalogue.current.text(
                            "The input of this terminal has ended. Open prompts wait for another agent."))
                    return
                case .endOfEvents: throw LocationError.serviceUnavailable(reason: "The location service has ended.")
                }
            } catch {
                throw LocationError.wrapping(error)
            }
        }
    }
}

struct Prompts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the prompts that wait for your answer.")

    @OptionGroup var service: ServiceOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let prompts = try await LocationServiceManager(socketPath: service.socket).prompts()
        try output.say(prompts) { text(prompts) }
    }

    private func text(_ prompts: [AgentInterface.Prompt]) -> [String] {
        guard !prompts.isEmpty else { return ["No prompt waits for your answer."] }
        let lines = prompts.flatMap { prompt in
            let words = Answer.Word.offered(by: prompt).map(\.rawValue).joined(separator: "|")
            return PromptText(prompt: prompt, width: Terminal.width).about(id: "\(prompt.id)") + ["      [\(words)]"]
        }
        guard prompts.count == 1, let prompt = prompts.first else {
            return lines + ["To answer one, run: locationctl agent answer ID ANSWER"]
        }
        let words = Answer.Word.offered(by: prompt).map(\.rawValue).joined(separator: "|")
        return lines + ["To answer, run: locationctl agent answer \(prompt.id) \(words)"]
    }
}

struct Answer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer a prompt from a script or over ssh.",
        discussion: """
            allow   while the program is in use
            once    until it is no longer in use
            deny    no; if the prompt is about always, keep while in use
            always  at any time, if the prompt offers that
            """)

    @OptionGroup var service: ServiceOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The number of the prompt in the output of agent prompts.")
    var id: Int

    @Argument(help: "allow, once, deny or always")
    var answer: Word

    /// The possible answers on the command line.
    enum Word: String, ExpressibleByArgument, CaseIterable {
        case allow
        case once
        case deny
        case always

        /// The choice of a prompt that it stands for, if the prompt offers it.
        func choice(in prompt: AgentInterface.Prompt) -> AgentInterface.Choice? {
            let candidates: [AgentInterface.Choice] =
                switch self {
                case .allow: [.allowWhileUsing, .keepWhileUsing]
                case .once: [.allowOnce]
                case .deny: [.dontAllow, .keepWhileUsing]
                case .always: [.changeToAlways]
                }
            return candidates.first { prompt.choices.contains($0) }
        }

        static func offered(by prompt: AgentInterface.Prompt) -> [Word] {
            allCases.filter { $0.choice(in: prompt) != nil }
        }
    }

    /// The result of the command.
    private struct Result: Encodable {
        var id: Int
        var client: String
        var choice: AgentInterface.Choice
    }

    func run() async throws {
        let manager = LocationServiceManager(socketPath: service.socket)
        guard let prompt = try await manager.prompts().first(where: { $0.id == id }) else {
            throw LocationError.refused(message: "There is no prompt \(id), or it is no longer open.")
        }
        guard let choice = answer.choice(in: prompt) else {
            let offered = Word.offered(by: prompt).map(\.rawValue).joined(separator: ", ")
            throw LocationError.refused(message: "This prompt can be answered with \(offered).")
        }
        try await manager.answer(id, choice)
        try output.say(Result(id: id, client: prompt.client, choice: choice)) {
            ["\(prompt.displayName.shown(limit: 64)): \(choice.words)."]
        }
    }
}
