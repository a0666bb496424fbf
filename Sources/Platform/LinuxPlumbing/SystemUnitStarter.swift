/// Starts units of the system's service manager by its interface on the bus, `org.freedesktop.systemd1.Manager`.
///
/// The bus is used only while a start is waiting or being answered. What may be started is decided by polkit.
///
/// Confined to the event loop of the bus.
package final class SystemUnitStarter {
    static let name = "org.freedesktop.systemd1"
    static let path = "/org/freedesktop/systemd1"
    static let manager = "org.freedesktop.systemd1.Manager"
    /// polkit starts a program to decide.
    private static let timeout = Duration.seconds(30)

    private struct Start {
        let unit: String
        let completion: (Result<Void, BusFailure>) -> Void
    }

    private let service: BusService
    private var state = BusService.State.unknown
    private var waiting: [Start] = []
    /// The starts that the service manager has not answered.
    private var pending: [Int: Start] = [:]
    private var lastNumber = 0

    package init(bus: SystemBus) { service = BusService(Self.name, on: bus) }

    /// Starts a unit, unless it is running, and calls `completion` once the service manager has accepted or refused that, never
    /// from within the call. Without a connection to the bus it waits for one.
    package func start(_ unit: String, completion: @escaping (Result<Void, BusFailure>) -> Void) {
        waiting.append(Start(unit: unit, completion: completion))
        service.open { [weak self] in self?.follow($0) }
        proceed()
    }

    /// Ends all starts that are not answered, without calling their completions.
    package func close() {
        (waiting, pending, state) = ([], [:], .unknown)
        service.close()
    }

    private func follow(_ state: BusService.State) {
        self.state = state
        // A lost connection has taken the answers along.
        let unanswered = pending.sorted { $0.key < $1.key }.map(\.value)
        pending = [:]
        for start in unanswered {
            start.completion(.failure(BusFailure(name: "", text: "The connection to the service manager was lost.")))
        }
        proceed()
    }

    private func proceed() {
        switch state {
        case .unknown, .withoutBus: break
        case .absent:
            let refused = waiting
            waiting = []
            for start in refused {
                start.completion(.failure(BusFailure(name: "", text: "There is no systemd on the bus.")))
            }
            closeIfUnused()
        case .running:
            let starts = waiting
            waiting = []
            starts.forEach(call)
        }
    }

    private func call(_ start: Start) {
        lastNumber += 1
        let number = lastNumber
        pending[number] = start
        service.call(
            "StartUnit", of: Self.manager, at: Self.path, timeout: Self.timeout,
            {
                $0.append(start.unit)
                // Not "replace": a stop that someone has asked for goes first.
                $0.append("fail")
            }
        ) { [weak self] answer in
            guard let self, pending.removeValue(forKey: number) != nil else { return }
            start.completion(answer.map { _ in })
            closeIfUnused()
        }
    }

    private func closeIfUnused() {
        guard waiting.isEmpty, pending.isEmpty else { return }
        state = .unknown
        service.close()
    }
}
