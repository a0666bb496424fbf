package import LinuxPlumbing
import NIOCore

/// A service of the test's own, with a name on a bus of the test's own. What it answers with is its `State`.
package final class ScriptedBusService<State>: Sendable {
    private let loop = ObservedLoops.next()
    private let state: NIOLoopBound<State>
    private let bus: NIOLoopBound<BusConnection>
    private let poller: NIOLoopBound<DescriptorPoller>

    /// Starts one, which has its name when this returns. Its closures are called on its loop.
    package init(
        _ name: String, below path: String, on address: String, state: @escaping @Sendable () -> State,
        answer: @escaping @Sendable (IncomingMessage, BusConnection, State) -> Void
    ) async throws {
        let loop = loop
        let named = loop.makePromise(of: Void.self)
        (self.state, bus, poller) = try await loop.submit {
            let state = state()
            let poller = try DescriptorPoller(eventLoop: loop, name: "scripted")
            let bus = try BusConnection(to: .address(address), eventLoop: loop, poller: poller) { _ in }
            try bus.handleCalls(below: path) { [unowned bus] in answer($0, bus, state) }
            try bus.requestName(name) { _ in named.succeed() }
            return (
                NIOLoopBound(state, eventLoop: loop), NIOLoopBound(bus, eventLoop: loop),
                NIOLoopBound(poller, eventLoop: loop)
            )
        }.get()
        try await named.futureResult.get()
    }

    /// Changes its state, and signals that.
    package func change(_ body: @escaping @Sendable (State, BusConnection) -> Void) async throws {
        try await loop.submit { [state, bus] in body(state.value, bus.value) }.get()
    }

    /// Waits unless a condition on its state is met already.
    package func ensure(_ what: String, until isMet: @escaping @Sendable (State) -> Bool) async throws {
        try await ObservedLoops.ensure(what, on: loop) { [state] in isMet(state.value) }
    }

    package func close() async throws {
        try await loop.submit { [bus, poller] in
            bus.value.close()
            poller.value.stop()
        }.get()
    }
}
