import DesktopNotifications
import LocationInterface
import TimeZones

/// Decides which prompts and background activities are shown as notifications.
///
/// A state machine without effects: it takes events and returns actions, to be performed in their order.
struct NotificationState {
    enum Action: Hashable {
        /// Register as an agent of the location service.
        case register
        /// End the registration, so that programs do not wait for prompts that cannot be shown.
        case unregister
        case show(DesktopNotification, tag: Int)
        case close(tag: Int)
        case answer(prompt: Int, AgentInterface.Choice)
        /// Allow the client of a prompt for an hour while it is in use, which closes the prompt.
        case allowForAnHour(prompt: Int, client: String, userID: Int)
        /// Restore the reset permissions of these programs.
        case undo([AgentInterface.Reset])
        /// Set the machine's time zone again that was changed.
        case setTimeZone(String)
        /// Write a line to the standard error.
        case say(String)
    }

    /// The shortest time between two notifications about background use by one program.
    static let pauseBetweenMentions = Duration.seconds(3600)
    /// The maximum number of notifications for one prompt, for services that end while they show it.
    static let maximumShowings = 3
    static let advice =
        "To answer prompts in a terminal, run: locationctl agent; or to list them, run: locationctl agent prompts"

    private struct Open {
        let prompt: AgentInterface.Prompt
        let secret: UInt64
        /// The tag of its notification; `nil` after it was dismissed or answered.
        var tag: Int?
        var showings = 0
    }

    private let makeSecret: () -> UInt64
    /// The capabilities of the notification service; `nil` while there is none.
    private var capabilities: NotificationCapabilities?
    private var isRegistered = false
    private var lastTag = 0
    private var open: [Int: Open] = [:]
    /// The actions by which a button of an open notification undoes the reported change, with the button's key, by tag.
    private var undos: [Int: (key: String, action: Action)] = [:]
    /// The times of the last notifications about background use, by client.
    private var mentions: [String: ContinuousClock.Instant] = [:]

    /// - Parameter makeSecret: returns an unpredictable number.
    init(makeSecret: @escaping () -> UInt64 = { UInt64.random(in: .min ... .max) }) { self.makeSecret = makeSecret }

    // MARK: The notification service

    mutating func receive(_ event: NotificationService.Event) -> [Action] {
        switch event {
        case .available(let capabilities): return meet(capabilities)
        case .unavailable: return lose()
        case .pressed(let tag, let key): return press(tag, key)
        case .closed(let tag):
            undos[tag] = nil
            // Not an answer; the prompt stays open for other agents.
            if let id = prompt(tag) { open[id]?.tag = nil }
            return []
        case .refused(let tag, let reason):
            if case .undo(let resets) = undos.removeValue(forKey: tag)?.action {
                return ResetText(resets: resets).lines.map { .say($0) }
            }
            guard let id = prompt(tag) else { return [] }
            open[id]?.tag = nil
            return [.say("The notification service did not show a prompt: \(reason). \(Self.advice)")]
        case .shown, .ended: return []
        }
    }

    private mutating func meet(_ capabilities: NotificationCapabilities) -> [Action] {
        var actions: [Action] = []
        if !capabilities.contains(.actions), self.capabilities?.contains(.actions) != false {
            actions.append(.say("The notification service shows no buttons. \(Self.advice)"))
        }
        self.capabilities = capabilities
        if !isRegistered { actions.append(.register) }
        isRegistered = true
        // The new service shows none of the open prompts.
        for id in open.keys.sorted() where open[id]?.tag != nil { actions += show(id) }
        return actions
    }

    private mutating func lose() -> [Action] {
        capabilities = nil
        open = [:]
        let words = "There is no notification service in this session; waiting for one. \(Self.advice)"
        defer { isRegistered = false }
        return isRegistered ? [.unregister, .say(words)] : [.say(words)]
    }

    private mutating func press(_ tag: Int, _ key: String) -> [Action] {
        if let undo = undos[tag], undo.key == key {
            undos[tag] = nil
            return [.close(tag: tag), undo.action]
        }
        guard let id = prompt(tag), let shown = open[id],
            let answer = PromptNotification.answer(key, to: shown.prompt, secret: shown.secret)
        else { return [] }
        open[id]?.tag = nil
        return switch answer {
        case .choice(let choice): [.close(tag: tag), .answer(prompt: id, choice)]
        case .allowForAnHour:
            [
                .close(tag: tag),
                .allowForAnHour(prompt: id, client: shown.prompt.client, userID: shown.prompt.userID),
            ]
        }
    }

    private func prompt(_ tag: Int) -> Int? { open.first { $0.value.tag == tag }?.key }

    private mutating func show(_ id: Int) -> [Action] {
        guard let capabilities, var shown = open[id] else { return [] }
        guard shown.showings < Self.maximumShowings else {
            open[id]?.tag = nil
            return [.say("Notification services end while they show a prompt. \(Self.advice)")]
        }
        lastTag += 1
        shown.tag = lastTag
        shown.showings += 1
        open[id] = shown
        let notification = PromptNotification.make(shown.prompt, capabilities: capabilities, secret: shown.secret)
        return [.show(notification, tag: lastTag)]
    }

    // MARK: The location service

    mutating func receive(_ event: AgentInterface.Register.Reply, now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        if let prompt = event.prompt {
            open[prompt.id] = Open(prompt: prompt, secret: makeSecret())
            actions += show(prompt.id)
        }
        if let id = event.withdrawn, let tag = open.removeValue(forKey: id)?.tag { actions.append(.close(tag: tag)) }
        if let resets = event.resets { actions += show(resets) }
        if let activities = event.activities { actions += mention(activities, now) }
        return actions
    }

    /// Handles the end of the location service, and with it of its prompts.
    mutating func serviceWentAway() -> [Action] {
        defer { open = [:] }
        return open.values.compactMap(\.tag).sorted().map { .close(tag: $0) }
    }

    /// Handles an answer that the service refused. A prompt that is still open is shown again.
    mutating func answerFailed(_ id: Int, reason: String) -> [Action] {
        [.say("Your answer was not accepted: \(reason)")] + (open[id] == nil ? [] : show(id))
    }

    private mutating func show(_ resets: [AgentInterface.Reset]) -> [Action] {
        guard let capabilities, !resets.isEmpty else { return [] }
        let key = makeUndo(.undo(resets))
        return [
            .show(ResetText(resets: resets).notification(capabilities: capabilities, key: key), tag: lastTag)
        ]
    }

    /// Begins a notification with a new tag. Returns the key of its button for `action`.
    private mutating func makeUndo(_ action: Action?) -> String {
        lastTag += 1
        let key = "undo-\(String(makeSecret(), radix: 36))"
        if let action { undos[lastTag] = (key, action) }
        return key
    }

    // MARK: The time zone

    /// Shows that the machine's time zone followed its location.
    mutating func receive(_ change: TimeZoneChange) -> [Action] {
        guard let capabilities else { return [] }
        let key = makeUndo(change.old.map { .setTimeZone($0) })
        return [.show(change.notification(capabilities: capabilities, key: key), tag: lastTag)]
    }

    private mutating func mention(
        _ activities: [AgentInterface.Activity], _ now: ContinuousClock.Instant
    ) -> [Action] {
        guard let capabilities else { return [] }
        mentions = mentions.filter { $0.value.duration(to: now) < Self.pauseBetweenMentions }
        return activities.compactMap { activity in
            guard mentions.updateValue(mentions[activity.client] ?? now, forKey: activity.client) == nil else {
                return nil
            }
            lastTag += 1
            return .show(PromptNotification.make(activity, capabilities: capabilities), tag: lastTag)
        }
    }
}
