import LinuxPlumbing
import LocationPolicy
import Logging
import NIOCore
import NIOEmbedded
import TestSupport

@testable import LocationUsage

/// A monitor on a loop with a manual clock and with scripted sessions.
struct Harness {
    let loop = NIOAsyncTestingEventLoop()
    let login = FakeLogin()
    let monitor: UsageMonitor
    /// The events as a stream, to wait for one.
    let events: AsyncStream<UsageEvent>
    /// The number of events in each call of the handler.
    let batches = Collected<Int>()
    private let collected = Collected<UsageEvent>()

    init() {
        let (collected, loop, login, batches) = (collected, loop, login, batches)
        let (events, continuation) = AsyncStream<UsageEvent>.makeStream()
        self.events = events
        let start = ContinuousClock.now
        monitor = UsageMonitor(
            eventLoop: loop, logger: .silent, login: login,
            now: { start + .nanoseconds(Int64(loop.now.uptimeNanoseconds)) }
        ) { batch in
            batches.append(batch.count)
            for event in batch {
                collected.append(event)
                continuation.yield(event)
            }
        }
    }

    /// Advances the clock by `duration` and returns the events since the last call.
    func advance(_ duration: TimeAmount = .zero) async -> [UsageEvent] {
        await loop.advanceTime(by: duration)
        return collected.take()
    }

    /// The events since the last call.
    func taken() -> [UsageEvent] { collected.take() }

    /// Runs `body` on the loop.
    func run<Value: Sendable>(_ body: @escaping @Sendable (UsageMonitor) -> Value) async throws -> Value {
        let monitor = monitor
        return try await loop.executeInContext { body(monitor) }
    }

    /// Moves all processes to another place.
    func move(to place: UsageEvidence.Place?) async throws {
        let login = login
        try await loop.executeInContext { login.move(to: place) }
    }
}

/// Scripted sessions. `@unchecked` because it is used on the loop only.
final class FakeLogin: LoginSource, @unchecked Sendable {
    private var place: UsageEvidence.Place? = .session(.attended)
    private var onChange: (LoginChange) -> Void = { _ in }
    private(set) var isStarted = false
    /// The number of look-ups of a process's place.
    private(set) var reads = 0

    func start(poller: DescriptorPoller, onChange: @escaping (LoginChange) -> Void) {
        self.onChange = onChange
        isStarted = true
    }

    func place(of processID: Int32, mayBeActivated: Bool) -> LoginPlace {
        reads += 1
        return .session("1")
    }

    func state(of place: LoginPlace) -> UsageEvidence.Place? { self.place }

    func stop() { isStarted = false }

    func move(to place: UsageEvidence.Place?) {
        self.place = place
        onChange(.session("1"))
    }
}

extension LoginSession {
    static let attended = LoginSession(isActive: true)
    static let inactive = LoginSession(isActive: false)
    static let locked = LoginSession(isActive: true, isLocked: true)
}
