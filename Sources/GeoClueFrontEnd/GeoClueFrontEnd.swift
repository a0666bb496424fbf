import LinuxPlumbing
package import LocationConfiguration
package import PeerIdentification
package import LocationCore
import Pacing
import GeoClue
import LocationPolicy
import Logging
import NIOCore

/// The GeoClue frontEnd: serves `org.freedesktop.GeoClue2` on the system bus for programs without support for this service,
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
    private let isEnabledByDefault: Bool
    /// The settings that it serves with; `nil` while it does not.
    private var settings: DaemonConfiguration.GeoClue?
    private(set) var poller: DescriptorPoller?
    /// The connection to the bus; `nil` while there is none.
    private(set) var bus: BusConnection?
    private var reopening: Scheduled<Void>?
    /// The pauses before connecting again to a bus that was lost.
    private var backOff = BackOff(from: .milliseconds(250), to: .seconds(30))
    /// True if the bus has refused the name, which it does until its configuration changes.
    private var isNameRefused = false
    /// True once the log tells why it does not serve. Later reasons are only in the status.
    private var hasReported = false

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
    /// Limits the log lines about refused peers.
    var refusals = RateLimit(rate: 1, burst: 10)
    /// Returns memory after crowds of client objects.
    let memory: HeapTrimmer
    /// Watches for the disconnection of peers, while there are any.
    private var endWatch: BusConnection.Slot?
    /// Watches for changed settings of agents, from the first agent to the last peer.
    private var settingsWatch: BusConnection.Slot?
    /// Watches for the name while another service owns it.
    private var nameWatch: BusConnection.Slot?
    /// The client objects whose property `Location` has changed without a `PropertiesChanged` yet.
    private var changedLocations: Set<UInt64> = []

    package private(set) var status: FrontEndStatus?

    package init(core: Core, identifier: PeerIdentifier, isEnabledByDefault: Bool) {
        self.core = core
        self.identifier = identifier
        self.isEnabledByDefault = isEnabledByDefault
        memory = HeapTrimmer(eventLoop: core.eventLoop)
    }

    private var logger: Logger { core.logger }

    /// Serves where the configuration says so. Requests the name again if the bus has refused it, since the configuration of
    /// the bus may have changed.
    package func apply(_ configuration: Configuration) {
        let configured = configuration.daemon.geoClue
        let new = configured.isEnabled ?? isEnabledByDefault ? configured : nil
        if new != settings {
            if settings != nil { close() }
            settings = new
            if new != nil { open() }
        } else if isNameRefused {
            do {
                try requestName()
            } catch {
                lose(error)
            }
        }
    }

    /// Starts to serve, now or once there is a bus.
    private func open() {
        do {
            let poller = try poller ?? DescriptorPoller(eventLoop: core.eventLoop, name: "bus")
            self.poller = poller
            let bus = try BusConnection(
                to: settings?.busAddress.map { .address($0) } ?? .system, eventLoop: core.eventLoop, poller: poller
            ) { [weak self] in
                self?.lose($0)
            }
            self.bus = bus
            try bus.handleCalls(below: ObjectPath.root) { [weak self] in self?.receive($0) }
            try requestName()
        } catch {
            lose(error)
        }
    }

    /// True if no program is connected.
    package var isUnused: Bool { peers.isEmpty }

    private func requestName() throws(SystemdError) {
        isNameRefused = false
        try bus?.requestName(Interface.busName) { [weak self] in self?.receiveName($0) }
    }

    /// Stops serving. Programs that are reading a location get it first: most take an error for 0° N 0° E.
    package func close() {
        if users.values.contains(where: \.isInUse) { bus?.drain(for: Self.lastReads) }
        reopening?.cancel()
        reopening = nil
        disconnect()
        poller?.stop()
        poller = nil
        memory.cancel()
        (status, settings) = (nil, nil)
    }

    private func disconnect() {
        for peer in peers.values { forget(peer) }
        (endWatch, settingsWatch, nameWatch, changedLocations, orphans) = (nil, nil, nil, [], [])
        bus?.close()
        bus = nil
    }

    /// Handles the loss of the bus, and with it of all peers.
    private func lose(_ error: any Error) {
        disconnect()
        report("Programs that ask GeoClue get no location: \(error). Trying again.")
        reopening?.cancel()
        reopening = core.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(backOff.next())) { [weak self] in
            self?.open()
        }
    }

    /// Handles the answer of the bus to the request for the name.
    private func receiveName(_ message: IncomingMessage) {
        if let error = message.errorName {
            isNameRefused = true
            return report(
                "Programs that ask GeoClue get no location: the bus does not let this service have the name "
                    + "\(Interface.busName): \(error). See locationd(8), GEOCLUE; then reload locationd.")
        }
        backOff.reset()
        // RequestName's replies in the D-Bus specification: 1 for the owner, 2 for a place in the queue.
        guard message.readWord() == 1 else {
            do {
                try awaitName()
            } catch {
                return lose(error)
            }
            return report(
                "Programs that ask GeoClue get their location from another service, which owns \(Interface.busName). "
                    + "Waiting for it to end.")
        }
        serve()
    }

    /// Waits for the bus to pass the name on to this service.
    private func awaitName() throws(SystemdError) {
        let rule =
            "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
            + "interface='org.freedesktop.DBus',member='NameAcquired',arg0='\(Interface.busName)'"
        nameWatch = try bus?.handleSignals(matching: rule) { [weak self] message in
            guard let self, message.isFromBus else { return }
            nameWatch = nil
            serve()
        }
    }

    private func serve() {
        hasReported = false
        status = FrontEndStatus(.geoClue)
        logger.notice("Programs that ask GeoClue get their location here: this service is \(Interface.busName).")
    }

    private func report(_ text: String) {
        status = FrontEndStatus(.geoClue, problem: text)
        if !hasReported { logger.notice("\(text)") }
        hasReported = true
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

// MARK: Changed locations

extension GeoClueFrontEnd {
    /// Sends `PropertiesChanged` of `Location` a moment after `LocationUpdated`. Nearly all programs follow only
    /// `LocationUpdated`, and have read their location before the bus carries the second signal.
    func tellLocationLater(of client: GeoClueClient) {
        if changedLocations.isEmpty {
            core.eventLoop.assumeIsolated().scheduleTask(in: Self.locationPause) { [weak self] in
                guard let self else { return }
                let numbers = changedLocations
                changedLocations = []
                for number in numbers { clients[number]?.tellLocation() }
            }
        }
        changedLocations.insert(client.object.number)
    }

    /// Sends the `PropertiesChanged` that is pending for a client object, if there is one, before another signal.
    func tellLocationNow(of client: GeoClueClient) {
        if changedLocations.remove(client.object.number) != nil { client.tellLocation() }
    }
}

extension FrontEndKind {
    /// `org.freedesktop.GeoClue2` on the system bus.
    package static let geoClue = FrontEndKind(name: "GeoClue", isForApplications: true)
}
