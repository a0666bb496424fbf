import LinuxPlumbing
import TestSupport

@testable import LocationSources

/// A ModemManager of the test's own, on a bus of the test's own: one modem, whose sentences are a new epoch at each question.
final class ScriptedModemManager: Sendable {
    /// A call of `Setup`.
    struct Setup: Hashable, Sendable {
        var sources: UInt32
        var signals: Bool
    }

    /// What it answers with.
    private final class State {
        var enabled: UInt32 = 1
        var signals = false
        var isPlugged = true
        var isSilent = false
        var isRefusing = false
        var second = 0
        /// The callers, who get its signals.
        var peers: Set<String> = []
    }

    static let modem = "/org/freedesktop/ModemManager1/Modem/0"
    let setups: AsyncStream<Setup>
    private let continuation: AsyncStream<Setup>.Continuation
    private let service: ScriptedBusService<State>

    init(on address: String, enabled: UInt32 = 1, signals: Bool = false, isPlugged: Bool = true) async throws {
        (setups, continuation) = AsyncStream.makeStream()
        service = try await ScriptedBusService(
            ModemSource.name, below: "/org/freedesktop/ModemManager1", on: address,
            state: {
                let state = State()
                (state.enabled, state.signals, state.isPlugged) = (enabled, signals, isPlugged)
                return state
            },
            answer: { [continuation] in Self.answer($0, on: $1, $2, continuation) })
    }

    private static func answer(
        _ call: IncomingMessage, on bus: BusConnection, _ state: State, _ setups: AsyncStream<Setup>.Continuation
    ) {
        state.peers.insert(call.sender)
        switch call.member {
        case "GetManagedObjects":
            bus.reply(to: call.pointer) { message in
                message.appendArray(of: "{oa{sa{sv}}}") { objects in
                    guard state.isPlugged else { return }
                    objects.appendEntry(of: "oa{sa{sv}}") {
                        $0.append(path: modem)
                        append(interfacesOf: state, to: &$0)
                    }
                }
            }
        case "Setup" where state.isRefusing, "GetLocation" where state.isRefusing:
            bus.fail(
                call.pointer, name: "org.freedesktop.ModemManager1.Error.Core.Unauthorized",
                message: "PolicyKit authorization failed: not authorized for 'x'")
        case "Setup":
            guard let arguments = call.readArguments(), let sources = arguments[0].integer,
                let signals = arguments[1].isTrue
            else { return }
            (state.enabled, state.signals) = (UInt32(sources), signals)
            setups.yield(Setup(sources: UInt32(sources), signals: signals))
            bus.reply(to: call.pointer)
            signalChange(of: state, on: bus)
        case "GetLocation":
            if !state.isSilent { state.second += 1 }
            bus.reply(to: call.pointer) {
                $0.appendArray(of: "{uv}") {
                    guard state.enabled & 4 != 0 else { return }
                    $0.appendEntry(of: "uv") {
                        $0.append(UInt32(4))
                        $0.appendVariant(of: "s") {
                            $0.append(NMEA.fix(at: "12\(10 + state.second / 50)\(10 + state.second % 50)"))
                        }
                    }
                }
            }
        default: break
        }
    }

    private static func append(interfacesOf state: State, to message: inout OutgoingMessage) {
        message.appendArray(of: "{sa{sv}}") {
            $0.appendEntry(of: "sa{sv}") {
                $0.append("org.freedesktop.ModemManager1.Modem")
                $0.appendArray(of: "{sv}") {
                    $0.appendEntry("Device", of: "s") { $0.append("/sys/devices/pci0000:00/usb1/1-1") }
                    $0.appendEntry("Manufacturer", of: "s") { $0.append("SIMCOM") }
                    $0.appendEntry("Model", of: "s") { $0.append("SIM7600E") }
                }
            }
            $0.appendEntry(of: "sa{sv}") {
                $0.append(Modem.interface)
                $0.appendArray(of: "{sv}") {
                    $0.appendEntry("Capabilities", of: "u") { $0.append(UInt32(23)) }
                    append(setOf: state, to: &$0)
                }
            }
        }
    }

    private static func append(setOf state: State, to message: inout OutgoingMessage) {
        message.appendEntry("Enabled", of: "u") { $0.append(state.enabled) }
        message.appendEntry("SignalsLocation", of: "b") { $0.append(state.signals) }
    }

    private static func signalChange(of state: State, on bus: BusConnection) {
        for peer in state.peers {
            bus.signal("PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: modem, to: peer) {
                $0.append(Modem.interface)
                $0.appendArray(of: "{sv}") { append(setOf: state, to: &$0) }
                $0.appendArray(of: "s")
            }
        }
    }

    /// Does what another program's `Setup` would.
    func setUp(sources: UInt32, signals: Bool = false) async throws {
        try await service.change { state, bus in
            (state.enabled, state.signals) = (sources, signals)
            Self.signalChange(of: state, on: bus)
        }
    }

    func set(isRefusing: Bool) async throws { try await service.change { state, _ in state.isRefusing = isRefusing } }

    func set(isSilent: Bool) async throws { try await service.change { state, _ in state.isSilent = isSilent } }

    func plug() async throws {
        try await service.change { state, bus in
            state.isPlugged = true
            for peer in state.peers {
                bus.signal(
                    "InterfacesAdded", of: "org.freedesktop.DBus.ObjectManager", at: "/org/freedesktop/ModemManager1",
                    to: peer
                ) {
                    $0.append(path: Self.modem)
                    Self.append(interfacesOf: state, to: &$0)
                }
            }
        }
    }

    func unplug() async throws {
        try await service.change { state, bus in
            (state.isPlugged, state.enabled) = (false, 1)
            for peer in state.peers {
                bus.signal(
                    "InterfacesRemoved", of: "org.freedesktop.DBus.ObjectManager", at: "/org/freedesktop/ModemManager1",
                    to: peer
                ) {
                    $0.append(path: Self.modem)
                    $0.appendArray(of: "s") {
                        $0.append("org.freedesktop.ModemManager1.Modem")
                        $0.append(Modem.interface)
                    }
                }
            }
        }
    }

    func close() async throws {
        try await service.close()
        continuation.finish()
    }
}
