/// A priority queue of processes by the ends of their grace periods: a binary heap.
///
/// A process is in it at most once. Its deadline may be cancelled or postponed meanwhile, which is checked when it is
/// due.
struct DeadlineQueue {
    private var heap: [(deadline: ContinuousClock.Instant, use: ProcessUse)] = []

    /// The earliest deadline.
    var first: ContinuousClock.Instant? { heap.first?.deadline }

    /// Adds a process with a deadline after `instant`, unless it is in the queue already.
    mutating func insert(_ use: ProcessUse, at instant: ContinuousClock.Instant) {
        guard !use.isInDeadlineQueue, let deadline = use.deadline, deadline > instant else { return }
        use.isInDeadlineQueue = true
        heap.append((deadline, use))
        var child = heap.count - 1
        while child > 0, heap[child].deadline < heap[(child - 1) / 2].deadline {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the next process that was due at `instant` or before.
    mutating func popDue(at instant: ContinuousClock.Instant) -> ProcessUse? {
        guard let first = heap.first, first.deadline <= instant else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while let child = [2 * parent + 1, 2 * parent + 2].filter({ $0 < heap.count })
            .min(by: { heap[$0].deadline < heap[$1].deadline }), heap[child].deadline < heap[parent].deadline
        {
            heap.swapAt(parent, child)
            parent = child
        }
        first.use.isInDeadlineQueue = false
        return first.use
    }
}
