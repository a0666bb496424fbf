@preconcurrency import Dispatch
import Glibc
import LocationClient
import LocationInterface

/// Shows prompts in the terminal, one after another, and sends the answers.
actor PromptDesk {
    private let manager: LocationServiceManager
    private var waiting: [AgentInterface.Prompt] = []
    private var activities: [AgentInterface.Activity] = []

    init(manager: LocationServiceManager) {
        self.manager = manager
    }

    /// Shows what comes until the service ends the stream or the task is cancelled.
    func run(isFallback: Bool) async throws {
        let events = try await manager.agentEvents(isFallback: isFallback)
        try await withThrowingTaskGroup { group in
            group.addTask {
                for try await event in events { await self.receive(event) }
            }
            group.addTask {
                for await line in Keyboard.lines() { await self.receive(line) }
                // Without a keyboard nobody can answer; what is shown goes on being shown.
                while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private func receive(_ event: AgentInterface.Register.Reply) {
        if let prompt = event.prompt {
            waiting.append(prompt)
            if waiting.count == 1 { show(prompt) }
        }
        if let id = event.withdrawn, let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index)
            if index == 0 {
                Terminal.complain("This needs no answer any more.")
                showNext()
            }
        }
        if let activities = event.activities, activities != self.activities {
            let before = Set(self.activities)
            for activity in activities where !before.contains(activity) {
                Terminal.complain("\(activity.displayName) goes on knowing where you are in the background.")
            }
            for activity in self.activities where !Set(activities).contains(activity) {
                Terminal.complain("\(activity.displayName) no longer does.")
            }
            self.activities = activities
        }
    }

    private func receive(_ line: String) async {
        guard let prompt = waiting.first else { return }
        guard let number = Int(line.filter { !$0.isWhitespace }), prompt.choices.indices.contains(number - 1) else {
            Terminal.complain("Type a number from 1 to \(prompt.choices.count) and press Return.")
            return
        }
        do {
            // The service withdraws the prompt when it has the answer, here or from elsewhere; that shows the next.
            waiting.removeFirst()
            try await manager.answer(prompt.id, prompt.choices[number - 1])
        } catch {
            Terminal.complain("\(error)")
        }
        showNext()
    }

    private func showNext() {
        if let next = waiting.first { show(next) }
    }

    private func show(_ prompt: AgentInterface.Prompt) {
        Terminal.complain(PromptText.text(prompt))
    }
}

/// A prompt for people. What comes from elsewhere stands on one line each, without control characters.
enum PromptText {
    static func text(_ prompt: AgentInterface.Prompt) -> String {
        let name = oneLine(prompt.displayName)
        var lines = ["", question(prompt.kind, name), "  “\(oneLine(prompt.usageDescription))”"]
        let program = [prompt.executable, prompt.unit].compactMap { $0 }.joined(separator: ", ")
        lines.append(
            "  \(oneLine(prompt.client)): process \(prompt.processID)\(program.isEmpty ? "" : ", \(oneLine(program))")")
        let session = prompt.session.map { ", session \(oneLine($0))" } ?? ""
        lines.append("  user \(User.name(prompt.userID))\(session)")
        lines += prompt.choices.enumerated().map { "  \($0.offset + 1)  \($0.element.words)" }
        lines.append("Your choice, 1 to \(prompt.choices.count):")
        return lines.joined(separator: "\n")
    }

    private static func question(_ kind: AgentInterface.Kind, _ name: String) -> String {
        switch kind {
        case .whenInUse, .always: "May \(name) know where you are?"
        case .upgrade, .confirmAlways: "May \(name) know where you are even when you are not using it?"
        case .temporaryFullAccuracy: "May \(name) know exactly where you are, for now?"
        }
    }

    /// The text on one line, with anything harmful replaced.
    static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 }).printable
    }
}

extension PromptChoice {
    /// What the button says.
    var words: String {
        switch self {
        case .allowWhileUsing: "Allow While Using"
        case .allowOnce: "Allow Once"
        case .dontAllow: "Don’t Allow"
        case .keepWhileUsing: "Keep While Using"
        case .changeToAlways: "Change to Always"
        }
    }
}

/// What is typed, line by line.
enum Keyboard {
    /// The lines of standard input. Reading waits on a queue, so that no thread is lost to it.
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
            let buffer = LineBuffer()
            source.setEventHandler { @Sendable in
                guard let lines = buffer.read() else {
                    continuation.finish()
                    return
                }
                for line in lines { continuation.yield(line) }
            }
            continuation.onTermination = { _ in source.cancel() }
            source.resume()
        }
    }

    /// Sendable: only the event handler of the source above uses it, and that runs once at a time.
    private final class LineBuffer: @unchecked Sendable {
        private var rest: [UInt8] = []

        /// The lines that are complete now; `nil` at the end of the input.
        func read() -> [String]? {
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { return nil }
            rest += bytes[..<count]
            var lines: [String] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
            return lines
        }
    }
}
