extension Contest {
    /// Forgets what was recorded of the edit before.
    mutating func beginEdit() { earlierWinners.removeAll() }

    /// Lets `index` compete as `entry`, or no longer. Takes effect with `settle()`.
    mutating func set(_ index: Int32, to entry: Entry?) {
        guard self.entry(of: index) != entry else { return }
        makeRoom(for: Int(index) + 1)
        let old = nodes[Int(index)].winner
        record(index, old)
        if old != Self.absent {
            if old == index { wakeBeaten(by: index) }
            unlink(index)
            nodes[Int(index)].winner = Self.absent
            nodes[Int(index)].isWaiting = false
        }
        guard let entry else { return }
        nodes[Int(index)].entry = entry
        // What it is in the way of is looked at when it has got its place.
        nodes[Int(index)].winner = Self.hidden
        link(index)
        wake(index)
    }

    /// Decides again for all that an edit can have changed the outcome for, from the highest rank down: a decision depends
    /// on higher ranks only, so each is taken once.
    mutating func settle() {
        while let (rank, index) = waiting.popHighest() {
            // It may have left since, and come back with another rank.
            guard nodes[Int(index)].isWaiting, nodes[Int(index)].entry.rank == rank else { continue }
            nodes[Int(index)].isWaiting = false
            let old = nodes[Int(index)].winner
            guard case .winner(let new) = decide(index, inOrder: -1, of: []), new != old else { continue }
            record(index, old)
            setWinner(new, of: index)
            if (old == index) != (new == index) { wakeBeaten(by: index) }
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

    /// Wakes what gives way to `index`, or would.
    private mutating func wakeBeaten(by index: Int32) {
        let entry = nodes[Int(index)].entry
        guard entry.role != .free else { return }
        var woken: [Int32] = []
        forEachBucket(around: entry) { bucket in
            for head in [bucket.placed, bucket.beaten] {
                var other = head
                while other >= 0 {
                    let node = nodes[Int(other)]
                    if !node.isWaiting, entry.role == .fixed || node.entry.rank < entry.rank,
                        amongAll || node.entry.identifier == entry.identifier, node.entry.collides(with: entry, raster)
                    {
                        woken.append(other)
                    }
                    other = node.next
                }
            }
        }
        for other in woken { wake(other) }
    }
}
