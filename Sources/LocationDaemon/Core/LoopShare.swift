import FairQueue
import NIOCore

/// Shares the event loop between users for what fans out: telling watchers, reviewing subscriptions, showing frames.
///
/// Work of a user is done at once while no other waits and there is time left in this slice. What is more than that waits, and
/// then users take turns, a step of work each. Between two slices the loop reads sockets, fires timers and publishes fixes.
///
/// `@unchecked Sendable` because it is confined to the event loop.
final class LoopShare: @unchecked Sendable {
    /// One piece of work; called again, in its turn, while it returns true.
    typealias Work = () -> Bool

    private let eventLoop: any EventLoop
    /// Whether the event loop has a clock that goes: on one whose clock stands still the next slice begins at once.
    private let hasClock: Bool
    private var queue = FairQueue<UInt32, (user: UInt32, work: Work)>()
    private var slice: LoopSlice
    private var isScheduled = false

    /// Users share `eventLoop`.
    init(eventLoop: any EventLoop, hasClock: Bool = true) {
        self.eventLoop = eventLoop
        self.hasClock = hasClock
        slice = LoopSlice(on: eventLoop)
    }

    /// How much of a user waits.
    func backlog(of user: UInt32) -> Int { queue.count(of: user) }

    /// Does something with each item for a user, now or as far as there is time, and with the rest in its turn.
    func forEach<Item>(_ items: [Item], for user: UInt32, _ body: @escaping (Item) -> Void) {
        guard !items.isEmpty else { return }
        var index = 0
        repeating(for: user) {
            body(items[index])
            index += 1
            return index < items.count
        }
    }

    /// Calls `work` until it returns false, now or as far as there is time, and the rest in its turn.
    func repeating(for user: UInt32, _ work: @escaping Work) {
        if queue.isEmpty {
            if slice.isPast { slice = LoopSlice(on: eventLoop) }
            while !slice.isOver {
                guard work() else { return }
            }
        }
        queue.append((user, work), of: user)
        schedule()
    }

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
        slice = LoopSlice(on: eventLoop)
        while !slice.isOver, let next = queue.popFirst() {
            if next.work() { queue.append(next, of: next.user) }
        }
        if !queue.isEmpty { schedule() }
    }
}
