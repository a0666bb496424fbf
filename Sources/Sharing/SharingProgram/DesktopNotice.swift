import DesktopNotifications
import LinuxPlumbing

/// A notification of the user's desktop that stays when the program ends.
package struct DesktopNotice: Sendable {
    /// One line of plain text.
    package var summary: String
    /// Plain text.
    package var body: String

    package init(summary: String, body: String) { (self.summary, self.body) = (summary, body) }

    /// Shows it. Returns the reason if it is not shown, a sentence; `nil` if it is.
    package func show() async -> String? {
        let service = NotificationService()
        do {
            try await service.start()
        } catch {
            return "There is no session bus to show notifications on (\(error))."
        }
        defer { service.leave() }
        for await event in service.events {
            switch event {
            case .available(let capabilities):
                let line = capabilities.contains(.body) ? summary : "\(summary) \(body)"
                service.show(
                    DesktopNotification(summary: line, body: capabilities.body([body]), urgency: .critical), tag: 1)
            case .shown: return nil
            case .refused(_, let reason): return "The notification service did not show it: \(reason)"
            case .unavailable: return "There is no notification service in this session."
            case .ended(let reason): return "The session's bus has ended: \(reason)"
            case .pressed, .closed: continue
            }
        }
        return "The session's bus has ended."
    }
}
