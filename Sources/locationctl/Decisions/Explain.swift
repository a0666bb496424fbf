import CommandLineSupport
import ArgumentParser
import LocationClient
import LocationInterface

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain why a client, or a running process, is or is not allowed to use your location.",
        discussion: "Shows the rules in the order of evaluation. An arrow marks the decisive one.")

    @OptionGroup var service: ServiceOptions
    @OptionGroup var whose: UserOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: ArgumentHelp("The identifier of a client, or the id of a process.", valueName: "client|pid"),
        completion: .clients)
    var what: String

    func run() async throws {
        try await reportingErrors {
            let manager = LocationServiceManager(socketPath: service.socket)
            let answer =
                if let process = Int(what) {
                    try await manager.explain(process: process)
                } else {
                    try await manager.explain(client: what, user: whose.user?.id)
                }
            try output.say(answer) { text(answer) }
        }
    }

    private func text(_ answer: ManagerInterface.Explain.Reply) -> [String] {
        var lines: [String] = []
        if let client = answer.client, let status = answer.status, let accuracy = answer.accuracy {
            lines.append(DecisionSentence.sentence(client, status, accuracy))
        }
        for step in answer.steps {
            let place = [step.file, step.keyPath].compactMap { $0 }.joined(separator: ": ")
            let found = step.found.shown(limit: 8192) + (place.isEmpty ? "" : "  [\(place.shown(limit: 8192))]")
            lines += "\(step.isDecisive ? "→" : " ") \(step.rule.shown()) \(found)".wrapped(width: Terminal.width)
        }
        return lines
    }
}
