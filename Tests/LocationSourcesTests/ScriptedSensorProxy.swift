import LinuxPlumbing
import NIOCore
import TestSupport

@testable import LocationSources

/// An iio-sensor-proxy of the test's own, on a bus of the test's own, which tells the claiming programs what changes.
final class ScriptedSensorProxy: Sendable {
    /// A call of `ClaimCompass` by a program that has not claimed it, or of `ReleaseCompass`.
    enum Call: Hashable, Sendable {
        case claim, release
    }

    /// What it answers with. Confined to its loop.
    private final class State {
        var heading: Double
        var hasCompass: Bool
        var refusal: String?
        /// The programs that have claimed the compass.
        var peers: Set<String> = []

        init(heading: Double, hasCompass: Bool) { (self.heading, self.hasCompass) = (heading, hasCompass) }
    }

    let calls: AsyncStream<Call>
    private let loop = ObservedLoops.next()
    private let continuation: AsyncStream<Call>.Continuation
    private let state: NIOLoopBound<State>
    private let bus: NIOLoopBound<BusConnection>
    private let poller: NIOLoopBound<DescriptorPoller>

    init(on address: String, heading: Double = 90, hasCompass: Bool = true) async throws {
        (calls, continuation) = AsyncStream.makeStream()
        let (loop, continuation) = (loop, continuation)
        let named = loop.makePromise(of: Void.self)
        (state, bus, poller) = try await loop.submit {
            let state = State(heading: heading, hasCompass: hasCompass)
            let poller = try DescriptorPoller(eventLoop: loop, name: "sensors")
            let bus = try BusConnection(to: .address(address), eventLoop: loop, poller: poller) { _ in }
            try bus.handleCalls(below: CompassSource.path) { [unowned bus] in
                Self.answer($0, on: bus, state, continuation)
            }
            try bus.requestName(CompassSource.name) { _ in named.succeed() }
            return (
                NIOLoopBound(state, eventLoop: loop), NIOLoopBound(bus, eventLoop: loop),
                NIOLoopBound(poller, eventLoop: loop)
            )
        }.get()
        try await named.futureResult.get()
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

    private func change(_ body: @escaping @Sendable (State, BusConnection) -> Void) async throws {
        try await loop.submit { [state, bus] in body(state.value, bus.value) }.get()
    }

    /// Turns the machine through these directions.
    func turn(to headings: [Double]) async throws {
        try await change { state, bus in
            for heading in headings {
                state.heading = heading
                Self.signalChange(of: state, on: bus, withPresence: false)
            }
        }
    }

    /// Removes the compass or plugs it in, and signals that with the last heading.
    func set(hasCompass: Bool) async throws {
        try await change { state, bus in
            state.hasCompass = hasCompass
            Self.signalChange(of: state, on: bus, withPresence: true)
        }
    }

    /// Removes the compass, as iio-sensor-proxy reports it from 3.6 on: its claims are forgotten, and nothing is signalled.
    func unplug() async throws {
        try await change { state, _ in
            state.hasCompass = false
            state.peers = []
        }
    }

    func set(refusal: String?) async throws { try await change { state, _ in state.refusal = refusal } }

    func close() async throws {
        try await loop.submit { [bus, poller] in
            bus.value.close()
            poller.value.stop()
        }.get()
        continuation.finish()
    }
}
