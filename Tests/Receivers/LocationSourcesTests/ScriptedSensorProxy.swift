import LinuxPlumbing
import TestSupport

@testable import LocationSources

/// An iio-sensor-proxy of the test's own, on a bus of the test's own, which tells the claiming programs what changes.
final class ScriptedSensorProxy: Sendable {
    /// A call of `ClaimCompass` by a program that has not claimed it, or of `ReleaseCompass`.
    enum Call: Hashable, Sendable {
        case claim, release
    }

    /// What it answers with.
    private final class State {
        var heading: Double
        var hasCompass: Bool
        var refusal: String?
        /// The programs that have claimed the compass.
        var peers: Set<String> = []

        init(heading: Double, hasCompass: Bool) { (self.heading, self.hasCompass) = (heading, hasCompass) }
    }

    let calls: AsyncStream<Call>
    private let continuation: AsyncStream<Call>.Continuation
    private let service: ScriptedBusService<State>

    init(on address: String, heading: Double = 90, hasCompass: Bool = true) async throws {
        (calls, continuation) = AsyncStream.makeStream()
        service = try await ScriptedBusService(
            CompassSource.name, below: CompassSource.path, on: address,
            state: { State(heading: heading, hasCompass: hasCompass) },
            answer: { [continuation] in Self.answer($0, on: $1, $2, continuation) })
    }

    private static func answer(
        _ call: IncomingMessage, on bus: BusConnection, _ state: State, _ calls: AsyncStream<Call>.Continuation
    ) {
        switch call.member {
        case "ClaimCompass":
            if let refusal = state.refusal {
                return bus.fail(call.pointer, name: "org.freedesktop.DBus.Error.AccessDenied", message: refusal)
            }
            bus.reply(to: call.pointer)
            if state.peers.insert(call.sender).inserted { calls.yield(.claim) }
        case "ReleaseCompass":
            state.peers.remove(call.sender)
            bus.reply(to: call.pointer)
            calls.yield(.release)
        case "GetAll": bus.reply(to: call.pointer) { append(propertiesOf: state, to: &$0) }
        default: break
        }
    }

    private static func append(
        propertiesOf state: State, to message: inout OutgoingMessage, withPresence: Bool = true
    ) {
        message.appendArray(of: "{sv}") {
            if withPresence { $0.appendEntry("HasCompass", of: "b") { $0.append(state.hasCompass) } }
            $0.appendEntry("CompassHeading", of: "d") { $0.append(state.heading) }
        }
    }

    private static func signalChange(of state: State, on bus: BusConnection, withPresence: Bool) {
        for peer in state.peers {
            bus.signal(
                "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: CompassSource.path, to: peer
            ) {
                $0.append(CompassSource.interface)
                append(propertiesOf: state, to: &$0, withPresence: withPresence)
                $0.appendArray(of: "s")
            }
        }
    }

    /// Turns the machine through these directions.
    func turn(to headings: [Double]) async throws {
        try await service.change { state, bus in
            for heading in headings {
                state.heading = heading
                Self.signalChange(of: state, on: bus, withPresence: false)
            }
        }
    }

    /// Removes the compass or plugs it in, and signals that with the last heading.
    func set(hasCompass: Bool) async throws {
        try await service.change { state, bus in
            state.hasCompass = hasCompass
            Self.signalChange(of: state, on: bus, withPresence: true)
        }
    }

    /// Removes the compass, as iio-sensor-proxy reports it from 3.6 on: its claims are forgotten, and nothing is signalled.
    func unplug() async throws {
        try await service.change { state, _ in
            state.hasCompass = false
            state.peers = []
        }
    }

    func set(refusal: String?) async throws { try await service.change { state, _ in state.refusal = refusal } }

    func close() async throws {
        try await service.close()
        continuation.finish()
    }
}
