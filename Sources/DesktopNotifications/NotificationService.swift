import Dispatch

/// The desktop's notification service, `org.freedesktop.Notifications` on the session's bus, as the Desktop Notifications
/// Specification 1.2 has it. It may come and go; `events` says so.
///
/// `@unchecked Sendable`: everything but `events` is used on `queue` only.
package final class NotificationService: @unchecked Sendable {
    /// The events of the service. A tag is the number that the caller gave a notification.
    package enum Event: Hashable, Sendable {
        /// A service is there, or another one than before: it shows nothing yet.
        case available(NotificationCapabilities)
        /// There is none, and nothing is shown any more.
        case unavailable
        /// The user pressed a button.
        case pressed(tag: Int, key: String)
        /// It is not shown any more; the user may have dismissed it.
        case closed(tag: Int)
        /// The service did not show it.
        case refused(tag: Int, reason: String)
        /// The session's bus has gone, and with it this object's use. The last event.
        case ended(reason: String)
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// To be iterated once.
    package let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let queue = DispatchQueue(label: "notifications")
    private var bus: SessionBus?
    /// The unique name of the service: signals of others are not believed. `nil` while none runs.
    private var owner: String?
    private var capabilities: NotificationCapabilities = []
    /// The notifications by the service's numbers.
    private var tags: [UInt32: Int] = [:]

    package init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Connects to the session's bus and looks for the service, which that may start.
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

    /// Shows a notification. A tag that was used before replaces nothing.
    package func show(_ notification: DesktopNotification, tag: Int) {
        queue.async { self.notify(notification, tag: tag) }
    }

    /// Takes a notification away, if it is still shown.
    package func close(tag: Int) {
        queue.async {
            if let number = self.tags.first(where: { $0.value == tag })?.key { self.takeAway(number) }
        }
    }

    /// Takes every notification away and ends the events.
    package func stop() {
        queue.async {
            for number in self.tags.keys { self.takeAway(number) }
            self.bus = nil
            self.continuation.finish()
        }
    }

    // MARK: Calling

    /// Asks the service what it can do; that starts one that is not there but can be started.
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

    /// The service has ended. Some do when they show nothing, and the next call starts them again.
    private func miss() {
        tags = [:]
        owner = nil
        continuation.yield(isActivatable ? .available(capabilities) : .unavailable)
    }

    private var isActivatable: Bool {
        // A bus that does not answer starts nothing, either.
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
                // No time-out for prompts, which are withdrawn when they need no answer; the desktop's own for the rest.
                message.number(notification.urgency == .critical ? 0 : Int32(-1))
            }
            guard let number = reply.number() else {
                continuation.yield(.refused(tag: tag, reason: "it gave the notification no number"))
                return
            }
            owner = reply.sender
            tags[number] = tag
        } catch {
            continuation.yield(.refused(tag: tag, reason: "\(error)"))
        }
    }

    private func takeAway(_ number: UInt32) {
        tags[number] = nil
        // It fails when the user was quicker, and then there is nothing to do.
        _ = try? call("CloseNotification") { $0.number(number) }
    }

    private func call(_ member: String, write: (BusWriter) -> Void = { _ in }) throws(BusError) -> BusMessage {
        guard let bus else { throw BusError(description: "the session's bus has gone") }
        return try bus.call(member, of: Self.name, at: Self.path, of: Self.name, write: write)
    }

    // MARK: Hearing

    private func receive(_ message: BusMessage) {
        if message.interface == "org.freedesktop.DBus" {
            // From the bus itself, to everybody: another could send it to this connection alone.
            guard message.sender == "org.freedesktop.DBus", !message.isUnicast, message.string() == Self.name,
                message.string() != nil, let newOwner = message.string()
            else { return }
            if newOwner.isEmpty {
                miss()
            } else if newOwner != owner {
                // Not by a call of ours, whose answer would have told.
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
