import CommandLineSupport
import DesktopNotifications
import Localization
import LocationInterface
import LocationModel

// Permissions that the service reset for lack of use, as text for people.

/// The command that undoes a reset.
private func command(_ client: String, isAlways: Bool) -> String {
    "locationctl allow \(isAlways ? "--always " : "")\(client.shellWord)"
}

extension AgentInterface.Reset {
    /// The command that undoes it.
    var undo: String { command(client, isAlways: wasAlways) }
}

extension ManagerInterface.Client {
    /// The sentence that its permission was reset, with the command that undoes that; `nil` if it was not.
    func resetSentence(by clock: Clock) -> String? {
        guard let resetAt, let resetStatus else { return nil }
        let undo = command(client, isAlways: resetStatus == .authorizedAlways)
        return "\(client.shown()): its permission was reset on \(clock.text(resetAt)), because it was not given your "
            + "location for a long time. To undo that, run: \(undo)"
    }
}

/// The notification about permissions that were reset.
struct ResetText {
    /// The number of programs that are named.
    private static let mostNames = 8

    let resets: [AgentInterface.Reset]
    var catalogue = Catalogue.current

    var summary: String { catalogue.text("Permissions of unused programs were reset") }

    /// The sentence that names the programs.
    var sentence: String {
        let names = resets.prefix(Self.mostNames).map { $0.displayName.quoted(limit: 64) }
        let list = names.joined(separator: ", ") + (resets.count > Self.mostNames ? ", …" : "")
        return catalogue.text(
            "Not given your location for a long time, and will ask again: {names}.", ["names": list])
    }

    /// The lines for a terminal.
    var lines: [String] {
        [summary + ".", sentence]
            + resets.prefix(Self.mostNames).map {
                catalogue.text("To undo that, run: {command}", ["command": $0.undo])
            }
    }

    func notification(capabilities: NotificationCapabilities, key: String) -> DesktopNotification {
        let hasButtons = capabilities.contains(.actions)
        return DesktopNotification(
            summary: summary, body: capabilities.body(hasButtons ? [sentence] : Array(lines.dropFirst())),
            buttons: hasButtons ? [.init(key: key, label: catalogue.text("Undo"))] : [])
    }
}
