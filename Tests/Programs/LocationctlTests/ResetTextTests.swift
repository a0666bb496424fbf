import DesktopNotifications
import Localization
import LocationInterface
import LocationModel
import Testing

@testable import locationctl

@Suite("Reset permissions in agents", .timeLimit(.minutes(10)))
struct ResetTextTests {
    private var state = NotificationState(makeSecret: { 35 })
    private let now = ContinuousClock.now

    private static func reset(
        _ client: String = "org.example.Weather", _ name: String = "Weather", wasAlways: Bool = false
    ) -> AgentInterface.Reset {
        AgentInterface.Reset(
            client: client, displayName: name, wasAlways: wasAlways, time: Timestamp(secondsSince1970: 1_800_000_000))
    }

    private static let two = [reset(), reset("/opt/my map", "Map", wasAlways: true)]

    @Test("one notification names all programs, and its button undoes all of them, once")
    mutating func undo() throws {
        _ = state.receive(.available([.actions, .body]))
        let actions = state.receive(.init(resets: Self.two), now: now)
        guard case .show(let shown, let tag)? = actions.first else {
            Issue.record("nothing is shown")
            return
        }
        #expect(actions.count == 1)
        #expect(shown.body.contains("“Weather”, “Map”"), "\(shown.body)")
        #expect(shown.buttons.map(\.key) == ["undo-z"])
        #expect(state.receive(.pressed(tag: tag, key: "undo-y")) == [])
        #expect(state.receive(.pressed(tag: tag, key: "undo-z")) == [.close(tag: tag), .undo(Self.two)])
        #expect(state.receive(.pressed(tag: tag, key: "undo-z")) == [])
    }

    @Test("a closed notification undoes nothing, and a refused one is printed")
    mutating func closed() {
        _ = state.receive(.available([.actions, .body]))
        _ = state.receive(.init(resets: Self.two), now: now)
        _ = state.receive(.closed(tag: 1))
        #expect(state.receive(.pressed(tag: 1, key: "undo-z")) == [])
        _ = state.receive(.init(resets: Self.two), now: now)
        #expect(state.receive(.refused(tag: 2, reason: "full")).count == 4)
    }

    @Test("without buttons, and in a terminal, the commands are named with shell quoting")
    func commands() {
        let text = ResetText(resets: Self.two)
        let commands = ["locationctl allow org.example.Weather", "locationctl allow --always '/opt/my map'"]
        #expect(text.lines.count == 4)
        let shown = text.notification(capabilities: [.body], key: "undo-z")
        #expect(shown.buttons.isEmpty)
        for command in commands {
            #expect(text.lines.contains { $0.hasSuffix(command) })
            #expect(shown.body.contains(command))
        }
    }

    @Test("markup of a program's name stays text, and of many programs the first ones are named")
    func limits() {
        let many = (1...20).map { Self.reset("org.example.A\($0)", "<b>\($0)</b>") }
        let shown = ResetText(resets: many).notification(capabilities: [.actions, .body, .bodyMarkup], key: "k")
        #expect(!shown.body.contains("<b>"))
        #expect(shown.body.contains("8") && !shown.body.contains("9") && shown.body.contains("…"))
    }

    @Test("a listed client has the sentence about a reset only if it was reset")
    func history() {
        var client = ManagerInterface.Client(
            client: "org.example.Weather", displayName: "Weather", userID: 1000, status: .notDetermined,
            accuracy: .full, isConnected: false, isInUse: false)
        #expect(client.resetSentence(by: .utc) == nil)
        client.resetAt = Timestamp(secondsSince1970: 1_800_000_000)
        client.resetStatus = .authorizedAlways
        let sentence = client.resetSentence(by: .utc)
        #expect(sentence?.contains("2027-01-15") == true, "\(sentence ?? "")")
        #expect(sentence?.hasSuffix("run: locationctl allow --always org.example.Weather") == true)
    }
}
