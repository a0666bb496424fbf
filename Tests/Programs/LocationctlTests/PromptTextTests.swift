import DesktopNotifications
import Localization
import LocationInterface
import LocationModel
import Testing

@testable import locationctl

@Suite("Prompts in the user's language")
struct PromptTextTests {
    private let german = Catalogue(.german)
    private var prompt: AgentInterface.Prompt {
        var prompt = AgentInterface.Prompt(
            id: 1, kind: .whenInUse, client: "org.example.Weather", displayName: "Weather", processID: 7, userID: 1000,
            usageDescription: "Shows the weather.", choices: [.allowWhileUsing, .allowOnce, .dontAllow])
        prompt.executable = "/usr/bin/weather"
        prompt.recipients = ["The office"]
        prompt.session = "2"
        return prompt
    }

    @Test("a prompt in the terminal is in German, and the program's own text stays as it is")
    func terminal() {
        let lines = PromptText(prompt: prompt, width: nil, catalogue: german).lines
        #expect(lines[1] == "Darf “Weather” Ihren Standort verwenden?")
        #expect(lines[2] == "  “Shows the weather.”")
        #expect(lines[3] == "  Es gibt Ihren Standort weiter an “The office”.")
        #expect(lines[4] == "  org.example.Weather: Prozess 7, /usr/bin/weather")
        #expect(lines[5].hasPrefix("  Benutzer ") && lines[5].hasSuffix(", Sitzung 2"))
        #expect(
            lines[6...] == [
                "  1  Beim Verwenden erlauben", "  2  Einmal erlauben", "  3  Nicht erlauben", "Ihre Wahl, 1 bis 3:",
            ])
    }

    @Test("a name that looks like a place for a value is a name")
    func name() {
        var prompt = prompt
        prompt.displayName = "{count} {name}"
        #expect(
            PromptText(prompt: prompt, width: nil, catalogue: german).lines[1]
                == "Darf “{count} {name}” Ihren Standort verwenden?")
    }

    @Test("a notification has its buttons and advice in German")
    func notification() {
        let made = PromptNotification.make(
            prompt, capabilities: [.actions, .body], secret: 35, catalogue: german)
        #expect(made.summary == "Darf “Weather” Ihren Standort verwenden?")
        #expect(
            made.buttons.map(\.label)
                == ["Beim Verwenden erlauben", "Eine Stunde erlauben", "Nicht erlauben", "Einmal erlauben"])
        #expect(made.buttons.map(\.key) == ["allowWhileUsing-z", "allowForAnHour-z", "dontAllow-z", "allowOnce-z"])
        #expect(made.body.contains("/usr/bin/weather, Prozess 7"))
        let plain = PromptNotification.make(prompt, capabilities: [.body], secret: 35, catalogue: german)
        #expect(plain.body.contains("Um zu antworten, führen Sie in einem Terminal aus: locationctl agent prompts"))
    }

    @Test("a notification about background use is in German")
    func activity() {
        let activity = AgentInterface.Activity(client: "org.example.Weather", displayName: "Weather", processID: 7)
        let made = PromptNotification.make(activity, capabilities: [.body], catalogue: german)
        #expect(made.summary == "“Weather” verwendet Ihren Standort im Hintergrund.")
        #expect(made.body == "Um das zu beenden, führen Sie aus: locationctl deny org.example.Weather")
    }
}
