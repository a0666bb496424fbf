import LinuxPlumbing
import NIOCore

/// Whether the machine runs on its battery: from UPower while it is on the bus, and from the kernel otherwise.
///
/// UPower signals each change. The kernel's own notices (uevents) come by netlink sockets, which the service is not allowed to
/// have, so without UPower the kernel's files are read every half minute, on a thread of their own. UPower is not
/// started for it: a machine without a desktop may have neither it nor a use for it.
final class PowerWatch {
    static let name = "org.freedesktop.UPower"
    static let path = "/org/freedesktop/UPower"

    private(set) var isOnBattery: Bool?
    private let eventLoop: any EventLoop
    private let service: BusService
    private let readings: SurroundingsMonitor.Readings
    private let onChange: () -> Void
    /// The number of the last start of the way by which the value comes; an answer to an earlier one is void.
    private var turn = 0
    private var timer: Scheduled<Void>?

    init(bus: SystemBus, _ readings: SurroundingsMonitor.Readings, onChange: @escaping () -> Void) {
        (eventLoop, self.readings, self.onChange) = (bus.eventLoop, readings, onChange)
        service = BusService(Self.name, on: bus)
        service.open { [weak self] in self?.follow($0) }
    }

    func close() {
        service.close()
        timer?.cancel()
        turn += 1
    }

    private func follow(_ state: BusService.State) {
        timer?.cancel()
        turn += 1
        set(nil)
        switch state {
        case .unknown: break
        case .running:
            service.handlePropertyChanges(of: Self.name, below: Self.path) { [weak self] _, changed in
                if let isOnBattery = changed["OnBattery"]?.isTrue { self?.set(isOnBattery) }
            }
            service.readProperties(of: Self.name, at: Self.path) { [weak self] answer in
                let value = (try? answer.get())?["OnBattery"]?.isTrue
                if let value { self?.set(value) } else { self?.readFiles() }
            }
        case .absent, .withoutBus: readFiles()
        }
    }

    private func readFiles() {
        let this = NIOLoopBound(self, eventLoop: eventLoop)
        let (turn, eventLoop, readSupplies) = (turn, eventLoop, readings.isOnBattery)
        do {
            try DetachedThread.start(name: "power") {
                let isOnBattery = readSupplies()
                eventLoop.execute { this.value.receive(isOnBattery, turn) }
            }
        } catch {
            // In doubt until the next reading.
            receive(nil, turn)
        }
    }

    private func receive(_ isOnBattery: Bool?, _ turn: Int) {
        guard turn == self.turn else { return }
        timer = eventLoop.assumeIsolated().scheduleTask(in: readings.powerInterval) { [weak self] in self?.readFiles() }
        set(isOnBattery)
    }

    private func set(_ value: Bool?) {
        guard value != isOnBattery else { return }
        isOnBattery = value
        onChange()
    }
}
