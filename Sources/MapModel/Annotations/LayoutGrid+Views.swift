/// What a layout shows.
extension LayoutGrid {
    /// The view that shows the item in `slot`, if one does.
    func view(showing slot: Int32, _ store: ItemStore) -> ViewID? {
        leader(showing: slot).map { view(ledBy: $0, store).id }
    }

    /// The slot of the annotation whose view shows the item in `slot`, if one does.
    func leader(showing slot: Int32) -> Int32? {
        let index = links[Int(slot)].stack
        let stack = stacks[Int(index)]
        var leader = index
        if Self.isClusterable(stack.kind) {
            leader = merging.winner(of: clustering.winner(of: index))
        } else if stack.top != slot {
            return nil
        }
        let place = placing.winner(of: leader)
        return place < 0 ? nil : stacks[Int(place)].top
    }

    /// Calls `body` with the slots of all items that the view of the item in `leader` shows.
    func forEachMember(ofViewLedBy leader: Int32, _ body: (Int32) -> Void) {
        let place = links[Int(leader)].stack
        guard placing.winner(of: place) == place, stacks[Int(place)].top == leader else { return }
        guard Self.isClusterable(stacks[Int(place)].kind) else { return body(leader) }
        func visit(stack: Int32) {
            var slot = stacks[Int(stack)].first
            while slot >= 0 {
                body(slot)
                slot = links[Int(slot)].next
            }
        }
        func visit(cluster: Int32) {
            visit(stack: cluster)
            clustering.forEachJoined(cluster, visit(stack:))
        }
        visit(cluster: place)
        merging.forEachJoined(place, visit(cluster:))
    }

    /// The views that stand in `rect`, or in the one that is larger by `margin` map points each way: at most `limit`, those
    /// in `rect` first, among these by falling rank.
    func views(in rect: MapRect, margin: MapSize, limit: Int, _ store: ItemStore) -> [PlacedView] {
        let wide = rect.insetBy(dx: -margin.width, dy: -margin.height)
        let slack = Double(store.offset)
        var inner: [Int32] = []
        var outer: [Int32] = []
        placing.forEachPlaced(
            minX: wide.minX * scale - slack, maxX: wide.maxX * scale + slack,
            minY: wide.minY * scale - slack, maxY: wide.maxY * scale + slack
        ) { index in
            let point = store.records[Int(stacks[Int(index)].top)].point
            if rect.containsWrapped(point) {
                inner.append(index)
            } else if wide.containsWrapped(point) {
                outer.append(index)
            }
        }
        return (highest(inner, limit) + highest(outer, limit - inner.count)).map {
            view(ledBy: stacks[Int($0)].top, store)
        }
    }

    private func highest(_ indices: [Int32], _ limit: Int) -> [Int32] {
        guard limit > 0 else { return [] }
        return Array(Rank.sorted(indices) { placing.rank(of: $0) }.prefix(limit))
    }

    private func view(ledBy slot: Int32, _ store: ItemStore) -> PlacedView {
        let record = store.records[Int(slot)]
        let place = links[Int(slot)].stack
        var (count, digest) = (1, record.id.digest)
        if Self.isClusterable(stacks[Int(place)].kind) {
            (count, digest) = (Int(stacks[Int(place)].totalCount), stacks[Int(place)].totalDigest)
            merging.forEachJoined(place) {
                count += Int(stacks[Int($0)].totalCount)
                digest ^= stacks[Int($0)].totalDigest
            }
        }
        return PlacedView(
            id: count > 1 ? .cluster(record.id) : .annotation(record.id), point: record.point, memberCount: count,
            membership: digest,
            clusteringIdentifier: record.identifier < 0 ? nil : store.identifiers[Int(record.identifier)],
            zPriority: count > 1 ? store.appearances[Int(record.identifier)].zPriority : record.zPriority,
            isSelected: record.isSelected)
    }
}

extension MapRect {
    /// Whether `point`, or the same place one or more turns east or west, lies inside or on an edge.
    func containsWrapped(_ point: MapPoint) -> Bool {
        guard point.y >= minY, point.y <= maxY else { return false }
        if width >= MapSize.world.width { return true }
        return MapPoint(x: point.x - minX, y: 0).wrapped.x <= width
    }
}
