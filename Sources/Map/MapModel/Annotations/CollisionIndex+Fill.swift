/// The decisions.
extension CollisionIndex {
    /// Decides all of `indices`, none of which takes part yet; their entries are those of `entries` at their index.
    ///
    /// `obstacles`, if given, are the only ones that others may yield to.
    mutating func fill(_ indices: [Int32], _ entries: [Entry], obstacles: [Int32]? = nil) {
        makeRoom(for: entries.count)
        var mayYield = [Bool](repeating: obstacles == nil, count: heads.count)
        for obstacle in obstacles ?? [] {
            _ = raster.contains(in: block(around: entries[Int(obstacle)])) {
                mayYield[place(of: .placed, in: $0)] = true
                return false
            }
        }
        var open: [Int32] = []
        for index in indices {
            let entry = entries[Int(index)]
            let cell = raster.cell(x: entry.x, y: entry.y)
            let isOpen = entry.role == .yielding && mayYield[place(of: .placed, in: cell)]
            nodes[Int(index)] = Node(entry: entry, winner: isOpen ? Self.undecided : index, cell: cell)
            attach(index)
            if isOpen { open.append(index) }
        }
        // In the order of memory, each after those of higher rank that it may yield to.
        var stack: [Int32] = []
        for index in open {
            stack.append(index)
            while let next = stack.last {
                guard nodes[Int(next)].winner == Self.undecided else {
                    stack.removeLast()
                    continue
                }
                guard let winner = decide(next, after: &stack) else { continue }
                stack.removeLast()
                setWinner(winner, of: next)
            }
        }
    }

    /// The candidate placed where `index` is shown. `nil` if that depends on undecided candidates, which are appended to
    /// `stack`.
    func decide(_ index: Int32, after stack: inout [Int32]) -> Int32? {
        let entry = nodes[Int(index)].entry
        guard entry.role == .yielding else { return index }
        let block = block(around: entry)
        var nearest = index
        switch rule {
        case .hide:
            let isHidden = contains(in: block, [.placed, .steady]) { yields(entry, to: nodes[Int($0)].entry) }
            if isHidden { return Self.hidden }
        case .join:
            var best = (distance: Double.infinity, rank: Rank.lowest)
            forEachCandidate(in: block, [.placed]) { other in
                let candidate = nodes[Int(other)].entry
                guard yields(entry, to: candidate) else { return }
                let dx = raster.difference(candidate.x, entry.x)
                let distance = dx * dx + (candidate.y - entry.y) * (candidate.y - entry.y)
                if (distance, best.rank) < (best.distance, candidate.rank) {
                    nearest = other
                    best = (distance, candidate.rank)
                }
            }
        }
        let count = stack.count
        forEachCandidate(in: block, [.undecided]) { if yields(entry, to: nodes[Int($0)].entry) { stack.append($0) } }
        return stack.count > count ? nil : nearest
    }

    /// True if `entry` yields to `other` when that is placed.
    @inline(__always)
    func yields(_ entry: Entry, to other: Entry) -> Bool {
        other.rank > entry.rank && (rule == .hide || other.identifier == entry.identifier)
            && other.role != .free && entry.role == .yielding && other.collides(with: entry, raster)
    }
}
