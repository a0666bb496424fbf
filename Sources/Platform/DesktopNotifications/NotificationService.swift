package import LinuxPlumbing
import NIOCore
import NIOPosix

/// The desktop's notification service: `org.freedesktop.Notifications` on the session's bus (Desktop Notifications
/// Specification 1.2). It may come and go, which `events` reports.
///
/// `@unchecked Sendable` because everything except `events` is used on `eventLoop` only.
package final class NotificationService: @unchecked Sendable {
    /// The events of the service. A tag is the caller's number of a notification.
    package enum Event: Hashable, Sendable {
        /// A service has started, possibly in place of another. It shows nothing yet.
        case available(NotificationCapabilities)
        /// The service has ended, and with it all notifications.
        case unavailable
        /// The service shows the notification.
        case shown(tag: Int)
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
    private static let busName = "org.freedesktop.DBus"
    /// The timeout of a call: as long as D-Bus libraries wait by default, since the call may start the service.
    private static let timeout = Duration.seconds(25)

    /// The events, for a single iteration.
    package let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let address: BusConnection.Bus
    private var poller: DescriptorPoller?
    private var bus: BusConnection?
    private var matches: [BusConnection.Slot] = []
    /// The calls that are not answered yet, by number.
    private var calls: [Int: BusConnection.Slot] = [:]
    private var lastCall = 0
    /// Announced owners of the service's name that were not handled yet; empty for none.
    private var announcedOwners: [String] = []
    /// The unique name of the service, whose signals alone count; `nil` while none runs.
    private var owner: String?
    private var capabilities: NotificationCapabilities = []
    /// The tags of open notifications, by the service's numbers.
    private var tags: [UInt32: Int] = [:]
    private var isStopping = false

    /// - Parameter bus: by default the one of the user's session.
    package init(on bus: BusConnection.Bus = .session) {
        address = bus
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Connects to the session's bus and greets the service, which may start it.
    package func start() async throws {
        try await eventLoop.submit { try self.open() }.get()
    }

    /// Shows a notification, always as a new one.
    package func show(_ notification: DesktopNotification, tag: Int) {
        eventLoop.execute { self.notify(notification, tag: tag) }
    }

    /// Closes a notification if it is still shown.
    package func close(tag: Int) {
        eventLoop.execute {
            if let number = self.tags.first(where: { $0.value == tag })?.key { self.closeNotification(number) }
        }
    }

    /// Closes all notifications and ends the events.
    package func stop() {
        eventLoop.execute {
            self.isStopping = true
            for number in self.tags.keys { self.closeNotification(number) }
            self.settle()
        }
    }

    /// Ends the events; shown notifications stay.
    package func leave() {
        eventLoop.execute { self.end() }
    }

    /// Its name on the bus; `nil` without a connection, and after the end of the event loop.
    package var uniqueName: String? {
        get async { try? await eventLoop.submit { self.bus?.uniqueName }.get() }
    }

    // MARK: Connection

    private func open() throws {
        let poller = try DescriptorPoller(eventLoop: eventLoop, name: "notifications")
        self.poller = poller
        do {
            let bus = try BusConnection(to: address, eventLoop: eventLoop, poller: poller) { [weak self] error in
                self?.continuation.yield(.ended(reason: "\(error)"))
                self?.end()
            }
            self.bus = bus
            matches = [
                try bus.handleSignals(
                    matching: "type='signal',sender='\(Self.busName)',interface='\(Self.busName)',"
                        + "member='NameOwnerChanged',arg0='\(Self.name)'"
                ) { [weak self] in self?.receiveOwner($0) },
                try bus.handleSignals(
                    matching: "type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.name)'"
                ) { [weak self] in self?.receive($0) },
            ]
            greet()
        } catch {
            end()
            throw error
        }
    }

    private func end() {
        bus?.close()
        poller?.stop()
        (bus, poller, matches, calls, announcedOwners) = (nil, nil, [], [:], [])
        continuation.finish()
    }

    // MARK: Calls

    /// Asks the service for its capabilities. The bus starts it if it can.
    private func greet() {
        tags = [:]
        call("GetCapabilities") { [self] reply in
            guard let reply, reply.errorName == nil else {
                owner = nil
                continuation.yield(.unavailable)
                return
            }
            owner = reply.sender
            capabilities = NotificationCapabilities(names: reply.readTexts() ?? [])
            continuation.yield(.available(capabilities))
        }
    }

    /// Handles the end of the service. Some services end when they show nothing; the next call starts them again, if the
    /// bus can start them.
    private func serviceEnded() {
        tags = [:]
        owner = nil
        call("ListActivatableNames", of: Self.busName, at: "/org/freedesktop/DBus") { [self] reply in
            let isActivatable = reply?.readTexts()?.contains(Self.name) ?? false
            continuation.yield(isActivatable ? .available(capabilities) : .unavailable)
        }
    }

    private func notify(_ notification: DesktopNotification, tag: Int) {
        call("Notify") {
            $0.append("locationd")
            $0.append(UInt32(0))
            $0.append("find-location-symbolic")
            $0.append(notification.summary)
            $0.append(notification.body)
            $0.appendArray(of: "s") {
                for button in notification.buttons {
                    $0.append(button.key)
                    $0.append(button.label)
                }
            }
            $0.appendArray(of: "{sv}") {
                $0.appendEntry("urgency", of: "y") { $0.append(notification.urgency.rawValue) }
            }
            // No timeout for prompts, which are closed when they need no answer; the default of the service for others.
            $0.append(notification.urgency == .critical ? 0 : Int32(-1))
        } then: { [self] reply in
            guard let reply, reply.errorName == nil else {
                let reason = reply?.errorText ?? "the session's bus has gone"
                continuation.yield(.refused(tag: tag, reason: reason))
                return
            }
            guard let number = reply.readWord() else {
                continuation.yield(.refused(tag: tag, reason: "its reply has no number"))
                return
            }
            owner = reply.sender
            tags[number] = tag
            if isStopping { closeNotification(number) }
            continuation.yield(.shown(tag: tag))
        }
    }

    private func closeNotification(_ number: UInt32) {
        tags[number] = nil
        // An error means that the user has closed it already.
        call("CloseNotification") {
            $0.append(number)
        } then: { _ in
        }
    }

    /// Calls a method, and then `handler` with the reply or error; with `nil` if there is no connection.
    private func call(
        _ member: String, of service: String = NotificationService.name, at path: String = NotificationService.path,
        write: (inout OutgoingMessage) -> Void = { _ in }, then handler: @escaping (IncomingMessage?) -> Void
    ) {
        lastCall += 1
        let number = lastCall
        // The interfaces of both services are called like the services.
        calls[number] = bus?.call(
            member, of: service, at: path, of: service, timeout: Self.timeout, write
        ) { [weak self] reply in
            self?.calls[number] = nil
            handler(reply)
            self?.settle()
        }
        if calls[number] == nil { handler(nil) }
    }

    /// Handles what has to wait for the replies to calls.
    private func settle() {
        while calls.isEmpty, !announcedOwners.isEmpty {
            let newOwner = announcedOwners.removeFirst()
            // The reply to a call that started the service has set `owner` already.
            if newOwner.isEmpty { serviceEnded() } else if newOwner != owner { greet() }
        }
        if isStopping, calls.isEmpty { end() }
    }

    // MARK: Signals

    private func receiveOwner(_ message: IncomingMessage) {
        // Only broadcasts of the bus count: the bus checks senders for match rules, and not for unicast signals.
        guard message.isFromBus, !message.isUnicast, message.readText() == Self.name, message.readText() != nil,
            let newOwner = message.readText()
        else { return }
        announcedOwners.append(newOwner)
        settle()
    }

    private func receive(_ message: IncomingMessage) {
        guard let owner, message.sender == owner, let number = message.readWord(), let tag = tags[number] else {
            return
        }
        switch message.member {
        case "ActionInvoked":
            guard let key = message.readText() else { return }
            continuation.yield(.pressed(tag: tag, key: key))
        case "NotificationClosed":
            tags[number] = nil
            continuation.yield(.closed(tag: tag))
        default: break
        }
    }
}
