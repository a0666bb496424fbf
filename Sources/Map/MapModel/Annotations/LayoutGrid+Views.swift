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
        forEachStack(inViewAt: place) { stack in
            var slot = stacks[Int(stack)].first
            while slot >= 0 {
                body(slot)
                slot = links[Int(slot)].next
            }
        }
    }

    /// Calls `body` with the stacks in the view at `place`, which must have a clustering identifier.
    private func forEachStack(inViewAt place: Int32, _ body: (Int32) -> Void) {
        func visit(cluster: Int32) {
            body(cluster)
            clustering.forEachJoined(cluster, body)
        }
        visit(cluster: place)
        merging.forEachJoined(place, visit(cluster:))
    }

    /// The views that show an item in `rect`, and then up to `limit` in all the highest of those within `margin` map
    /// points around it.
    func views(in rect: MapRect, margin: MapSize, limit: Int, _ store: ItemStore) -> [PlacedView] {
        var views = places(around: rect, reach: clusterReach(store), store) { isShown($0, in: rect, store) }
        if views.count < limit, margin.width > 0 || margin.height > 0 {
            let wide = rect.insetBy(dx: -margin.width, dy: -margin.height)
            let shown = Set(views)
            let outside = places(around: wide, reach: (0, 0), store) {
                !shown.contains($0) && wide.containsWrapped(point(of: $0, store))
            }
            views += outside.sorted { placing.rank(of: $0) > placing.rank(of: $1) }.prefix(limit - views.count)
        }
        return views.map { view(representedBy: stacks[Int($0)].top, store) }
    }

    /// The placed views within `reach` pixels of `rect` that are `included`.
    private func places(
        around rect: MapRect, reach: (x: Double, y: Double), _ store: ItemStore, where included: (Int32) -> Bool
    ) -> [Int32] {
        // The index has the middles of views, which are away from their points.
        let slack = Double(store.offset)
        var places: [Int32] = []
        placing.forEachPlaced(
            minX: rect.minX * scale - slack - reach.x, maxX: rect.maxX * scale + slack + reach.x,
            minY: rect.minY * scale - slack - reach.y, maxY: rect.maxY * scale + slack + reach.y
        ) { if included($0) { places.append($0) } }
        return places
    }

    /// An upper bound of the distance between the middles of a member's view and of its cluster's, in pixels.
    private func clusterReach(_ store: ItemStore) -> (x: Double, y: Double) {
        // An item is half a view away from the top of its stack; that collides with the stack that it joins, and this
        // with the cluster.
        let (view, cluster) = (store.viewReach, store.viewReach.union(store.clusterReach))
        let margins = 2 * AnnotationLayout.clusterMargin
        return (
            Double(3 * view.halfWidth + 2 * cluster.halfWidth + margins),
            Double(3 * view.halfHeight + 2 * cluster.halfHeight + margins)
        )
    }

    private func point(of place: Int32, _ store: ItemStore) -> MapPoint {
        store.records[Int(stacks[Int(place)].top)].point
    }

    /// True if the view at `place` shows an item in `rect`.
    private func isShown(_ place: Int32, in rect: MapRect, _ store: ItemStore) -> Bool {
        if rect.containsWrapped(point(of: place, store)) { return true }
        guard Self.isClusterable(stacks[Int(place)].kind) else { return false }
        // The items of a stack are near its top, so that few stacks need a closer look.
        let slack =
            (Double(max(store.viewReach.halfWidth, store.viewReach.halfHeight)) + 2 * Double(store.offset)) / scale
        let near = rect.insetBy(dx: -slack, dy: -slack)
        var isFound = false
        forEachStack(inViewAt: place) { stack in
            guard !isFound, near.containsWrapped(point(of: stack, store)) else { return }
            var slot = stacks[Int(stack)].first
            while slot >= 0, !isFound {
                isFound = rect.containsWrapped(store.records[Int(slot)].point)
                slot = links[Int(slot)].next
            }
        }
        return isFound
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
            clusteringIdentifier: record.identifier < 0 ? nil : store.identifiers[Int(record.identifier)])
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
