import ArgumentParser
import CommandLineSupport
import Glibc
import LocationClient
import LocationInterface
import LocationPolicy
import LocationServiceManagement

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain why a client, a program or a process is or is not allowed to use your location.",
        discussion: "Shows the rules in the order of evaluation. An arrow marks the decisive one.")

    @OptionGroup var service: ServiceOptions
    @OptionGroup var whose: UserOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: ArgumentHelp(
            "The identifier of a client, the path of a program, or the id of a process.", valueName: "client|path|pid"),
        completion: .clients)
    var what: String

    func run() async throws {
        let manager = LocationServiceManager(socketPath: service.socket)
        let answer =
            if let process = Int(what) {
                try await manager.explain(process: process)
            } else if what.contains("/") {
                try await explanation(ofProgramAt: what, manager)
            } else {
                try await manager.explain(client: what, user: whose.user?.id)
            }
        try output.say(answer) { text(answer) }
    }

    /// Returns the explanation of the program at a path. The service compares with the path that the kernel reports, which has
    /// no symbolic links. Throws ``LocationError/refused(message:)`` for an undeclared one that is absent or cannot be declared.
    private func explanation(
        ofProgramAt path: String, _ manager: LocationServiceManager
    ) async throws(LocationError) -> ManagerInterface.Explain.Reply {
        guard let resolved = Self.resolve(path) else {
            let problem = LocationError.refused(
                message: "\(path.shown(limit: 4096)): \(String(cString: strerror(errno)))")
            guard path.hasPrefix("/") else { throw problem }
            // A program that was removed, or the identifier of one whose path has special characters.
            var answer = try await manager.explain(client: path, user: whose.user?.id)
            guard answer.client != nil else { throw problem }
            answer.steps.insert(
                ManagerInterface.Step(rule: "Is the program there?", found: "there is no such file", isDecisive: false),
                at: 0)
            return answer
        }
        let identifier = UndeclaredProgram(executable: resolved).identifier
        var answer = try await manager.explain(client: identifier, user: whose.user?.id)
        guard answer.client == nil, !answer.steps.contains(where: { $0.file != nil }) else { return answer }
        try ExecutableCheck.verify(resolved)
        answer.steps.append(
            ManagerInterface.Step(
                rule: "How is it declared?",
                found:
                    "To declare it, run: sudo locationctl clients add --executable \(resolved.shellWord) --when-in-use "
                    + "'Why it uses your location.'", isDecisive: false))
        return answer
    }

    /// Returns the path without symbolic links; `nil`, with the reason in `errno`, if there is no file.
    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
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
