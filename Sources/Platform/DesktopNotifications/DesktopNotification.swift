/// A notification with buttons (Desktop Notifications Specification 1.2).
package struct DesktopNotification: Hashable, Sendable {
    /// The urgency level, with the raw values of the specification.
    package enum Urgency: UInt8, Sendable {
        case low = 0
        case normal = 1
        /// Shown until it is answered or dismissed.
        case critical = 2
    }

    package struct Button: Hashable, Sendable {
        /// Identifies the button when it is pressed.
        package var key: String
        package var label: String

        package init(key: String, label: String) { (self.key, self.label) = (key, label) }
    }

    /// One line of plain text.
    package var summary: String
    /// Markup where the service has the capability `body-markup`, else plain text.
    package var body: String
    package var buttons: [Button]
    package var urgency: Urgency

    package init(summary: String, body: String = "", buttons: [Button] = [], urgency: Urgency = .normal) {
        (self.summary, self.body, self.buttons, self.urgency) = (summary, body, buttons, urgency)
    }
}

/// A capability of a notification service, by its name in the specification.
package enum NotificationCapability: String, Sendable {
    /// Buttons.
    case actions
    /// A body below the summary.
    case body
    /// Markup in the body: plain text has to be escaped.
    case bodyMarkup = "body-markup"
}

package typealias NotificationCapabilities = Set<NotificationCapability>

extension NotificationCapabilities {
    /// Capabilities by their names. Others are ignored.
    package init(names: [String]) { self = Set(names.compactMap(NotificationCapability.init)) }

    /// Returns the body of a notification with these lines, escaped if need be; empty if the service shows none.
    package func body(_ lines: [String]) -> String {
        guard contains(.body) else { return "" }
        let text = lines.joined(separator: "\n")
        return contains(.bodyMarkup) ? text.markupEscaped : text
    }
}

extension String {
    /// The text with its markup characters escaped.
    package var markupEscaped: String {
        let escapes: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}
