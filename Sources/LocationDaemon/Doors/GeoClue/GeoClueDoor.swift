import GeoClue
import LocationInterface
import LocationPolicy
import LocationUsage
import Logging
import NIOCore

/// The GeoClue door: serves `org.freedesktop.GeoClue2` on the system bus, so that programs that know nothing of this service
/// get their location here, under the rules that hold for all.
///
/// All that is sent goes to one peer: what others send to everybody, coordinates included, every user of the machine reads.
///
/// `@unchecked Sendable` because it is confined to the event loop.
final class GeoClueDoor: @unchecked Sendable {
    /// After the bus is lost: as long as nothing but the bus is wrong it is back at once.
    private static let firstPause = TimeAmount.milliseconds(250)
    private static let longestPause = TimeAmount.seconds(30)
    /// Longer than 50 programs take to read a location after `LocationUpdated`.
    private static let locationPause = TimeAmount.milliseconds(10)

    let hub: Hub
    let applications = InstalledApplications()
    /// The address of the bus; `nil` for the system's.
    private let address: String?
    private var poller: DescriptorPoller?
    /// The connection, while there is one.
    private(set) var bus: BusConnection?
    private var reopening: Scheduled<Void>?
    private var pause = firstPause
    /// Whether the bus has refused the name: only another configuration of the bus changes that.
    private var isNameRefused = false
    /// What keeps it from serving has been said, and is said once.
    private var hasReported = false

    /// Those who use it, by their unique names.
    var peers: [String: GeoCluePeer] = [:]
    /// The client objects of all of them, by number.
    var clients: [UInt64: GeoClueClient] = [:]
    /// The agents among its peers, in the order in which they came.
    var agents: [GeoClueAgent] = []
    /// Numbers client objects, for as long as the daemon runs: what is gone is never taken for what came after it.
    var lastNumber: UInt64 = 0
    /// The client objects whose property `Location` has changed without a `PropertiesChanged` yet.
    private var changedLocations: Set<UInt64> = []

    init(hub: Hub, address: String?) {
        self.hub = hub
        self.address = address
    }

    private var logger: Logger { hub.logger }

    /// Begins to serve, now or as soon as there is a bus.
    func open() {
        do {
            let poller = try poller ?? DescriptorPoller(eventLoop: hub.eventLoop, name: "bus")
            self.poller = poller
            let bus = try BusConnection(address: address, eventLoop: hub.eventLoop, poller: poller) { [weak self] in
                self?.lose($0)
            }
            self.bus = bus
            try bus.handleCalls(below: ObjectPath.root) { [weak self] in self?.receive($0) }
            try requestName()
        } catch {
            lose(error)
        }
    }

    /// Asks for the name again if it was refused: the bus may have another configuration by now.
    func reconsider() {
        guard isNameRefused else { return }
        do {
            try requestName()
        } catch {
            lose(error)
        }
    }

    /// Whether nobody uses it.
    var isUnused: Bool { peers.isEmpty }

    private func requestName() throws(SystemdError) {
        isNameRefused = false
        try bus?.requestName(Interface.busName) { [weak self] in self?.receiveName($0) }
    }

    /// Serves no more.
    func close() {
        reopening?.cancel()
        reopening = nil
        disconnect()
        poller?.stop()
        poller = nil
        hub.core.doors = []
    }

    /// Sends `PropertiesChanged` of `Location` a moment after `LocationUpdated`. Nearly all programs follow `LocationUpdated`
    /// alone: they have all read their location before the bus carries the signal that repeats it.
    func tellLocationLater(of client: GeoClueClient) {
        if changedLocations.isEmpty {
            hub.eventLoop.assumeIsolated().scheduleTask(in: Self.locationPause) { [weak self] in
                guard let self else { return }
                let numbers = changedLocations
                changedLocations = []
                for number in numbers { clients[number]?.tellLocation() }
            }
        }
        changedLocations.insert(client.object.number)
    }

    private func disconnect() {
        let gone = peers.values
        peers = [:]
        for peer in gone { forget(peer) }
        bus?.close()
        bus = nil
    }

    /// The bus is gone, and everybody with it.
    private func lose(_ error: any Error) {
        disconnect()
        report("Programs that ask GeoClue get no location: \(error). Trying again.")
        reopening?.cancel()
        reopening = hub.eventLoop.assumeIsolated().scheduleTask(in: pause) { [weak self] in self?.open() }
        pause = min(pause * 2, Self.longestPause)
    }

    /// The bus has answered whether the name is ours.
    private func receiveName(_ message: IncomingMessage) {
        if let error = message.errorName {
            isNameRefused = true
            return report(
                "Programs that ask GeoClue get no location: the bus does not let this service have the name "
                    + "\(Interface.busName): \(error). See locationd(8), GEOCLUE; then reload locationd.")
        }
        pause = Self.firstPause
        // RequestName's answers in the D-Bus specification: 1 is the owner, 2 waits behind another.
        guard message.readWord(BusType.number) == 1 else {
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

    /// The bus tells when the name passes to us.
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
    private var nameWatch: BusConnection.Slot?

    private func serve() {
        hasReported = false
        hub.core.doors = [.init(name: Door.geoClue.name)]
        logger.notice("Programs that ask GeoClue get their location here: this service is \(Interface.busName).")
    }

    private func report(_ text: String) {
        hub.core.doors = [.init(name: Door.geoClue.name, problem: text)]
        if !hasReported { logger.notice("\(text)") }
        hasReported = true
    }
}

extension Door {
    /// `org.freedesktop.GeoClue2` on the system bus.
    static let geoClue = Door(name: "GeoClue", isForApplications: true)
}
