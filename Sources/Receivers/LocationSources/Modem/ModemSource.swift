package import LinuxPlumbing
package import LocationModel
import Logging
import NIOCore
import Pacing

/// The receivers of modems as a source, by ModemManager on the system's bus.
///
/// It is followed, and the receivers are switched on, only while locations are needed. Every user of the machine can read what
/// ModemManager signals, so signals stay off and the sentences are asked for.
package final class ModemSource: LocationSource, @unchecked Sendable {
    // Sendable: everything is used on the event loop of the bus only; the entries check it.

    package let kind = Location.SourceInformation.Kind.modem
    static let name = "org.freedesktop.ModemManager1"
    private static let path = "/org/freedesktop/ModemManager1"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    private static let modemInterface = "org.freedesktop.ModemManager1.Modem"
    /// The greatest number of modems; more do not fit into a machine.
    static let mostModems = 8
    /// The pause after ModemManager did not list its modems.
    private static let pause = TimeAmount.seconds(5)
    /// The time that the receivers are given at the end of the service to be switched off.
    private static let lastCalls = TimeAmount.milliseconds(300)

    private let context: SourceContext
    private let service: BusService
    private var isNeeded = false
    private var isOpen = false
    private var isShutDown = false
    /// True once ModemManager has listed its modems.
    private var isConnected = false
    private var listing: LoopTimer?
    /// The interfaces of ModemManager's objects that are used here, with their properties, by path.
    private var objects: [String: [String: BusArgument]] = [:]
    private var modems: [String: Modem] = [:]
    private var receivers: [ReceiverDescription] = []
    private var problem: Problem?
    private var lastError: String?

    /// The reason for which there is no location, or for which there is a risk.
    private enum Problem: Equatable {
        case withoutBus(String?)
        case withoutModemManager
        case refused(BusFailure)
        case withoutModem
        case modem(String, Modem.Problem)
    }

    /// A source whose locations are not needed yet.
    ///
    /// - Parameter bus: the system's bus, on the event loop of `context`.
    package init(bus: SystemBus, context: SourceContext) {
        self.context = context
        service = BusService(Self.name, on: bus)
    }

    /// Switches the receivers on, or off as far as they were switched on here.
    package func setDemand(_ demand: LocationDemand) {
        context.eventLoop.preconditionInEventLoop()
        guard !isShutDown, (demand > .off) != isNeeded else { return }
        isNeeded.toggle()
        if isNeeded, !isOpen {
            isOpen = true
            service.open { [weak self] in self?.receive($0) }
        }
        for modem in modems.values { modem.setNeeded(isNeeded) }
        modemsChanged()
    }

    /// The current status of ModemManager and the connection to it.
    package var status: SourceStatus {
        context.eventLoop.preconditionInEventLoop()
        let connection: SourceStatus.Connection =
            if isShutDown {
                .closed
            } else if !isOpen {
                .idle
            } else if isConnected {
                .connected
            } else {
                problem == nil ? .connecting : .retrying
            }
        return SourceStatus(kind: kind, connection: connection, endpoint: "ModemManager", lastError: lastError)
    }

    /// Switches off the receivers that were switched on here, and closes the connection for good. Blocks the event loop for a
    /// moment, for the end of the service: a name that has left the bus is no longer authorized.
    package func shutdown() {
        context.eventLoop.preconditionInEventLoop()
        guard !isShutDown else { return }
        (isShutDown, isNeeded) = (true, false)
        for modem in modems.values { modem.setNeeded(false) }
        if !modems.values.allSatisfy(\.isSettled) { service.finishCalls(within: Self.lastCalls) }
        close()
    }

    private func close() {
        disconnect()
        service.close()
        isOpen = false
    }

    // MARK: ModemManager

    private func receive(_ state: BusService.State) {
        disconnect()
        switch state {
        case .unknown: break
        case .withoutBus: set(.withoutBus(service.busProblem))
        case .absent: set(.withoutModemManager)
        case .running:
            service.handleSignals("InterfacesAdded", of: Self.objectManager, below: Self.path) { [weak self] in
                self?.add($1)
            }
            service.handleSignals("InterfacesRemoved", of: Self.objectManager, below: Self.path) { [weak self] in
                self?.remove($1)
            }
            service.handlePropertyChanges(of: Modem.interface, below: Self.path) { [weak self] path, changed in
                self?.modems[path]?.update(changed)
            }
            service.handlePropertyChanges(of: Self.modemInterface, below: Self.path) { [weak self] path, changed in
                if changed["State"] != nil { self?.modems[path]?.stateChanged() }
            }
            list()
        }
        endIfUnneeded()
    }

    /// Lists the modems.
    private func list() {
        service.call("GetManagedObjects", of: Self.objectManager, at: Self.path) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .success(let values):
                for (path, interfaces) in values.first?.dictionary ?? [:] { merge(path.text, interfaces) }
                isConnected = true
                context.report(.connected)
                modemsChanged()
            case .failure(let failure):
                set(.refused(failure))
                listing = context.eventLoop.makeTimer(in: Self.pause) { [weak self] in self?.list() }
            }
        }
    }

    private func disconnect() {
        listing?.cancel()
        for modem in modems.values { modem.drop() }
        (objects, modems, receivers) = ([:], [:], [])
        guard isConnected else { return }
        isConnected = false
        context.report(.disconnected)
    }

    private func add(_ arguments: [BusArgument]) {
        guard arguments.count == 2 else { return }
        merge(arguments[0].text, arguments[1])
        modemsChanged()
    }

    private func remove(_ arguments: [BusArgument]) {
        guard arguments.count == 2, let path = arguments[0].text, let names = arguments[1].list else { return }
        for name in names.compactMap(\.text) { objects[path]?[name] = nil }
        if objects[path]?.isEmpty ?? false { objects[path] = nil }
        if objects[path]?[Modem.interface] == nil { modems.removeValue(forKey: path)?.drop() }
        modemsChanged()
    }

    /// Takes over interfaces of an object. A modem gets them one after the other as ModemManager examines it.
    private func merge(_ path: String?, _ interfaces: BusArgument) {
        guard let path, objects[path] != nil || objects.count < Self.mostModems else { return }
        for interface in [Self.modemInterface, Modem.interface] {
            if let properties = interfaces[interface] { objects[path, default: [:]][interface] = properties }
        }
        guard modems[path] == nil, let object = objects[path], let description = object[Self.modemInterface],
            let properties = object[Modem.interface],
            let capabilities = properties["Capabilities"]?.integer,
            capabilities & Int(ModemSwitch.Sources.nmea) != 0
        else { return }
        let modem = Modem(
            at: path, name: Self.name(of: description, at: path), properties: properties, of: service,
            eventLoop: context.eventLoop,
            report: { [weak self] in
                guard let self, isNeeded else { return }
                context.report(.receiver($0, clock: context.wallClock()))
            },
            onChange: { [weak self] in self?.modemsChanged() })
        modems[path] = modem
        modem.setNeeded(isNeeded)
    }

    /// The name of a modem by the port that it is plugged in at, and what it calls itself. Its serial number is nobody's
    /// business.
    private static func name(of modem: BusArgument, at path: String) -> (device: String, driver: String?) {
        let place = modem["Device"]?.text ?? path
        let port = place.split(separator: "/").last.map(String.init) ?? place
        let driver = ["Manufacturer", "Model"].compactMap { modem[$0]?.text?.bounded }.joined(separator: " ")
        return ("modem:\(port.bounded)", driver.isEmpty ? nil : driver)
    }

    // MARK: State

    private func modemsChanged() {
        guard isConnected else { return endIfUnneeded() }
        let new = modems.values.map {
            ReceiverDescription(device: $0.device, driver: $0.driver, isActivated: $0.isActive)
        }.sorted { $0.device < $1.device }
        if new != receivers {
            receivers = new
            if isNeeded { context.report(.receiver(.receivers(new), clock: nil)) }
        }
        // What was wrong stays to be seen when nobody needs a location any more.
        guard isNeeded else { return endIfUnneeded() }
        let problems = modems.values.sorted { $0.device < $1.device }.compactMap { modem in
            modem.problem.map { Problem.modem(modem.device, $0) }
        }
        set(modems.isEmpty ? .withoutModem : problems.first)
    }

    /// Lets go of the bus once nothing is needed and no receiver is left on.
    private func endIfUnneeded() {
        if isOpen, !isNeeded, !isShutDown, modems.values.allSatisfy(\.isSettled) { close() }
    }

    private func set(_ problem: Problem?) {
        guard problem != self.problem else { return }
        self.problem = problem
        lastError = problem.map { text(of: $0) }
        if let lastError { context.logger.notice("\(lastError)") }
    }

    private func text(of problem: Problem) -> String {
        switch problem {
        case .withoutBus(let reason): "The system's message bus cannot be reached: \(reason ?? "it has ended")."
        case .withoutModemManager:
            "ModemManager is not running. To fix it, run: sudo systemctl enable --now ModemManager"
        case .refused(let failure): "ModemManager does not list its modems: \(failure)."
        case .withoutModem: "ModemManager has no modem with a receiver that it can read."
        case .modem(let device, let problem): problem.text(of: device)
        }
    }
}

extension String {
    /// The first part of a text from another program, at most 64 characters.
    fileprivate var bounded: String { String(String.UnicodeScalarView(unicodeScalars.prefix(64))) }
}
