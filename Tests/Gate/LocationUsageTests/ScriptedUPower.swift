import LinuxPlumbing
import TestSupport

@testable import LocationUsage

/// A UPower of the test's own, on a bus of the test's own.
final class ScriptedUPower: Sendable {
    private final class State {
        var isOnBattery: Bool
        var peers: Set<String> = []

        init(isOnBattery: Bool) { self.isOnBattery = isOnBattery }
    }

    private let service: ScriptedBusService<State>

    init(on address: String, isOnBattery: Bool) async throws {
        service = try await ScriptedBusService(
            PowerWatch.name, below: PowerWatch.path, on: address, state: { State(isOnBattery: isOnBattery) },
            answer: { call, bus, state in
                state.peers.insert(call.sender)
                bus.reply(to: call.pointer) { Self.append(state, to: &$0) }
            })
    }

    private static func append(_ state: State, to message: inout OutgoingMessage) {
        message.appendArray(of: "{sv}") { $0.appendEntry("OnBattery", of: "b") { $0.append(state.isOnBattery) } }
    }

    func set(isOnBattery: Bool) async throws {
        try await service.change { state, bus in
            state.isOnBattery = isOnBattery
            for peer in state.peers {
                bus.signal("PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: PowerWatch.path, to: peer) {
                    $0.append(PowerWatch.name)
                    Self.append(state, to: &$0)
                    $0.appendArray(of: "s")
                }
            }
        }
    }

    func close() async throws { try await service.close() }
}
