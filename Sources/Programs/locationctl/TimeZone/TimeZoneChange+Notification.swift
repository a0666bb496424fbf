import DesktopNotifications
import FoundationEssentials
import Localization
import POSIXSupport
import TimeZones

extension TimeZoneChange {
    /// The change that the follower made last, or is about to make; `nil` if there is none since the machine has started.
    static var latest: TimeZoneChange? {
        guard let content = try? SmallFile.read(file, limit: 4096),
            let change = try? JSONDecoder().decode(TimeZoneChange.self, from: Data(content)), change.isSound
        else { return nil }
        return change
    }

    /// The notification about it, with a button for the old zone.
    func notification(
        capabilities: NotificationCapabilities, key: String, catalogue: Catalogue = .current
    ) -> DesktopNotification {
        let hasButtons = capabilities.contains(.actions)
        var lines: [String] = []
        if let old {
            lines.append(
                catalogue.text("It was {zone} before, and follows the location of this machine.", ["zone": old]))
            let command = "timedatectl set-timezone \(old)"
            if !hasButtons { lines.append(catalogue.text("To undo that, run: {command}", ["command": command])) }
        }
        return DesktopNotification(
            summary: catalogue.text("Time zone changed to {zone}", ["zone": new]),
            body: capabilities.body(lines),
            buttons: hasButtons && old != nil ? [.init(key: key, label: catalogue.text("Undo"))] : [])
    }
}
