/// The views of a layout.
extension LayoutGrid {
    /// The view that shows the item in `slot`, if it is visible.
    func view(showing slot: Int32, _ store: ItemStore) -> ViewID? {
        representative(showing: slot).map { view(representedBy: $0, store).id }
    }

    /// The slot of the annotation whose view shows the item in `slot`, if it is visible.
    func representative(showing slot: Int32) -> Int32? {
        let index = links[Int(slot)].stack
        let stack = stacks[Int(index)]
        var representative = index
        if Self.isClusterable(stack.kind) {
            representative = merging.winner(of: clustering.winner(of: index))
        } else if stack.top != slot {
            return nil
        }
        let place = placing.winner(of: representative)
        return place < 0 ? nil : stacks[Int(place)].top
    }

    /// Calls `body` with the slots of all items in the view of the item in `representative`.
    func forEachMember(ofViewRepresentedBy representative: Int32, _ body: (Int32) -> Void) {
        let place = links[Int(representative)].stack
        guard placing.winner(of: place) == place, stacks[Int(place)].top == representative else { return }
        guard Self.isClusterable(stacks[Int(place)].kind) else { return body(representative) }
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

    /// The views in `rect`, or in `rect` extended by `margin` map points each way: at most `limit`, those in `rect`
    /// first, and among these the highest ranks.
    func views(in rect: MapRect, margin: MapSize, limit: Int, _ store: ItemStore) -> [PlacedView] {
        let inner = highest(places(in: rect, store) { _ in true }, limit)
        var outer: [Int32] = []
        if inner.count < limit, margin.width > 0 || margin.height > 0 {
            let wide = rect.insetBy(dx: -margin.width, dy: -margin.height)
            outer = highest(places(in: wide, store) { !rect.containsWrapped($0) }, limit - inner.count)
        }
        return (inner + outer).map { view(representedBy: stacks[Int($0)].top, store) }
    }

    /// The placed views in `rect` at points that are `included`.
    private func places(in rect: MapRect, _ store: ItemStore, where included: (MapPoint) -> Bool) -> [Int32] {
        // The largest distance between a view's middle and its point.
        let slack = Double(store.offset)
        var places: [Int32] = []
        placing.forEachPlaced(
            minX: rect.minX * scale - slack, maxX: rect.maxX * scale + slack,
            minY: rect.minY * scale - slack, maxY: rect.maxY * scale + slack
        ) { index in
            let point = store.records[Int(stacks[Int(index)].top)].point
            if rect.containsWrapped(point), included(point) { places.append(index) }
        }
        return places
    }

    private func highest(_ indices: [Int32], _ limit: Int) -> [Int32] {
        guard limit > 0 else { return [] }
        return Array(Rank.sorted(indices) { placing.rank(of: $0) }.prefix(limit))
    }

    private func view(representedBy slot: Int32, _ store: ItemStore) -> PlacedView {
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
    /// True if `point`, or the same place one or more turns east or west, is inside or on an edge.
    func containsWrapped(_ point: MapPoint) -> Bool {
        guard point.y >= minY, point.y <= maxY else { return false }
        if width >= MapSize.world.width { return true }
        return MapPoint(x: point.x - minX, y: 0).wrapped.x <= width
    }
}
