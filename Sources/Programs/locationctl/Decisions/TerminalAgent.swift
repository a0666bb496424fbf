import CommandLineSupport
import Localization
import LocationInterface
import LocationServiceManagement

/// Shows prompts in the terminal, one after another, and sends the answers.
///
/// The keyboard is read only while a prompt is shown: other input is for other programs, and the kernel stops a program
/// that reads from its terminal in the background.
actor TerminalAgent {
    /// The reason why it shows no more prompts.
    enum End: Sendable {
        /// The service has ended the stream.
        case endOfEvents
        /// The input ended while a prompt was shown: Ctrl-D.
        case endOfInput
    }

    private let manager: LocationServiceManager
    private let catalogue = Catalogue.current
    private var waiting: [AgentInterface.Prompt] = []
    /// The prompt whose answer is being sent.
    private var answering: Int?
    private var activities: [AgentInterface.Activity] = []
    /// The keyboard, while a prompt is shown.
    private var keyboard: Keyboard?
    private let (inputEnds, inputEnd) = AsyncStream.makeStream(of: Void.self)

    init(manager: LocationServiceManager) {
        self.manager = manager
    }

    /// Shows prompts until the service ends the stream, the input ends or the task is cancelled.
    func run(isFallback: Bool) async throws -> End {
        defer { keyboard?.stop() }
        let inputEnds = inputEnds
        return try await withThrowingTaskGroup { group in
            group.addTask {
                for try await event in try await self.manager.agentEvents(isFallback: isFallback) {
                    await self.receive(event)
                }
                return End.endOfEvents
            }
            group.addTask {
                for await _ in inputEnds { return .endOfInput }
                return .endOfEvents
            }
            defer { group.cancelAll() }
            return try await group.next() ?? .endOfEvents
        }
    }

    private func receive(_ event: AgentInterface.Register.Reply) {
        if let prompt = event.prompt {
            waiting.append(prompt)
            if waiting.count == 1, answering == nil { showNext() }
        }
        if let id = event.withdrawn { withdraw(id) }
        if let unit = event.start { UserUnit.start(unit) }
        if let resets = event.resets, !resets.isEmpty { Terminal.complain(ResetText(resets: resets).lines) }
        if let activities = event.activities, activities != self.activities {
            let before = Set(self.activities)
            for activity in activities where !before.contains(activity) {
                Terminal.complain(activity.sentence(limit: 64, in: catalogue))
            }
            for activity in self.activities where !Set(activities).contains(activity) {
                let name = activity.displayName.quoted(limit: 64)
                Terminal.complain(
                    catalogue.text("{name} stopped using your location in the background.", ["name": name]))
            }
            self.activities = activities
        }
    }

    private func withdraw(_ id: Int) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index)
        // The withdrawal follows from its own answer, whose sender continues.
        guard index == 0, answering == nil else { return }
        Terminal.complain(catalogue.text("This prompt was withdrawn; it needs no answer."))
        showNext()
    }

    private func receive(_ line: String, from keyboard: Keyboard) async {
        // Lines that arrived together with the answer to another prompt do not answer this one.
        guard keyboard === self.keyboard, let prompt = waiting.first, answering == nil else { return }
        guard let number = Int(line.filter { !$0.isWhitespace }), prompt.choices.indices.contains(number - 1) else {
            let count = "\(prompt.choices.count)"
            Terminal.complain(catalogue.text("Type a number from 1 to {count} and press Return.", ["count": count]))
            return
        }
        answering = prompt.id
        let isStillOpen = await send(prompt.choices[number - 1], to: prompt)
        answering = nil
        // Meanwhile it may have been withdrawn, and others may have arrived.
        if !isStillOpen { waiting.removeAll { $0.id == prompt.id } }
        showNext()
    }

    /// Sends an answer. If that fails, prints the error; returns whether the prompt is still open.
    private func send(_ choice: AgentInterface.Choice, to prompt: AgentInterface.Prompt) async -> Bool {
        do {
            try await manager.answer(prompt.id, choice)
            return false
        } catch {
            Terminal.complain(
                catalogue.text("Your answer was not accepted: {reason}", ["reason": "\(error)".shown()]))
        }
        do {
            return try await manager.prompts().contains { $0.id == prompt.id }
        } catch {
            // Unknown. If the service has ended, the stream ends with an error.
            return true
        }
    }

    /// Shows the next prompt and reads the keyboard for its answer. Earlier input is discarded.
    private func showNext() {
        keyboard?.stop()
        keyboard = nil
        guard let next = waiting.first else { return }
        Terminal.discardInput()
        Terminal.complain(PromptText(prompt: next, width: Terminal.width).lines)
        let keyboard = Keyboard()
        self.keyboard = keyboard
        // A task of its own, because it ends with the prompt and not with the stream of events.
        Task {
            for await input in keyboard.inputs {
                switch input {
                case .line(let line): await self.receive(line, from: keyboard)
                case .end: self.endInput(of: keyboard)
                }
            }
        }
    }

    /// Handles the end of the input as no answer.
    private func endInput(of keyboard: Keyboard) {
        if keyboard === self.keyboard { inputEnd.yield() }
    }
}
