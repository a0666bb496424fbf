package import LinuxPlumbing
import NIOCore
import NIOPosix

/// An item in the desktop's panel: `org.kde.StatusNotifierItem` with a `com.canonical.dbusmenu`, on the session's bus.
///
/// It is connected to the bus only while it is shown: a panel removes an item when its connection ends, which all panels handle alike,
/// and nothing runs while there is none. The panel's watcher may start late, and again. Of several processes that show an item, one
/// does, by a name on the bus; the next one follows when it ends.
///
/// Changes are sent to those that have read the item, and to nobody else on the bus.
///
/// `@unchecked Sendable` because everything except `events` is used on `eventLoop` only.
package final class StatusNotifier: @unchecked Sendable {
    package enum Event: Hashable, Sendable {
        /// The user chose an entry of the menu that is shown now.
        case chosen(entry: Int32)
        /// A panel has accepted the item.
        case registered
        /// The session has no bus, or its connection is lost. It is connected to with the next change of the item.
        case failed(reason: String)
    }

    /// The name that one process has.
    private static let name = "org.locationd.Indicator"
    private static let watcher = "org.kde.StatusNotifierWatcher"
    private static let watcherPath = "/StatusNotifierWatcher"
    private static let busName = "org.freedesktop.DBus"
    /// The largest number of readers that are notified of changes.
    private static let readersLimit = 64

    /// The events, for a single iteration.
    package let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let address: BusConnection.Bus
    private var poller: DescriptorPoller?
    private var bus: BusConnection?
    private var matches: [BusConnection.Slot] = []
    private var registration: BusConnection.Slot?
    private var item: StatusItem?
    /// The number of the menu's changes.
    private var revision: UInt32 = 1
    /// True if this process has the name.
    private var isFirst = false
    /// The connections that have read the item.
    private var readers: Set<String> = []

    /// - Parameter bus: by default the one of the user's session.
    package init(on bus: BusConnection.Bus = .session) {
        address = bus
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Shows an item, in place of the one before; `nil` for none.
    package func show(_ item: StatusItem?) { eventLoop.execute { self.set(item) } }

    /// Removes the item and ends the events.
    package func stop() {
        eventLoop.execute {
            self.set(nil)
            self.continuation.finish()
        }
    }

    private func set(_ new: StatusItem?) {
        guard new != item else { return }
        let old = item
        item = new
        guard let new else { return close() }
        guard bus != nil else { return open() }
        if old?.menu != new.menu {
            revision += 1
            tellReaders("LayoutUpdated", of: ItemInterface.menu, at: ItemInterface.menuPath) { [revision] in
                $0.append(revision)
                $0.append(Int32(0))
            }
        }
        if old?.title != new.title { tellReaders("NewTitle") }
        if old?.title != new.title || old?.details != new.details { tellReaders("NewToolTip") }
    }

    private func tellReaders(
        _ member: String, of interface: String = ItemInterface.item, at path: String = ItemInterface.itemPath,
        _ write: (inout OutgoingMessage) -> Void = { _ in }
    ) {
        for reader in readers { bus?.signal(member, of: interface, at: path, to: reader, write) }
    }

    // MARK: Connection

    private func open() {
        do {
            let poller = try DescriptorPoller(eventLoop: eventLoop, name: "indicator")
            self.poller = poller
            let bus = try BusConnection(to: address, eventLoop: eventLoop, poller: poller) { [weak self] error in
                self?.fail("\(error)")
            }
            self.bus = bus
            for path in [ItemInterface.itemPath, ItemInterface.menuPath] {
                try bus.handleCalls(below: path) { [weak self] in self?.answer($0) }
            }
            matches = [
                try bus.handleSignals(
                    matching: "type='signal',sender='\(Self.busName)',interface='\(Self.busName)',"
                        + "member='NameOwnerChanged',arg0='\(Self.watcher)'"
                ) { [weak self] in self?.receiveWatcher($0) },
                try bus.handleSignals(
                    matching: "type='signal',sender='\(Self.busName)',interface='\(Self.busName)',"
                        + "member='NameAcquired',arg0='\(Self.name)'"
                ) { [weak self] in self?.receiveName($0) },
            ]
            try bus.requestName(Self.name) { [weak self] reply in
                // 1 for the owner of the name, 2 for one in the queue. Without an answer it is shown: two are better than none.
                if reply.errorName != nil || reply.readWord() != 2 { self?.becomeFirst() }
            }
        } catch {
            fail("\(error)")
        }
    }

    private func fail(_ reason: String) {
        close()
        continuation.yield(.failed(reason: reason))
        // What is shown next is a change, and connects again.
        item = nil
    }

    private func close() {
        bus?.close()
        poller?.stop()
        (bus, poller, matches, registration, readers, isFirst) = (nil, nil, [], nil, [], false)
    }

    private func receiveName(_ message: IncomingMessage) {
        if message.isFromBus, message.readText() == Self.name { becomeFirst() }
    }

    private func becomeFirst() {
        guard !isFirst else { return }
        isFirst = true
        register()
    }

    private func receiveWatcher(_ message: IncomingMessage) {
        guard message.isFromBus, message.readText() == Self.watcher, message.readText() != nil,
            let owner = message.readText(), !owner.isEmpty
        else { return }
        if isFirst { register() }
    }

    /// Announces the item to the panel's watcher. Without one that waits for the next watcher.
    private func register() {
        registration = bus?.call(
            "RegisterStatusNotifierItem", of: Self.watcher, at: Self.watcherPath, of: Self.watcher,
            timeout: .seconds(25)
        ) {
            $0.append(ItemInterface.itemPath)
        } handler: { [weak self] reply in
            if reply.errorName == nil { self?.continuation.yield(.registered) }
        }
    }
}

// MARK: Calls

extension StatusNotifier {
    private func answer(_ call: IncomingMessage) {
        guard let bus, let item, call.isCall else { return }
        if readers.count < Self.readersLimit { readers.insert(call.sender) }
        let pointer = call.pointer
        func refuse(_ name: String, _ text: String) {
            bus.fail(pointer, name: "org.freedesktop.DBus.Error.\(name)", message: text)
        }
        let isMenu = call.path == ItemInterface.menuPath
        guard isMenu || call.path == ItemInterface.itemPath else {
            return refuse("UnknownObject", "There is no such object.")
        }
        guard let arguments = call.readArguments(limit: 1 << 16) else {
            return refuse("LimitsExceeded", "The call is too large.")
        }
        switch (call.interface ?? "", call.member) {
        case (ItemInterface.introspection, "Introspect"):
            bus.reply(to: pointer) { $0.append(ItemInterface.text(of: call.path)) }
        case (ItemInterface.properties, "GetAll"):
            bus.reply(to: pointer) { $0.append(isMenu ? StatusItem.menuProperties : item.properties) }
        case (ItemInterface.properties, "Get"):
            let name = arguments.count == 2 ? arguments[1].text : nil
            let properties = isMenu ? StatusItem.menuProperties : item.properties
            guard let property = properties.first(where: { $0.name == name }) else {
                return refuse("UnknownProperty", "There is no such property.")
            }
            bus.reply(to: pointer) { $0.appendVariant(property.value) }
        case (ItemInterface.properties, "Set"): refuse("PropertyReadOnly", "The properties cannot be set.")
        case (ItemInterface.item, _) where !isMenu, ("", _) where !isMenu:
            // What a click does is the menu's matter, which panels show by themselves.
            guard
                ["ContextMenu", "Activate", "SecondaryActivate", "Scroll", "ProvideXdgActivationToken"]
                    .contains(call.member)
            else { return refuse("UnknownMethod", "There is no such method.") }
            bus.reply(to: pointer)
        case (ItemInterface.menu, _) where isMenu, ("", _) where isMenu:
            answerMenu(call.member, arguments, pointer, item)
        default: refuse("UnknownInterface", "There is no such interface.")
        }
    }

    private func answerMenu(
        _ member: String, _ arguments: [BusArgument], _ call: OpaquePointer, _ item: StatusItem
    ) {
        guard let bus else { return }
        func entry(_ argument: BusArgument?) -> StatusItem.Entry? {
            item.menu.first { argument?.integer == Int($0.id) }
        }
        func refuse() {
            bus.fail(call, name: "org.freedesktop.DBus.Error.InvalidArgs", message: "There is no such entry.")
        }
        switch member {
        case "GetLayout":
            let (parent, depth) = (arguments.first?.integer, arguments.dropFirst().first?.integer)
            if parent == 0 {
                bus.reply(to: call) { [revision] in
                    $0.append(revision)
                    $0.appendLayout(of: 0, StatusItem.rootProperties, below: depth == 0 ? [] : item.menu)
                }
            } else if let entry = entry(arguments.first) {
                bus.reply(to: call) { [revision] in
                    $0.append(revision)
                    $0.appendLayout(of: entry.id, entry.properties)
                }
            } else {
                refuse()
            }
        case "GetGroupProperties":
            let ids = Set((arguments.first?.list ?? []).compactMap(\.integer))
            // None are all.
            let entries = ids.isEmpty ? item.menu : item.menu.filter { ids.contains(Int($0.id)) }
            bus.reply(to: call) {
                $0.appendArray(of: "(ia{sv})") { message in
                    for entry in entries {
                        message.appendStructure(of: "ia{sv}") {
                            $0.append(entry.id)
                            $0.append(entry.properties)
                        }
                    }
                }
            }
        case "GetProperty":
            let properties =
                arguments.first?.integer == 0 ? StatusItem.rootProperties : entry(arguments.first)?.properties ?? []
            guard let property = properties.first(where: { $0.name == arguments.dropFirst().first?.text }) else {
                return refuse()
            }
            bus.reply(to: call) { $0.appendVariant(property.value) }
        case "Event":
            bus.reply(to: call)
            receiveEvent(arguments, item)
        case "EventGroup":
            let events = (arguments.first?.list ?? []).compactMap(\.list)
            bus.reply(to: call) { message in
                message.appendArray(of: "i") {
                    for case let id? in events.map({ $0.first?.integer })
                    where id != 0 && !item.menu.contains(where: { Int($0.id) == id }) {
                        $0.append(Int32(truncatingIfNeeded: id))
                    }
                }
            }
            for event in events { receiveEvent(event, item) }
        case "AboutToShow": bus.reply(to: call) { $0.append(false) }
        case "AboutToShowGroup":
            bus.reply(to: call) {
                $0.appendArray(of: "i")
                $0.appendArray(of: "i")
            }
        default:
            bus.fail(call, name: "org.freedesktop.DBus.Error.UnknownMethod", message: "There is no such method.")
        }
    }

    /// Handles an event of an entry: its id, the event, a value and the time.
    private func receiveEvent(_ event: [BusArgument], _ item: StatusItem) {
        guard event.count >= 2, event[1].text == "clicked",
            let entry = item.menu.first(where: { event[0].integer == Int($0.id) }), entry.isEnabled
        else { return }
        continuation.yield(.chosen(entry: entry.id))
    }
}
