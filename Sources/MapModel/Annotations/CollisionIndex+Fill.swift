import Glibc

/// The decision of all candidates at once.
extension CollisionIndex {
    /// Decides all of `indices`, none of which takes part yet; their entries are those of `entries` at their index.
    ///
    /// By falling rank, but one tile of the map after the other, because neighbours on the map are close in memory. A
    /// candidate that depends on one in another tile waits until that one is decided.
    ///
    /// `obstacles`, if given, are the only ones that others may yield to.
    mutating func fill(_ indices: [Int32], _ entries: [Entry], obstacles: [Int32]? = nil) {
        makeRoom(for: entries.count)
        if buckets.isEmpty {
            buckets.reserveCapacity(indices.count / 2)
            directory.reserveCapacity(indices.count / 16)
        }
        var homes: [Int32] = []
        homes.reserveCapacity(indices.count)
        for index in indices {
            let key = raster.key(x: entries[Int(index)].x, y: entries[Int(index)].y)
            // Mostly the bucket of the previous one.
            let last = homes.last ?? -1
            homes.append(last >= 0 && buckets[Int(last)].key == key ? last : bucket(at: key))
        }
        var mayYield = [Bool](repeating: obstacles == nil, count: buckets.count)
        withUnsafeIndex { access in
            for obstacle in obstacles ?? [] {
                access.forEachBucket(around: entries[Int(obstacle)]) { mayYield[$0] = true }
            }
            for (index, home) in zip(indices, homes) {
                let entry = entries[Int(index)]
                let isOpen = !entry.isSteady && mayYield[Int(home)]
                access.nodes[Int(index)] = Node(
                    entry: entry, isWaiting: false, winner: isOpen ? Self.open : index, bucket: home, next: -1,
                    previous: -1)
                access.attach(index)
            }
        }

        let open = indices.filter { nodes[Int($0)].winner == Self.open }
        guard !open.isEmpty else { return }
        // Where candidates collide with less than four others on average, few have to wait for another one: these are
        // decided in the order of memory, as if nothing was known of any tile.
        let perBucket = Double(indices.count) / Double(buckets.count)
        let isSparse = perBucket * 4 * reachX * reachY < raster.bucketArea
        let tiles = isSparse ? Array(repeating: 0, count: buckets.count) : tiles(holdingAbout: 1000, of: indices.count)
        var tileOf = [Int32](repeating: -1, count: entries.count)
        var order = open
        if !isSparse {
            for (index, home) in zip(indices, homes) { tileOf[Int(index)] = tiles[Int(home)] }
            order = Self.grouped(Rank.sorted(open) { entries[Int($0)].rank }, by: tileOf)
        }
        withUnsafeIndex { access in
            tiles.withUnsafeBufferPointer { tiles in
                var stack: [Int32] = []
                for index in order where access.nodes[Int(index)].winner == Self.open {
                    let tile = tileOf[Int(index)]
                    var next = index
                    while true {
                        switch access.decide(next, inOrder: tile, of: tiles) {
                        case .winner(let winner):
                            access.setWinner(winner, of: next)
                            guard let last = stack.popLast() else { break }
                            next = last
                            continue
                        case .after(let other):
                            stack.append(next)
                            next = other
                            continue
                        }
                        break
                    }
                }
            }
        }
    }

    /// The tile of each bucket; tiles are squares that hold about `count` of `total` candidates.
    private func tiles(holdingAbout count: Double, of total: Int) -> [Int32] {
        let perBucket = Double(max(1, total)) / Double(max(1, buckets.count))
        let shift = Int32(max(0, (log2(count / perBucket) / 2).rounded(.up)))
        var numbers: [UInt64: Int32] = [:]
        var last: (tile: UInt64, number: Int32) = (.max, -1)
        return buckets.map { bucket in
            let tile =
                UInt64(UInt32(bitPattern: bucket.key.column >> shift)) << 32
                | UInt64(UInt32(bitPattern: bucket.key.row >> shift))
            if tile != last.tile {
                last = (tile, numbers[tile] ?? Int32(numbers.count))
                numbers[tile] = last.number
            }
            return last.number
        }
    }

    /// `indices` in the same order within each group, one group after the other.
    private static func grouped(_ indices: [Int32], by group: [Int32]) -> [Int32] {
        var starts = [Int](repeating: 0, count: Int(group.max() ?? 0) + 2)
        for index in indices { starts[Int(group[Int(index)]) + 1] += 1 }
        for number in starts.indices.dropFirst() { starts[number] += starts[number - 1] }
        var grouped = indices
        for index in indices {
            let number = Int(group[Int(index)])
            grouped[starts[number]] = index
            starts[number] += 1
        }
        return grouped
    }
}
