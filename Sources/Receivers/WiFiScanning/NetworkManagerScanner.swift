package import LinuxPlumbing
import WiFiPositioning

/// The access points that NetworkManager receives. Any user may read them; a scan is admitted by a rule of polkit.
package final class NetworkManagerScanner: WiFiScanner {
    private static let name = "org.freedesktop.NetworkManager"
    private static let path = "/org/freedesktop/NetworkManager"
    private static let wireless = "org.freedesktop.NetworkManager.Device.Wireless"
    private static let accessPoint = "org.freedesktop.NetworkManager.AccessPoint"
    /// More than a machine has, and a crowd of routers.
    private static let (mostDevices, mostPoints) = (64, 512)
    /// `NMConnectivityState`: no connection, and one with a captive portal.
    private static let offline = [1, 2]

    private let service: BusService
    private var onEvent: (WiFiEvent) -> Void = { _ in }
    /// The wireless devices of the last reading.
    private var devices: [String] = []
    /// Tells the answers to the current reading from those to earlier ones.
    private var reading = 0

    package init(on bus: SystemBus) { service = BusService(Self.name, on: bus) }

    package func open(onEvent: @escaping (WiFiEvent) -> Void) {
        self.onEvent = onEvent
        service.open { [weak self] in self?.receive($0) }
    }

    package func close() {
        reading += 1
        (onEvent, devices) = ({ _ in }, [])
        service.close()
    }

    private func receive(_ state: BusService.State) {
        reading += 1
        devices = []
        switch state {
        case .unknown: break
        case .withoutBus:
            onEvent(
                .unavailable(WiFiFailure("The system's message bus cannot be reached: \(service.busProblem ?? "lost")"))
            )
        case .absent: onEvent(.unavailable(WiFiFailure("NetworkManager is not running, which hears the access points")))
        case .running:
            service.handlePropertyChanges(of: Self.wireless, below: Self.path) { [weak self] _, changed in
                if changed["LastScan"] != nil { self?.onEvent(.scanned) }
            }
            onEvent(.available)
        }
    }

    // MARK: Reading

    package func read(answer: @escaping (Result<WiFiScan, WiFiFailure>) -> Void) {
        reading += 1
        let number = reading
        service.readProperties(of: Self.name, at: Self.path) { [weak self] result in
            guard let self, number == reading else { return }
            switch result {
            case .failure(let failure): answer(.failure(WiFiFailure("NetworkManager does not answer: \(failure.text)")))
            case .success(let properties):
                let devices = properties["Devices"]?.list?.compactMap(\.text) ?? []
                let isOnline = !Self.offline.contains(properties["Connectivity"]?.integer ?? 0)
                readDevices(Array(devices.prefix(Self.mostDevices)), number) { points in
                    guard let points else { return answer(.failure(WiFiFailure("This machine has no Wi-Fi device"))) }
                    answer(.success(WiFiScan(points: points, isOnline: isOnline)))
                }
            }
        }
    }

    /// Reads the access points of all devices; `nil` if none is wireless.
    private func readDevices(_ paths: [String], _ number: Int, answer: @escaping ([ScannedAccessPoint]?) -> Void) {
        readAll(paths, Self.wireless, number) { [weak self] devices in
            guard let self else { return }
            self.devices = devices.map(\.path)
            guard !devices.isEmpty else { return answer(nil) }
            let points = devices.flatMap { $0.properties["AccessPoints"]?.list?.compactMap(\.text) ?? [] }
            readAll(Array(points.prefix(Self.mostPoints)), Self.accessPoint, number) { points in
                answer(points.compactMap { ScannedAccessPoint($0.properties) })
            }
        }
    }

    /// Reads the properties of objects; of those that have the interface, and still exist.
    private func readAll(
        _ paths: [String], _ interface: String, _ number: Int,
        answer: @escaping ([(path: String, properties: BusArgument)]) -> Void
    ) {
        guard !paths.isEmpty else { return answer([]) }
        var (found, left): ([(path: String, properties: BusArgument)], Int) = ([], paths.count)
        for path in paths {
            service.readProperties(of: interface, at: path) { [weak self] result in
                guard let self, number == reading else { return }
                if case .success(let properties) = result, properties.dictionary?.isEmpty == false {
                    found.append((path, properties))
                }
                left -= 1
                if left == 0 { answer(found) }
            }
        }
    }

    // MARK: Scanning

    package func requestScan(answer: @escaping (WiFiFailure?) -> Void) {
        guard !devices.isEmpty else { return answer(WiFiFailure("This machine has no Wi-Fi device")) }
        for device in devices {
            service.call("RequestScan", of: Self.wireless, at: device, { $0.appendArray(of: "{sv}") }) { result in
                guard case .failure(let failure) = result else { return }
                answer(WiFiFailure(Self.reason(failure)))
            }
        }
    }

    private static func reason(_ failure: BusFailure) -> String {
        failure.name.hasSuffix("PermissionDenied") || failure.name.hasSuffix("AccessDenied")
            ? "NetworkManager does not let the service scan. To fix it, run: sudo locationctl sources enable wifi"
            : "NetworkManager does not scan: \(failure.text)"
    }
}

extension ScannedAccessPoint {
    /// An access point as NetworkManager describes it; `nil` without an address.
    fileprivate init?(_ properties: BusArgument) {
        guard let address = properties["HwAddress"]?.text else { return nil }
        let lastSeen = properties["LastSeen"]?.integer ?? -1
        self.init(
            address: address, name: properties["Ssid"]?.bytes ?? [],
            frequency: properties["Frequency"]?.integer ?? 0, strength: properties["Strength"]?.integer ?? 0,
            lastSeen: lastSeen < 0 ? nil : .seconds(lastSeen),
            // NM_802_11_MODE_INFRA
            isInfrastructure: properties["Mode"]?.integer == 2)
    }
}
