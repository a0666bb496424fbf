import LinuxPlumbing
import LocationConfiguration
import LocationCore
import Logging
import NIOCore
import Pacing

/// Keeps the connection of the front end to the message bus, and the name there: connects again after a loss, and waits for
/// the name while another service owns it.
///
/// Confined to the event loop.
final class BusPresence {
    /// The settings that the front end serves with.
    let settings: DaemonConfiguration.GeoClue
    private unowned let frontEnd: GeoClueFrontEnd
    private(set) var poller: DescriptorPoller?
    /// The connection to the bus; `nil` while there is none.
    private(set) var bus: BusConnection?
    /// The state of the front end; `nil` until the bus has answered.
    private(set) var status: FrontEndStatus?
    private var reopening: LoopTimer?
    /// The pauses before connecting again to a bus that was lost.
    private var backOff = BackOff(from: .milliseconds(250), to: .seconds(30))
    /// True if the bus has refused the name, which it does until its configuration changes.
    private var isNameRefused = false
    /// True once the log states why it does not serve. Later reasons are only in the status.
    private var hasReported = false
    /// Watches for the name while another service owns it.
    private var nameWatch: BusConnection.Slot?

    init(_ settings: DaemonConfiguration.GeoClue, of frontEnd: GeoClueFrontEnd) {
        (self.settings, self.frontEnd) = (settings, frontEnd)
    }

    /// Connects, now or once there is a bus.
    func open() {
        let eventLoop = frontEnd.core.eventLoop
        do {
            let poller = try poller ?? DescriptorPoller(eventLoop: eventLoop, name: "bus")
            self.poller = poller
            let bus = try BusConnection(
                to: settings.busAddress.map { .address($0) } ?? .system, eventLoop: eventLoop, poller: poller
            ) { [weak self] in
                self?.lose($0)
            }
            self.bus = bus
            try bus.handleCalls(below: ObjectPath.root) { [weak frontEnd] in frontEnd?.receive($0) }
            try requestName()
        } catch {
            lose(error)
        }
    }

    /// Requests the name again if the bus has refused it, since the configuration of the bus may have changed.
    func requestRefusedName() {
        guard isNameRefused else { return }
        do {
            try requestName()
        } catch {
            lose(error)
        }
    }

    /// Disconnects for good.
    func close() {
        reopening?.cancel()
        disconnect()
        poller?.stop()
        poller = nil
    }

    private func disconnect() {
        nameWatch = nil
        bus?.close()
        bus = nil
    }

    /// Handles the loss of the bus, and with it of all peers.
    private func lose(_ error: any Error) {
        frontEnd.forgetPeers()
        disconnect()
        report("Programs that ask GeoClue get no location: \(error). Trying again.")
        reopening?.cancel()
        reopening = frontEnd.core.eventLoop.makeTimer(in: TimeAmount(backOff.next())) { [weak self] in self?.open() }
    }

    private func requestName() throws(SystemdError) {
        isNameRefused = false
        try bus?.requestName(Interface.busName) { [weak self] in self?.receiveName($0) }
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
        frontEnd.core.logger.notice(
            "Programs that ask GeoClue get their location here: this service is \(Interface.busName).")
    }

    private func report(_ text: String) {
        status = FrontEndStatus(.geoClue, problem: text)
        if !hasReported { frontEnd.core.logger.notice("\(text)") }
        hasReported = true
    }
}
