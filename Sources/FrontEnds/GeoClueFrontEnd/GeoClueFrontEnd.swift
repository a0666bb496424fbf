import LinuxPlumbing
package import LocationConfiguration
package import PeerIdentification
package import LocationCore
import Pacing
import NIOCore

/// The GeoClue front end: serves `org.freedesktop.GeoClue2` on the system bus for programs without support for this service,
/// under the same rules as for all others.
///
/// Every signal is unicast, since every user of the machine can read broadcasts.
///
/// `@unchecked Sendable` because it is confined to the event loop.
package final class GeoClueFrontEnd: FrontEnd, @unchecked Sendable {
    /// The delay of `PropertiesChanged` after `LocationUpdated`: enough for 50 programs to read the location.
    private static let locationPause = TimeAmount.milliseconds(10)

    /// The time for reads that are under way when the service ends.
    private static let lastReads = TimeAmount.milliseconds(30)

    let core: Core
    let identifier: PeerIdentifier
    let applications = InstalledApplications()
    /// True if it serves unless the configuration disables it.
    private let isEnabledByDefault: () -> Bool
    /// The connection to the bus and the name there.
    private var presence: BusPresence?

    /// The connections of programs, by their unique names.
    var peers: [String: GeoCluePeer] = [:]
    /// The connections that are open although their process has exited: a child has inherited them. They are not identified
    /// again, because another program may have the process id by then.
    var orphans: Set<String> = []
    /// The users of identified peers.
    var users: [UInt32: GeoClueUser] = [:]
    /// All client objects, by number.
    var clients: [UInt64: GeoClueClient] = [:]
    /// The number of the newest client object. Numbers start at the milliseconds since boot, so that they are never used
    /// again: a program may still read a location of an earlier run of the daemon.
    var lastNumber = NIODeadline.now().uptimeNanoseconds / 1_000_000
    /// The available accuracy level that peers know.
    private var sentLevel = AccuracyLevel.exact
    /// Limits the log lines about refused peers.
    var refusals = RateLimit(rate: 1, burst: 10)
    /// Returns memory after crowds of client objects.
    let memory: HeapTrimmer
    /// Watches for the disconnection of peers, while there are any.
    private var endWatch: BusConnection.Slot?
    /// Watches for changed settings of agents, from the first agent to the last peer.
    private var settingsWatch: BusConnection.Slot?
    /// The client objects whose property `Location` has changed without a `PropertiesChanged` yet.
    private var changedLocations: Set<UInt64> = []

    package init(core: Core, identifier: PeerIdentifier, isEnabledByDefault: @escaping () -> Bool) {
        self.core = core
        self.identifier = identifier
        self.isEnabledByDefault = isEnabledByDefault
        memory = HeapTrimmer(eventLoop: core.eventLoop)
    }

    /// The connection to the bus; `nil` while there is none.
    var bus: BusConnection? { presence?.bus }
    var poller: DescriptorPoller? { presence?.poller }
    package var status: FrontEndStatus? { presence?.status }

    /// Serves where the configuration says so. Requests the name again if the bus has refused it, since the configuration of
    /// the bus may have changed.
    package func apply(_ configuration: Configuration) {
        let configured = configuration.daemon.geoClue
        let new = configured.isEnabled ?? isEnabledByDefault() ? configured : nil
        if let presence, presence.settings == new { return presence.requestRefusedName() }
        if presence != nil { close() }
        guard let new else { return }
        let presence = BusPresence(new, of: self)
        self.presence = presence
        core.watchAvailability(true)
        presence.open()
    }

    /// True if no program is connected.
    package var isUnused: Bool { peers.isEmpty }

    /// Stops serving. Programs that are reading a location get it first: most take an error for 0° N 0° E.
    package func close() {
        if users.values.contains(where: \.isInUse) { bus?.drain(for: Self.lastReads) }
        forgetPeers()
        if presence != nil { core.watchAvailability(false) }
        presence?.close()
        presence = nil
        memory.cancel()
    }

    /// Forgets all peers, which are lost with the bus.
    func forgetPeers() {
        for peer in peers.values { forget(peer) }
        (endWatch, settingsWatch, changedLocations, orphans) = (nil, nil, [], [])
    }
}

// MARK: Watching peers

extension GeoClueFrontEnd {
    /// Starts to watch for the disconnection of peers. One match rule serves all of them, because the bus limits the
    /// number of rules of a connection.
    func watchEnds() throws(SystemdError) {
        guard endWatch == nil else { return }
        let rule =
            "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
            + "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''"
        endWatch = try bus?.handleSignals(matching: rule) { [weak self] message in
            guard let self, message.isFromBus, case .text(let name)? = message.read(BusType.string) else { return }
            if let peer = peers[name] { forget(peer) }
            if orphans.remove(name) != nil { endWatchesIfUnused() }
        }
    }

    /// Starts to watch for changed settings of agents.
    func watchSettings() throws(SystemdError) {
        guard settingsWatch == nil else { return }
        let rule =
            "type='signal',path='\(Interface.agentPath)',interface='\(Interface.properties.rawValue)',"
            + "member='PropertiesChanged'"
        settingsWatch = try bus?.handleSignals(matching: rule) { [weak self] message in
            self?.peers[message.sender]?.agent?.readLevel()
        }
    }

    /// Ends the watches with the last peer, so that an unused frontEnd does not wake up.
    func endWatchesIfUnused() {
        if peers.isEmpty, orphans.isEmpty { (endWatch, settingsWatch) = (nil, nil) }
    }
}

// MARK: The available accuracy

extension GeoClueFrontEnd {
    /// The accuracy level that the sources can reach.
    var availableLevel: UInt32 { AccuracyLevel.available(from: core.availableKinds) }

    /// Tells every peer of a changed level.
    package func receiveAvailableKinds() {
        let level = availableLevel
        guard level != sentLevel else { return }
        sentLevel = level
        for name in peers.keys { bus?.sendChange([Properties.available(level)], of: .manager, to: name) }
    }
}

// MARK: Changed locations

extension GeoClueFrontEnd {
    /// Sends `PropertiesChanged` of `Location` a moment after `LocationUpdated`. Nearly all programs follow only
    /// `LocationUpdated`, and have read their location before the bus carries the second signal.
    func announceLocationLater(of client: GeoClueClient) {
        if changedLocations.isEmpty {
            core.eventLoop.assumeIsolated().scheduleTask(in: Self.locationPause) { [weak self] in
                guard let self else { return }
                let numbers = changedLocations
                changedLocations = []
                for number in numbers { clients[number]?.announceLocation() }
            }
        }
        changedLocations.insert(client.object.number)
    }

    /// Sends the `PropertiesChanged` that is pending for a client object, if there is one, before another signal.
    func announceLocationNow(of client: GeoClueClient) {
        if changedLocations.remove(client.object.number) != nil { client.announceLocation() }
    }
}

extension FrontEndKind {
    /// `org.freedesktop.GeoClue2` on the system bus.
    package static let geoClue = FrontEndKind(
        name: "GeoClue", isForApplications: true, servesUndeclared: true)
}
