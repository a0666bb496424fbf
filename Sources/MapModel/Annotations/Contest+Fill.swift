import Glibc

extension Contest {
    /// Decides for all of `indices`, none of which takes part yet; their entries are those of `entries` at their index.
    ///
    /// By falling rank, but one tile of the map after the other, as what lies close together on the map does so in memory:
    /// three times faster. Whoever depends on one of another tile has that one decided first.
    mutating func fill(_ indices: [Int32], _ entries: [Entry]) {
        makeRoom(for: entries.count)
        for index in indices {
            let entry = entries[Int(index)]
            nodes[Int(index)].entry = entry
            nodes[Int(index)].winner = entry.isSteady ? index : Self.open
            link(index)
        }
        let tiles = tiles(holdingAbout: 1000)
        let order = byTile(Rank.sorted(indices.filter { !entries[Int($0)].isSteady }) { entries[Int($0)].rank }, tiles)
        var stack: [Int32] = []
        for index in order {
            let tile = tiles[Int(nodes[Int(index)].bucket)]
            stack.append(index)
            while let next = stack.last {
                guard nodes[Int(next)].winner == Self.open else {
                    stack.removeLast()
                    continue
                }
                switch decide(next, inOrder: tile, of: tiles) {
                case .winner(let winner): setWinner(winner, of: next)
                case .after(let other): stack.append(other)
                }
            }
        }
    }

    /// The number of the tile that each bucket lies in; tiles are squares of that many contestants or fewer.
    private func tiles(holdingAbout count: Double) -> [Int32] {
        let perBucket = Double(nodes.count) / Double(max(1, buckets.count))
        let shift = UInt64(max(0, (log2(count / max(perBucket, 0.1)) / 2).rounded(.up)))
        var numbers: [UInt64: Int32] = [:]
        var last: (tile: UInt64, number: Int32) = (.max, -1)
        return buckets.map { bucket in
            let tile = bucket.key.tile(shift)
            if tile != last.tile {
                last = (tile, numbers[tile] ?? Int32(numbers.count))
                numbers[tile] = last.number
            }
            return last.number
        }
    }

    /// `indices` in the same order within each tile, one tile after the other.
    private func byTile(_ indices: [Int32], _ tiles: [Int32]) -> [Int32] {
        // Tiles by index first, as the nodes are too large to be read at random.
        let tileOf = nodes.map { $0.bucket < 0 ? 0 : tiles[Int($0.bucket)] }
        var starts = [Int](repeating: 0, count: Int(tiles.max() ?? 0) + 2)
        for index in indices { starts[Int(tileOf[Int(index)]) + 1] += 1 }
        for tile in starts.indices.dropFirst() { starts[tile] += starts[tile - 1] }
        var sorted = indices
        for index in indices {
            let tile = Int(tileOf[Int(index)])
            sorted[starts[tile]] = index
            starts[tile] += 1
        }
        return sorted
    }
}
