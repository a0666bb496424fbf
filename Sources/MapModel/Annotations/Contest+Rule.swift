extension Contest {
    enum Decision {
        /// Who has the place.
        case winner(Int32)
        /// Not known before that one is decided.
        case after(Int32)
    }

    /// Who has the place at which `index` is shown, given those of higher rank. Of several to join it is the nearest.
    ///
    /// In the tile `tile` of `tiles` all of higher rank are decided.
    func decide(_ index: Int32, inOrder tile: Int32, of tiles: [Int32]) -> Decision {
        let entry = nodes[Int(index)].entry
        if entry.isSteady { return .winner(index) }
        var joined: Int32 = -1
        var joinedDistance = Double.infinity
        var joinedRank = Rank.lowest
        var isBlocked = false
        var open: Int32 = -1
        nodes.withUnsafeBufferPointer { nodes in
            forEachBucket(around: entry) { bucket in
                var other = bucket.placed
                while other >= 0 {
                    let node = nodes[Int(other)]
                    if node.entry.rank > entry.rank, amongAll || node.entry.identifier == entry.identifier,
                        node.entry.collides(with: entry, raster)
                    {
                        if node.entry.identifier == entry.identifier, node.entry.identifier >= 0 {
                            let dx = raster.difference(node.entry.x, entry.x)
                            let distance = dx * dx + (node.entry.y - entry.y) * (node.entry.y - entry.y)
                            if (distance, joinedRank) < (joinedDistance, node.entry.rank) {
                                (joined, joinedDistance, joinedRank) = (other, distance, node.entry.rank)
                            }
                        } else {
                            isBlocked = true
                        }
                    }
                    other = node.next
                }
                other = bucket.fixed
                while other >= 0, !isBlocked {
                    isBlocked = nodes[Int(other)].entry.collides(with: entry, raster)
                    other = nodes[Int(other)].next
                }
                other = bucket.open
                guard other >= 0, open < 0, tiles[Int(nodes[Int(other)].bucket)] != tile else { return }
                while other >= 0, open < 0 {
                    let node = nodes[Int(other)]
                    if node.entry.rank > entry.rank, amongAll || node.entry.identifier == entry.identifier,
                        node.entry.collides(with: entry, raster)
                    {
                        open = other
                    }
                    other = node.next
                }
            }
        }
        if open >= 0 { return .after(open) }
        if joined >= 0 { return .winner(joined) }
        return .winner(isBlocked && entry.role == .contested ? Self.hidden : index)
    }
}

extension Contest.Entry {
    /// Whether nothing can take its place from it.
    var isSteady: Bool { role == .fixed || role == .free }

    /// Whether two views overlap; touching is not overlapping.
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
