import LinuxPlumbing
import NIOCore
import Pacing

/// The machine's source of power, battery or not: from UPower while it is on the bus, and from the kernel otherwise.
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
    /// Counts the times that reading the files ended; the result of a reading from before is void.
    private var turn = 0
    private var timer: LoopTimer?

    init(bus: SystemBus, _ readings: SurroundingsMonitor.Readings, onChange: @escaping () -> Void) {
        (eventLoop, self.readings, self.onChange) = (bus.eventLoop, readings, onChange)
        service = BusService(Self.name, on: bus)
        service.open { [weak self] in self?.follow($0) }
    }

    func close() {
        service.close()
        endReading()
    }

    private func follow(_ state: BusService.State) {
        endReading()
        set(nil)
        switch state {
        case .unknown: break
        case .running:
            service.handlePropertyChanges(of: Self.name, below: Self.path) { [weak self] _, changed in
                if let isOnBattery = changed["OnBattery"]?.isTrue { self?.receiveOfUPower(isOnBattery) }
            }
            service.readProperties(of: Self.name, at: Self.path) { [weak self] answer in
                let value = (try? answer.get())?["OnBattery"]?.isTrue
                if let value { self?.receiveOfUPower(value) } else { self?.readFiles() }
            }
        case .absent, .withoutBus: readFiles()
        }
    }

    private func receiveOfUPower(_ isOnBattery: Bool) {
        // The kernel's files were read if UPower did not answer before.
        endReading()
        set(isOnBattery)
    }

    // MARK: The kernel's files

    private func endReading() {
        timer?.cancel()
        turn += 1
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
        timer = eventLoop.makeTimer(in: readings.powerInterval) { [weak self] in self?.readFiles() }
        set(isOnBattery)
    }

    private func set(_ value: Bool?) {
        guard value != isOnBattery else { return }
        isOnBattery = value
        onChange()
    }
}
