/// Incremental decisions after edits.
extension CollisionIndex {
    /// Discards the records of the previous edit.
    mutating func beginEdit() { earlierWinners.removeAll() }

    /// Enters the candidate `index` as `entry`, or removes it if `entry` is `nil`. Takes effect with `settle()`.
    mutating func set(_ index: Int32, to entry: Entry?) {
        let old = winner(of: index)
        guard (old == Self.absent ? nil : nodes[Int(index)].entry) != entry else { return }
        makeRoom(for: Int(index) + 1)
        record(index, old)
        if old != Self.absent {
            if old == index { wakeYielding(to: index) }
            detach(index)
            nodes[Int(index)] = Node()
        }
        guard let entry else { return }
        // The candidates that yield to it are woken when it is placed.
        nodes[Int(index)] = Node(entry: entry, winner: Self.hidden, cell: raster.cell(x: entry.x, y: entry.y))
        attach(index)
        wake(index)
    }

    /// Decides every candidate that the edit may affect, by falling rank. A decision depends on higher ranks only, so
    /// each candidate is decided once.
    mutating func settle() {
        var none: [Int32] = []
        while let (rank, index) = waiting.popHighest() {
            // The candidate may have been removed meanwhile, and added again with another rank.
            guard nodes[Int(index)].isWaiting, nodes[Int(index)].entry.rank == rank else { continue }
            nodes[Int(index)].isWaiting = false
            let old = nodes[Int(index)].winner
            guard let new = decide(index, after: &none), new != old else { continue }
            record(index, old)
            setWinner(new, of: index)
            if (old == index) != (new == index) { wakeYielding(to: index) }
        }
    }

    private mutating func record(_ index: Int32, _ winner: Int32) {
        if earlierWinners[index] == nil { earlierWinners[index] = winner }
    }

    private mutating func wake(_ index: Int32) {
        guard !nodes[Int(index)].isWaiting else { return }
        nodes[Int(index)].isWaiting = true
        waiting.insert(index, rank: nodes[Int(index)].entry.rank)
    }

    /// Queues the candidates that yield to `index`, or may yield to it, for another decision.
    private mutating func wakeYielding(to index: Int32) {
        let entry = nodes[Int(index)].entry
        guard entry.role != .free else { return }
        var yielding: [Int32] = []
        forEachCandidate(in: block(around: entry), [.placed, .yielded]) {
            if yields(nodes[Int($0)].entry, to: entry) { yielding.append($0) }
        }
        for other in yielding { wake(other) }
    }
}
