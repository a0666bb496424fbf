/// Unchecked access to a collision index's nodes and buckets during `CollisionIndex.withUnsafeIndex`, with the decision rule.
///
/// Without the bounds checks of arrays, because this is the hot path. All indices come from the lists themselves, which
/// contain indices of existing nodes and buckets only.
struct UnsafeCollisionIndex {
    let nodes: UnsafeMutableBufferPointer<CollisionIndex.Node>
    let buckets: UnsafeMutableBufferPointer<CollisionIndex.Bucket>
    let directory: BucketDirectory
    let raster: Raster
    let reachX: Double
    let reachY: Double
    let rule: CollisionIndex.Rule

    enum Decision {
        /// The placed candidate.
        case winner(Int32)
        /// Undecided until this candidate is decided.
        case after(Int32)
    }

    /// The candidate placed where `index` is shown, given those of higher rank.
    ///
    /// `tiles` has the tile of each bucket; in `tile` all candidates of higher rank are decided. Without tiles all
    /// are.
    func decide(_ index: Int32, inOrder tile: Int32, of tiles: UnsafeBufferPointer<Int32>) -> Decision {
        let entry = nodes[Int(index)].entry
        if entry.isSteady { return .winner(index) }
        var nearest: Int32 = -1
        var nearestDistance = Double.infinity
        var nearestRank = Rank.lowest
        var isBlocked = false
        var open: Int32 = -1
        forEachBucket(around: entry) { bucket in
            guard open < 0 else { return }
            var other = buckets[bucket][.open]
            if other >= 0, tiles[bucket] != tile {
                while other >= 0, open < 0 {
                    if yields(entry, to: nodes[Int(other)].entry) { open = other }
                    other = nodes[Int(other)].next
                }
            }
            guard rule == .join || !isBlocked else { return }
            other = buckets[bucket][.placed]
            while other >= 0 {
                let node = nodes[Int(other)]
                if yields(entry, to: node.entry) {
                    isBlocked = true
                    if rule == .hide { return }
                    let dx = raster.difference(node.entry.x, entry.x)
                    let distance = dx * dx + (node.entry.y - entry.y) * (node.entry.y - entry.y)
                    if (distance, nearestRank) < (nearestDistance, node.entry.rank) {
                        (nearest, nearestDistance, nearestRank) = (other, distance, node.entry.rank)
                    }
                }
                other = node.next
            }
            other = buckets[bucket][.fixed]
            while other >= 0, !isBlocked {
                isBlocked = yields(entry, to: nodes[Int(other)].entry)
                other = nodes[Int(other)].next
            }
        }
        if open >= 0, !(isBlocked && rule == .hide) { return .after(open) }
        return .winner(!isBlocked ? index : rule == .join ? nearest : CollisionIndex.hidden)
    }

    /// True if `entry` yields to `other` when that is placed.
    @inline(__always)
    private func yields(_ entry: CollisionIndex.Entry, to other: CollisionIndex.Entry) -> Bool {
        other.collides(with: entry, raster) && (other.rank > entry.rank || other.role == .fixed)
            && (rule == .hide || other.identifier == entry.identifier)
    }

    /// Calls `body` with the candidates that may yield to `entry`.
    func forEachYielding(to entry: CollisionIndex.Entry, _ body: (Int32) -> Void) {
        guard entry.role != .free else { return }
        forEachBucket(around: entry) { bucket in
            for list in [CollisionIndex.List.placed, .yielded] {
                var other = buckets[bucket][list]
                while other >= 0 {
                    let node = nodes[Int(other)]
                    if yields(node.entry, to: entry) { body(other) }
                    other = node.next
                }
            }
        }
    }

    /// Calls `body` with the buckets of everything that can collide with `entry`.
    @inline(__always)
    func forEachBucket(around entry: CollisionIndex.Entry, _ body: (Int) -> Void) {
        let (width, height) = (Double(entry.halfWidth) + reachX, Double(entry.halfHeight) + reachY)
        let block = raster.block(
            minX: entry.x - width, maxX: entry.x + width, minY: entry.y - height, maxY: entry.y + height)
        raster.forEachBucket(in: block, directory) { body(Int($0)) }
    }
}

// MARK: - Lists

extension UnsafeCollisionIndex {
    /// Adds `index` to the proper list of its bucket.
    @inline(__always)
    func attach(_ index: Int32) {
        let node = nodes.baseAddress.unsafelyUnwrapped + Int(index)
        let list = list(of: index)
        let head = buckets[Int(node.pointee.bucket)][list]
        buckets[Int(node.pointee.bucket)][list] = index
        node.pointee.previous = -1
        node.pointee.next = head
        if head >= 0 { nodes[Int(head)].previous = index }
    }

    /// Removes `index` from its list.
    @inline(__always)
    func detach(_ index: Int32) {
        let (next, previous) = (nodes[Int(index)].next, nodes[Int(index)].previous)
        if next >= 0 { nodes[Int(next)].previous = previous }
        if previous >= 0 {
            nodes[Int(previous)].next = next
        } else {
            buckets[Int(nodes[Int(index)].bucket)][list(of: index)] = next
        }
    }

    /// Sets the winner of `index`.
    @inline(__always)
    func setWinner(_ winner: Int32, of index: Int32) {
        detach(index)
        nodes[Int(index)].winner = winner
        attach(index)
    }

    @inline(__always)
    private func list(of index: Int32) -> CollisionIndex.List {
        let winner = nodes[Int(index)].winner
        switch nodes[Int(index)].entry.role {
        case .fixed: return .fixed
        case .free: return .free
        case .yielding: return winner == index ? .placed : winner == CollisionIndex.open ? .open : .yielded
        }
    }
}

extension CollisionIndex.Entry {
    /// True if it cannot lose its place.
    var isSteady: Bool { role == .fixed || role == .free }

    /// True if two views overlap; touching is not overlapping.
    @inline(__always)
    func collides(with other: Self, _ raster: Raster) -> Bool {
        let dx = raster.difference(x, other.x)
        let dy = abs(y - other.y)
        let (width, height) = (Double(halfWidth + other.halfWidth), Double(halfHeight + other.halfHeight))
        guard dx < width, dy < height else { return false }
        switch (isCircle, other.isCircle) {
        case (false, false): return true
        case (true, true): return dx * dx + dy * dy < width * width
        case (true, false), (false, true):
            let (circle, rectangle) = isCircle ? (self, other) : (other, self)
            let ex = max(0, dx - Double(rectangle.halfWidth))
            let ey = max(0, dy - Double(rectangle.halfHeight))
            return ex * ex + ey * ey < Double(circle.halfWidth) * Double(circle.halfWidth)
        }
    }
}
