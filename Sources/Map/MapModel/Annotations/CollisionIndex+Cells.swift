/// The lists of the candidates in each cell.
extension CollisionIndex {
    /// The cells of everything that can collide with `entry`.
    @inline(__always)
    func block(around entry: Entry) -> Raster.Block {
        let (width, height) = (Double(entry.halfWidth) + reachX, Double(entry.halfHeight) + reachY)
        return raster.block(
            minX: entry.x - width, maxX: entry.x + width, minY: entry.y - height, maxY: entry.y + height)
    }

    /// The place in `heads` of a list of `cell`. Cells next to each other in a row are mostly so in memory.
    @inline(__always)
    func place(of list: List, in cell: Raster.Cell) -> Int {
        let hash = (UInt64(UInt32(bitPattern: cell.row)) &* multiplier) >> 32 &+ UInt64(UInt32(bitPattern: cell.column))
        return Int(truncatingIfNeeded: hash) << 2 & (heads.count - 1) | list.rawValue
    }

    /// Calls `body` with the candidates in `lists` of the cells in `block`.
    @inline(__always)
    func forEachCandidate<let count: Int>(
        in block: Raster.Block, _ lists: InlineArray<count, List>, _ body: (Int32) -> Void
    ) {
        _ = contains(in: block, lists) {
            body($0)
            return false
        }
    }

    /// True if one of the candidates in `lists` of the cells in `block` satisfies `predicate`.
    @inline(__always)
    func contains<let count: Int>(
        in block: Raster.Block, _ lists: InlineArray<count, List>, where predicate: (Int32) -> Bool
    ) -> Bool {
        raster.contains(in: block) { cell in
            for number in lists.indices {
                var index = heads[place(of: lists[number], in: cell)]
                while index >= 0 {
                    if nodes[Int(index)].cell == cell, predicate(index) { return true }
                    index = nodes[Int(index)].next
                }
            }
            return false
        }
    }

    /// The list that `index` is in.
    private func list(of index: Int32) -> List {
        let node = nodes[Int(index)]
        guard node.entry.role == .yielding else { return .steady }
        return node.winner == index ? .placed : node.winner == Self.undecided ? .undecided : .yielded
    }

    /// Adds `index` to a list of its cell.
    mutating func attach(_ index: Int32) {
        let place = place(of: list(of: index), in: nodes[Int(index)].cell)
        let head = heads[place]
        heads[place] = index
        nodes[Int(index)].previous = -1
        nodes[Int(index)].next = head
        if head >= 0 { nodes[Int(head)].previous = index }
    }

    /// Removes `index` from its list.
    mutating func detach(_ index: Int32) {
        let node = nodes[Int(index)]
        if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
        if node.previous >= 0 {
            nodes[Int(node.previous)].next = node.next
        } else {
            heads[place(of: list(of: index), in: node.cell)] = node.next
        }
    }

    /// Sets the winner of `index`, and moves it to the proper list.
    mutating func setWinner(_ winner: Int32, of index: Int32) {
        detach(index)
        nodes[Int(index)].winner = winner
        attach(index)
    }

    /// Extends the range of indices up to `count`.
    mutating func makeRoom(for count: Int) {
        guard count > nodes.count else { return }
        nodes.append(contentsOf: repeatElement(Node(), count: count - nodes.count))
    }
}

extension CollisionIndex.Entry {
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
