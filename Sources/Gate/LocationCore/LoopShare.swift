import Pacing
import NIOCore

/// Schedules work for many recipients fairly between users on the event loop: notifying watchers, reviewing
/// subscriptions, sending frames.
///
/// Work is done at once while no other user waits and the time slice lasts. The rest is queued, and users take turns,
/// one step each. Between two slices the loop polls sockets, fires timers and publishes fixes.
///
/// `@unchecked Sendable` because it is confined to the event loop.
package final class LoopShare: @unchecked Sendable {
    /// A step of work; called again, in its turn, while it returns true.
    typealias Work = () -> Bool

    private let queue: CoreQueue
    private var eventLoop: any EventLoop { queue.eventLoop }
    /// False for tests on a loop whose clock stands still, where the next slice starts at once.
    private let hasClock: Bool
    /// The number of steps after which a slice ends early, for tests on such a loop.
    var stepsPerSlice = Int.max
    private var turns = FairQueue<UInt32, (user: UInt32, work: Work)>()
    private var slice: LoopSlice
    /// The number of steps in this slice.
    private var steps = 0
    private var isScheduled = false

    /// A scheduler for a core, which takes in each of its turns as an event.
    init(queue: CoreQueue, hasClock: Bool = true) {
        self.queue = queue
        self.hasClock = hasClock
        slice = LoopSlice(on: queue.eventLoop)
    }

    /// The number of a user's waiting steps.
    func backlog(of user: UInt32) -> Int { turns.count(of: user) }

    /// Calls `body` with each item for a user, now as far as the slice allows, and with the rest in turn.
    func forEach<Item>(_ items: [Item], for user: UInt32, _ body: @escaping (Item) -> Void) {
        guard !items.isEmpty else { return }
        var index = 0
        repeating(for: user) {
            body(items[index])
            index += 1
            return index < items.count
        }
    }

    /// Calls `work` until it returns false, now as far as the slice allows, and the rest in turn.
    func repeating(for user: UInt32, _ work: @escaping Work) {
        if turns.isEmpty {
            if slice.isPast { startSlice() }
            while !isOver {
                steps += 1
                guard work() else { return }
            }
        }
        turns.append((user, work), of: user)
        schedule()
    }

    private var isOver: Bool { slice.isOver || steps >= stepsPerSlice }

    private func startSlice() { (slice, steps) = (LoopSlice(on: eventLoop), 0) }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        if hasClock {
            slice.resumeLater { self.resume() }
        } else {
            eventLoop.execute { self.resume() }
        }
    }

    private func resume() {
        isScheduled = false
        startSlice()
        queue.take { [self] in
            while !isOver, let next = turns.popFirst() {
                steps += 1
                if next.work() { turns.append(next, of: next.user) }
            }
            if !turns.isEmpty { schedule() }
        }
    }
}
