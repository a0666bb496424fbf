import LocationInterface
import LocationModel
import Pacing
import Synchronization
import TestSupport
import Testing

@testable import LocationClient
@testable import Varlink

/// A service that was ending when it was connected to: the next one is asked, once.
@Suite("A service that is ending", .timeLimit(.minutes(10)))
struct StoppingServiceTests {
    private let here = Location(
        coordinate: Coordinate(latitude: 48.5, longitude: -11.25), timestamp: Timestamp("2026-11-21T08:30:00Z")!)
    private let stopping = VarlinkError(name: LocationInterface.ServiceStopping.name)

    /// Says this many times that it is ending, and then answers.
    private final class Script: Sendable {
        private let calls = Mutex(0)
        private let endings: Int

        init(endings: Int) { self.endings = endings }

        var count: Int { calls.withLock(\.self) }

        func isEnding() -> Bool {
            calls.withLock { calls in
                calls += 1
                return calls <= endings
            }
        }
    }

    @Test func callIsMadeOnceMore() async throws {
        let script = Script(endings: 1)
        try await ScriptedService.run { [here, stopping] call in
            script.isEnding() ? call.fail(stopping) : call.reply(LocationInterface.GetLocation.Reply(location: here))
        } test: { path, _ in
            let location = try await LocationManager(socketPath: path).requestLocation(waitsForAgent: true)
            #expect(location == here)
            #expect(script.count == 2)
        }
    }

    @Test func streamIsRestartedOnce() async throws {
        let script = Script(endings: 1)
        try await ScriptedService.run { [here, stopping] call in
            guard !script.isEnding() else { return call.fail(stopping) }
            call.reply(LocationInterface.Subscribe.Reply(location: here), continues: true)
        } test: { path, _ in
            for try await update in LocationManager(socketPath: path).liveUpdates() {
                #expect(update.location == here)
                break
            }
            #expect(script.count == 2)
        }
    }

    @Test("a reply resets the delays between attempts to connect")
    func delaysBeginAnew() async throws {
        try await ScriptedService.run { [here] call in
            call.reply(LocationInterface.Subscribe.Reply(location: here), continues: true)
        } test: { path, _ in
            var replies = ReconnectingReplies<LocationInterface.Subscribe>(
                connector: ServiceConnector(socketPath: path), parameters: .init())
            // As after attempts that failed.
            for _ in 0..<3 { _ = replies.backOff.next() }
            _ = try await replies.next()
            #expect(replies.backOff.next() == .milliseconds(100))
        }
    }

    @Test func notWithoutEnd() async throws {
        let script = Script(endings: .max)
        let error = LocationError.serviceUnavailable(reason: "The location service is ending.")
        try await ScriptedService.run { [stopping] call in
            _ = script.isEnding()
            call.fail(stopping)
        } test: { path, _ in
            let manager = LocationManager(socketPath: path)
            await #expect(throws: error) { try await manager.requestLocation(waitsForAgent: true) }
            #expect(script.count == 2)
            await #expect(throws: error) { for try await _ in manager.liveUpdates() {} }
            #expect(script.count == 4)
        }
    }
}

/// A service at whose socket more connections wait than the kernel's queue holds.
@Suite("A stopping service with many clients", .timeLimit(.minutes(10)))
struct BusyServiceTests {
    private let busy = VarlinkConnectionError(reason: .busy, path: "/run/x")

    @Test func isTriedAgain() async throws {
        var attempts = 0
        let connected = try await ServiceConnector.whileBusy { [busy] in
            attempts += 1
            guard attempts > 2 else { throw busy }
            return true
        }
        #expect(connected)
        #expect(attempts == 3)
    }

    @Test func notForAnotherReason() async {
        let refused = VarlinkConnectionError(reason: .refused, path: "/run/x")
        var attempts = 0
        await #expect(throws: refused) {
            try await ServiceConnector.whileBusy {
                attempts += 1
                throw refused
            }
        }
        #expect(attempts == 1)
    }

    @Test func notOnceCancelled() async {
        let task = Task { [busy] in try await ServiceConnector.whileBusy { throw busy } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
