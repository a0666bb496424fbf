import ArgumentParser
import LocationClient
import LocationInterface

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say why a client, or a running process, may or may not know where you are.",
        discussion: "Every rule that was looked at, in order; the one that decided is marked with an arrow.")

    @OptionGroup var service: ServiceOptions
    @OptionGroup var whose: UserOptions

    @Argument(help: ArgumentHelp("A client's identifier, or the number of a process.", valueName: "client|pid"))
    var what: String

    @Option(help: ArgumentHelp("How to print it: text or json.", valueName: "format"))
    var format = PlainFormat.text

    func run() async throws {
        try await reportingErrors {
            let manager = LocationServiceManager(socketPath: service.socket)
            let answer =
                if let process = Int(what) {
                    try await manager.explain(process: process)
                } else {
                    try await manager.explain(client: what, user: whose.user?.id)
                }
            switch format {
            case .json: Terminal.say(try LocationFormat.encode(answer))
            case .text: Terminal.say(text(answer))
            }
        }
    }

    private func text(_ answer: ManagerInterface.Explain.Reply) -> String {
        var lines: [String] = []
        if let client = answer.client, let status = answer.status, let accuracy = answer.accuracy {
            lines.append(
                "\(client) may know where you are: \(status.words), \(accuracy == .full ? "exactly" : "roughly").")
        }
        for step in answer.steps {
            let place = [step.file, step.keyPath].compactMap { $0 }.joined(separator: ": ")
            lines.append(
                "\(step.isDecisive ? "→" : " ") \(step.rule) \(step.found)\(place.isEmpty ? "" : "  [\(place)]")")
        }
        return lines.joined(separator: "\n")
    }
}
