import Dispatch

/// The desktop's notification service: `org.freedesktop.Notifications` on the session's bus (Desktop Notifications
/// Specification 1.2). It may come and go, which `events` reports.
///
/// `@unchecked Sendable` because everything except `events` is used on `queue` only.
package final class NotificationService: @unchecked Sendable {
    /// The events of the service. A tag is the caller's number of a notification.
    package enum Event: Hashable, Sendable {
        /// A service has started, possibly in place of another. It shows nothing yet.
        case available(NotificationCapabilities)
        /// The service has ended, and with it all notifications.
        case unavailable
        /// The user pressed a button.
        case pressed(tag: Int, key: String)
        /// The notification was closed, perhaps dismissed by the user.
        case closed(tag: Int)
        /// The service refused to show the notification.
        case refused(tag: Int, reason: String)
        /// The connection to the session's bus is lost. The last event.
        case ended(reason: String)
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// The events, for a single iteration.
    package let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let queue = DispatchQueue(label: "notifications")
    private var bus: SessionBus?
    /// The unique name of the service, whose signals alone count; `nil` while none runs.
    private var owner: String?
    private var capabilities: NotificationCapabilities = []
    /// The tags of open notifications, by the service's numbers.
    private var tags: [UInt32: Int] = [:]

    package init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Connects to the session's bus and greets the service, which may start it.
    package func start() throws(BusError) {
        let rules = [
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
                + "arg0='\(Self.name)'",
            "type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.name)'",
        ]
        let bus = try SessionBus(queue: queue, matching: rules) { [weak self] message in
            self?.receive(message)
        } onEnd: { [weak self] error in
            self?.end(error)
        }
        queue.async {
            self.bus = bus
            bus.start()
            self.greet()
        }
    }

    /// Shows a notification, always as a new one.
    package func show(_ notification: DesktopNotification, tag: Int) {
        queue.async { self.notify(notification, tag: tag) }
    }

    /// Closes a notification if it is still shown.
    package func close(tag: Int) {
        queue.async {
            if let number = self.tags.first(where: { $0.value == tag })?.key { self.closeNotification(number) }
        }
    }

    /// Closes all notifications and ends the events.
    package func stop() {
        queue.async {
            for number in self.tags.keys { self.closeNotification(number) }
            self.bus = nil
            self.continuation.finish()
        }
    }

    // MARK: Calls

    /// Asks the service for its capabilities. The bus starts it if it can.
    private func greet() {
        tags = [:]
        do throws(BusError) {
            let reply = try call("GetCapabilities")
            owner = reply.sender
            capabilities = NotificationCapabilities(names: reply.strings() ?? [])
            continuation.yield(.available(capabilities))
        } catch {
            owner = nil
            continuation.yield(.unavailable)
        }
    }

    /// Handles the end of the service. Some services end when they show nothing; the next call starts them again.
    private func serviceEnded() {
        tags = [:]
        owner = nil
        continuation.yield(isActivatable ? .available(capabilities) : .unavailable)
    }

    private var isActivatable: Bool {
        // A bus that does not answer cannot start it either.
        let reply = try? bus?.call(
            "ListActivatableNames", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", of: "org.freedesktop.DBus")
        return reply?.strings()?.contains(Self.name) ?? false
    }

    private func notify(_ notification: DesktopNotification, tag: Int) {
        do throws(BusError) {
            let reply = try call("Notify") { message in
                message.string("locationd")
                message.number(UInt32(0))
                message.string("find-location-symbolic")
                message.string(notification.summary)
                message.string(notification.body)
                message.array(of: "s") {
                    for button in notification.buttons {
                        message.string(button.key)
                        message.string(button.label)
                    }
                }
                message.array(of: "{sv}") {
                    message.entry("urgency", "y") { message.byte(notification.urgency.rawValue) }
                }
                // No timeout for prompts, which are closed when they need no answer; the default of the service for others.
                message.number(notification.urgency == .critical ? 0 : Int32(-1))
            }
            guard let number = reply.number() else {
                continuation.yield(.refused(tag: tag, reason: "its reply has no number"))
                return
            }
            owner = reply.sender
            tags[number] = tag
        } catch {
            continuation.yield(.refused(tag: tag, reason: "\(error)"))
        }
    }

    private func closeNotification(_ number: UInt32) {
        tags[number] = nil
        // An error means that the user has closed it already.
        _ = try? call("CloseNotification") { $0.number(number) }
    }

    private func call(_ member: String, write: (BusWriter) -> Void = { _ in }) throws(BusError) -> BusMessage {
        guard let bus else { throw BusError(description: "the session's bus has gone") }
        return try bus.call(member, of: Self.name, at: Self.path, of: Self.name, write: write)
    }

    // MARK: Signals

    private func receive(_ message: BusMessage) {
        if message.interface == "org.freedesktop.DBus" {
            // Only broadcasts of the bus count: the bus checks senders for match rules, and not for unicast signals.
            guard message.sender == "org.freedesktop.DBus", !message.isUnicast, message.string() == Self.name,
                message.string() != nil, let newOwner = message.string()
            else { return }
            if newOwner.isEmpty {
                serviceEnded()
            } else if newOwner != owner {
                // The reply to a call that started the service has set `owner` already.
                greet()
            }
            return
        }
        guard let owner, message.sender == owner, let number = message.number(), let tag = tags[number] else { return }
        switch message.member {
        case "ActionInvoked":
            guard let key = message.string() else { return }
            continuation.yield(.pressed(tag: tag, key: key))
        case "NotificationClosed":
            tags[number] = nil
            continuation.yield(.closed(tag: tag))
        default: break
        }
    }

    private func end(_ error: BusError) {
        bus = nil
        continuation.yield(.ended(reason: "\(error)"))
        continuation.finish()
    }
}
