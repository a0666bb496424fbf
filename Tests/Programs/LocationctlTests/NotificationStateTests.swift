import DesktopNotifications
import LocationClient
import LocationInterface
import LocationModel
import Testing
import TimeZones

@testable import locationctl

/// Prompts and what the program's user sees of them.
private func prompt(
    _ id: Int, _ name: String = "Weather", reason: String = "Shows the weather where you are.",
    kind: AgentInterface.Kind = .whenInUse,
    choices: [AgentInterface.Choice] = [.allowWhileUsing, .allowOnce, .dontAllow]
) -> AgentInterface.Prompt {
    var prompt = AgentInterface.Prompt(
        id: id, kind: kind, client: "org.example.Weather", displayName: name, processID: 7, userID: 1000,
        usageDescription: reason, choices: choices)
    prompt.executable = "/usr/bin/weather"
    return prompt
}

private let full: NotificationCapabilities = [.actions, .body, .bodyMarkup]

@Suite("Prompts as notifications", .timeLimit(.minutes(10)))
struct NotificationStateTests {
    private var state = NotificationState(makeSecret: { 35 })
    private let now = ContinuousClock.now

    /// What a prompt looks like.
    private func shown(
        _ prompt: AgentInterface.Prompt, _ capabilities: NotificationCapabilities = full
    ) -> DesktopNotification {
        PromptNotification.make(prompt, capabilities: capabilities, secret: 35)
    }

    @Test mutating func anAnswer() {
        #expect(state.receive(.available(full)) == [.register])
        #expect(state.receive(.init(prompt: prompt(1)), now: now) == [.show(shown(prompt(1)), tag: 1)])
        #expect(
            state.receive(.pressed(tag: 1, key: "allowOnce-z")) == [.close(tag: 1), .answer(prompt: 1, .allowOnce)])
        #expect(state.receive(.pressed(tag: 1, key: "allowOnce-z")) == [], "pressed twice")
        #expect(state.receive(.init(withdrawn: 1), now: now) == [])
    }

    @Test("the button for an hour decides for this client and user, closes the notification, and counts once")
    mutating func anHour() {
        _ = state.receive(.available(full))
        _ = state.receive(.init(prompt: prompt(1)), now: now)
        #expect(
            state.receive(.pressed(tag: 1, key: "allowForAnHour-z")) == [
                .close(tag: 1), .allowForAnHour(prompt: 1, client: "org.example.Weather", userID: 1000),
            ])
        #expect(state.receive(.pressed(tag: 1, key: "allowForAnHour-z")) == [])
        #expect(
            state.answerFailed(1, reason: "Disk full.")
                == [.say("Your answer was not accepted: Disk full."), .show(shown(prompt(1)), tag: 2)])
    }

    @Test("an hour is offered for the first prompt only, and by no other secret")
    mutating func noHour() {
        _ = state.receive(.available(full))
        let upgrade = prompt(1, kind: .upgrade, choices: [.keepWhileUsing, .changeToAlways])
        #expect(shown(upgrade).buttons.count == 2)
        _ = state.receive(.init(prompt: upgrade), now: now)
        #expect(state.receive(.pressed(tag: 1, key: "allowForAnHour-z")) == [])
        _ = state.receive(.init(prompt: prompt(2)), now: now)
        #expect(state.receive(.pressed(tag: 2, key: "allowForAnHour-y")) == [])
    }

    @Test("the recipients follow the reason, each quoted, and none are mentioned if the declaration states none")
    func recipients() {
        var prompt = prompt(1)
        #expect(!shown(prompt).body.contains("passes"))
        prompt.recipients = ["The office", "a\u{1B}[2J\u{201D}, \u{201C}b"]
        let lines = shown(prompt).body.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1] == "It passes your location on to “The office”, “a\u{FFFD}[2J', 'b”.")
        #expect(PromptText(prompt: prompt, width: nil).lines[3] == "  " + lines[1])
    }

    @Test(
        "a key that is unknown, or of another prompt, is not an answer",
        arguments: [
            "allowOnce", "allowOnce-", "allowOnce-y", "changeToAlways-z", "default", "",
        ])
    mutating func foreignKeys(key: String) {
        _ = state.receive(.available(full))
        _ = state.receive(.init(prompt: prompt(1)), now: now)
        #expect(state.receive(.pressed(tag: 1, key: key)) == [])
        #expect(state.receive(.pressed(tag: 2, key: "allowOnce-z")) == [])
        #expect(
            state.receive(.pressed(tag: 1, key: "dontAllow-z")) == [.close(tag: 1), .answer(prompt: 1, .dontAllow)])
    }

    @Test("each prompt has a secret of its own")
    func secrets() {
        var state = NotificationState()
        _ = state.receive(.available(full))
        let keys = (1...2).flatMap { id in
            state.receive(.init(prompt: prompt(id)), now: now).flatMap { action in
                if case .show(let notification, _) = action { notification.buttons.map(\.key) } else { [""] }
            }
        }
        #expect(Set(keys).count == 8)
    }

    @Test("a dismissed prompt is not answered, and not shown again")
    mutating func dismissed() {
        _ = state.receive(.available(full))
        _ = state.receive(.init(prompt: prompt(1)), now: now)
        #expect(state.receive(.closed(tag: 1)) == [])
        #expect(state.receive(.available(full)) == [])
        #expect(state.receive(.init(withdrawn: 1), now: now) == [])
    }

    @Test mutating func withdrawn() {
        _ = state.receive(.available(full))
        _ = state.receive(.init(prompt: prompt(1)), now: now)
        _ = state.receive(.init(prompt: prompt(2)), now: now)
        #expect(state.receive(.init(withdrawn: 1), now: now) == [.close(tag: 1)])
        #expect(state.serviceWentAway() == [.close(tag: 2)])
        #expect(state.receive(.available(full)) == [])
    }

    @Test mutating func anAnswerThatDoesNotCount() {
        _ = state.receive(.available(full))
        _ = state.receive(.init(prompt: prompt(1)), now: now)
        _ = state.receive(.pressed(tag: 1, key: "allowOnce-z"))
        #expect(
            state.answerFailed(1, reason: "Disk full.")
                == [.say("Your answer was not accepted: Disk full."), .show(shown(prompt(1)), tag: 2)])
        _ = state.receive(.init(withdrawn: 1), now: now)
        #expect(state.answerFailed(1, reason: "Gone.") == [.say("Your answer was not accepted: Gone.")])
    }

    @Test("a change of the time zone is shown, and its button sets the old zone, once")
    mutating func timeZone() throws {
        let change = TimeZoneChange(old: "Europe/Berlin", new: "Asia/Tokyo", at: Timestamp(secondsSince1970: 0))
        #expect(state.receive(change) == [])
        _ = state.receive(.available(full))
        let actions = state.receive(change)
        guard case .show(let shown, tag: 1)? = actions.first, actions.count == 1 else { throw Unexpected() }
        #expect(shown.summary == "Time zone changed to Asia/Tokyo")
        #expect(shown.body == "It was Europe/Berlin before, and follows the location of this machine.")
        #expect(shown.buttons == [.init(key: "undo-z", label: "Undo")])
        #expect(state.receive(.pressed(tag: 1, key: "undo-y")) == [])
        #expect(
            state.receive(.pressed(tag: 1, key: "undo-z")) == [.close(tag: 1), .setTimeZone("Europe/Berlin")])
        #expect(state.receive(.pressed(tag: 1, key: "undo-z")) == [])
        // Dismissed.
        _ = state.receive(change)
        _ = state.receive(.closed(tag: 2))
        #expect(state.receive(.pressed(tag: 2, key: "undo-z")) == [])
    }

    @Test("a change of the time zone without buttons names the command, and without an old zone none")
    func timeZoneWithoutButtons() {
        func body(_ old: String?) -> String {
            TimeZoneChange(old: old, new: "Asia/Tokyo", at: Timestamp(secondsSince1970: 0))
                .notification(capabilities: [.body], key: "k").body
        }
        #expect(body("Europe/Berlin").hasSuffix("To undo that, run: timedatectl set-timezone Europe/Berlin"))
        #expect(body(nil) == "")
    }

    @Test("while nothing can be shown it is not an agent")
    mutating func servicesComeAndGo() throws {
        let first = state.receive(.unavailable)
        #expect(first.count == 1)
        guard case .say(let words)? = first.first else { throw Unexpected() }
        #expect(words.contains("There is no notification service") && words.contains("locationctl agent"))
        #expect(state.receive(.available(full)) == [.register])
        _ = state.receive(.init(prompt: prompt(1)), now: now)
        #expect(state.receive(.unavailable).first == .unregister)
        // What still arrives from before is not shown.
        #expect(state.receive(.init(prompt: prompt(2)), now: now) == [])
        #expect(state.receive(.available(full)) == [.register])
        #expect(state.receive(.init(prompt: prompt(1)), now: now) == [.show(shown(prompt(1)), tag: 2)])
    }

    @Test("another service shows the prompts of the first one, a limited number of times")
    mutating func servicesThatEnd() throws {
        _ = state.receive(.available(full))
        _ = state.receive(.init(prompt: prompt(1)), now: now)
        #expect(state.receive(.available(full)) == [.show(shown(prompt(1)), tag: 2)])
        #expect(state.receive(.available(full)) == [.show(shown(prompt(1)), tag: 3)])
        guard case .say(let words)? = state.receive(.available(full)).first else { throw Unexpected() }
        #expect(words.contains("end while they show"))
        #expect(state.receive(.available(full)) == [])
    }

    @Test mutating func refused() throws {
        _ = state.receive(.available(full))
        _ = state.receive(.init(prompt: prompt(1)), now: now)
        guard case .say(let words)? = state.receive(.refused(tag: 1, reason: "too many")).first else {
            throw Unexpected()
        }
        #expect(words.contains("too many") && words.contains("locationctl agent prompts"))
        #expect(state.receive(.refused(tag: 9, reason: "")) == [])
    }

    @Test("a program in the background is mentioned once an hour")
    mutating func background() {
        let tracker = AgentInterface.Activity(client: "org.example.Tracker", displayName: "Tracker", processID: 1)
        let other = AgentInterface.Activity(client: "org.example.Tracker", displayName: "Tracker", processID: 2)
        let compass = AgentInterface.Activity(client: "org.example.Compass", displayName: "Compass", processID: 3)
        func shows(_ activities: [AgentInterface.Activity], after time: Duration) -> [String] {
            state.receive(.init(activities: activities), now: now + time).compactMap {
                if case .show(let notification, _) = $0 { notification.summary } else { nil }
            }
        }
        #expect(shows([tracker], after: .zero) == [], "there is nothing to show it with")
        _ = state.receive(.available(full))
        #expect(shows([tracker, other], after: .zero) == ["“Tracker” is using your location in the background."])
        #expect(shows([], after: .seconds(1)) == [])
        #expect(
            shows([tracker, compass], after: .seconds(2)) == [
                "“Compass” is using your location in the background."
            ])
        #expect(shows([tracker], after: .seconds(3599)) == [])
        #expect(shows([tracker], after: .seconds(3600)).count == 1)
    }
}

private struct Unexpected: Error {}

@Suite("The text of notifications", .timeLimit(.minutes(10)))
struct PromptNotificationTests {
    private func make(
        _ prompt: AgentInterface.Prompt, _ capabilities: NotificationCapabilities = full
    ) -> DesktopNotification {
        PromptNotification.make(prompt, capabilities: capabilities, secret: 0)
    }

    @Test func everyKind() {
        let first = make(prompt(1))
        #expect(first.summary == "Allow “Weather” to use your location?")
        #expect(first.body == "“Shows the weather where you are.”\n/usr/bin/weather, process 7")
        // The first three are those that GNOME Shell shows.
        #expect(
            first.buttons.map(\.label) == ["Allow While Using", "Allow for One Hour", "Don’t Allow", "Allow Once"])
        #expect(first.urgency == .critical)
        let more = make(prompt(1, kind: .upgrade, choices: [.keepWhileUsing, .changeToAlways]))
        #expect(more.summary == "Allow “Weather” to use your location even when you are not using it?")
        #expect(more.buttons.map(\.label) == ["Keep While Using", "Change to Always"])
        let exactly = make(prompt(1, kind: .temporaryFullAccuracy, choices: [.allowOnce, .dontAllow]))
        #expect(exactly.summary == "Allow “Weather” to use your precise location for now?")
        #expect(make(prompt(1, reason: "")).body.hasPrefix("It gives no reason.\n"))
    }

    @Test("without buttons it explains how to answer, without a body it is the question")
    func capabilities() {
        let silent = make(prompt(1), [.body])
        #expect(silent.buttons == [])
        #expect(silent.body.hasSuffix("\nTo answer, run in a terminal: locationctl agent prompts"))
        let bare = make(prompt(1), [.actions])
        #expect(bare.body == "")
        #expect(bare.buttons.count == 4)
        #expect(NotificationCapabilities(names: ["persistence", "body", "actions", "body-markup", "x-any"]) == full)
    }

    @Test("hostile text is shown as plain text")
    func hostileText() {
        let name = "<b>System</b>\u{202E}\u{1B}[31m\nAllow“”"
        let hostile = make(prompt(1, name, reason: "<a href=\"http://x\">Update</a> & \u{2066}go\u{0}\nAllow Once"))
        #expect(hostile.summary == "Allow “<b>System</b>\u{FFFD}\u{FFFD}[31m Allow''” to use your location?")
        let lines = hostile.body.split(separator: "\n")
        #expect(lines.count == 2, "no line but ours")
        #expect(
            lines.first
                == "“&lt;a href='http://x'&gt;Update&lt;/a&gt; &amp; \u{FFFD}go\u{FFFD} Allow Once”")
        // Where nothing is markup, nothing is escaped.
        #expect(make(prompt(1, reason: "1 < 2 & 3"), [.body]).body.hasPrefix("“1 < 2 & 3”\n"))
        let long = make(prompt(1, String(repeating: "n", count: 9999), reason: String(repeating: "r", count: 9999)))
        #expect(long.summary.count < 150 && long.body.count < 800)
    }
}
