import Glibc

/// The layout of all annotations at one zoom step.
///
/// Four stages, each of which depends on its neighbourhood alone:
/// 1. Annotations of one clustering identifier with views of similar size and within half a view of each other always
///    collide. They form a *stack* at the position of the highest annotation. The number of stacks in reach of one
///    another is bounded, whatever the number of annotations.
/// 2. The stacks of one identifier compete: a stack that collides with a higher one joins it (`clustering`).
/// 3. Clusters have a size of their own, with a margin, and may collide with each other and with single views: those of
///    one identifier compete again, clusters first, so that none grows after its evaluation (`merging`).
/// 4. The rest competes with everything else: a view that collides with a higher one is hidden (`placing`).
struct LayoutGrid: Sendable {
    struct Stack: Sendable {
        /// The cell, identifier and size of its annotations; see `LayoutGrid.kind(of:)`.
        var cell: CellKey
        /// The slot of the annotation with the highest rank.
        var top: Int32
        /// The first of its annotations' slots.
        var first: Int32
        /// The number of its annotations, 0 for a removed stack, and a digest of their scrambled numbers.
        var count: Int32
        var digest: UInt64
        /// The same including all stacks that have joined it.
        var totalCount: Int32
        var totalDigest: UInt64

        var kind: Int32 { cell.kind }
        var isCluster: Bool { totalCount > 1 }
    }

    /// The place and the kind of the annotations in a stack.
    struct CellKey: Hashable, Sendable {
        var column: Int32
        var row: Int32
        var kind: Int32

        /// Faster than the synthesized function, in one step.
        func hash(into hasher: inout Hasher) {
            hasher.combine(Int64(column) << 32 ^ Int64(row) ^ Int64(kind) << 48 ^ Int64(kind) << 16)
        }
    }

    struct Link: Sendable {
        var stack: Int32
        var next: Int32
        var previous: Int32
    }

    let step: ZoomStep
    /// The width of the world in pixels.
    let world: Double
    /// Pixels per map point.
    let scale: Double
    /// The number of cells around the world, by the size of views.
    private let cellColumns: [Int]

    var stacks: [Stack] = []
    var freeStacks: [Int32] = []
    var links: [Link]
    var clustering: CollisionIndex
    var merging: CollisionIndex
    var placing: CollisionIndex
    private var stackAt: [CellKey: Int32] = [:]

    /// The changes of the current edit, with the previous state.
    var edit = Edit()
    var isEditing = false

    /// Lays out all of `store` at `step`.
    init(_ store: ItemStore, step: ZoomStep) {
        self.step = step
        let world = step.worldWidth
        self.world = world
        scale = world / MapSize.world.width
        cellColumns = (0..<10).map { max(1, Int((world / exp2(Double($0))).rounded(.up))) }
        links = Array(repeating: Link(stack: -1, next: -1, previous: -1), count: store.records.count)
        func collisionIndex(
            _ rule: CollisionIndex.Rule, reach: Reach, among entries: [CollisionIndex.Entry]
        ) -> CollisionIndex {
            CollisionIndex(
                world: world, reach: reach, spacing: Self.spacing(of: entries), capacity: entries.count, rule: rule)
        }
        let clusters = store.viewReach.union(store.clusterReach, margin: AnnotationLayout.clusterMargin)
        let views = store.viewReach.union(store.clusterReach)
        clustering = collisionIndex(.join, reach: store.viewReach, among: [])
        merging = clustering
        placing = clustering

        stacks.reserveCapacity(store.count)
        stackAt.reserveCapacity(store.count)
        for slot in store.records.indices where store.records[slot].isPresent { put(Int32(slot), store) }

        var entries: [CollisionIndex.Entry] = []
        entries.reserveCapacity(stacks.count)
        var clusterable: [Int32] = []
        for index in stacks.indices {
            entries.append(Self.entry(of: stacks[index], isCluster: false, .always, store, world: world))
            if Self.isClusterable(stacks[index].kind) { clusterable.append(Int32(index)) }
        }
        clustering = collisionIndex(.join, reach: store.viewReach, among: entries)
        clustering.fill(clusterable, entries)
        for index in clusterable {
            let winner = Int(clustering.winner(of: index))
            stacks[winner].totalCount += stacks[Int(index)].count
            stacks[winner].totalDigest ^= stacks[Int(index)].digest
        }

        let representatives = clusterable.filter { clustering.winner(of: $0) == $0 }
        for index in representatives where stacks[Int(index)].isCluster {
            entries[Int(index)] = Self.entry(of: stacks[Int(index)], isCluster: true, .always, store, world: world)
        }
        merging = collisionIndex(.join, reach: clusters, among: entries)
        // Single views have competed with each other; only clusters have become larger.
        merging.fill(representatives, entries, obstacles: representatives.filter { stacks[Int($0)].isCluster })

        var candidates: [Int32] = []
        for index in stacks.indices {
            let stack = stacks[index]
            guard !Self.isClusterable(stack.kind) || merging.winner(of: Int32(index)) == Int32(index) else { continue }
            entries[index] = Self.entry(of: stack, isCluster: stack.isCluster, .amongEquals, store, world: world)
            candidates.append(Int32(index))
        }
        placing = collisionIndex(.hide, reach: views, among: entries)
        // Views of one identifier have competed with each other.
        let first = candidates.first.map { entries[Int($0)].identifier } ?? -1
        let isOfOneKind = first >= 0 && candidates.allSatisfy { entries[Int($0)].identifier == first }
        placing.fill(candidates, entries, obstacles: isOfOneKind ? [] : nil)
    }

    /// The approximate distance between neighbours; `entries` are roughly sorted by place.
    private static func spacing(of entries: [CollisionIndex.Entry]) -> Double {
        let samples = stride(from: 1, to: entries.count, by: max(1, entries.count / 256)).map { index in
            let (one, other) = (entries[index - 1], entries[index])
            return max(abs(one.x - other.x), abs(one.y - other.y))
        }
        return samples.isEmpty ? 0 : samples.sorted()[samples.count / 2]
    }
}

// MARK: - Stacks

extension LayoutGrid {
    /// The kind of annotations that never stack, because they collide with nothing or are never hidden.
    static let alone: Int32 = -1

    /// The kind of an annotation. Annotations form a stack if they have the same kind and the middles of their views
    /// are in the same cell, which is at most half as large as the smallest of them.
    static func kind(of record: ItemStore.Record) -> Int32 {
        if record.isSelected || record.frame.collisionMode == .none { return alone }
        if record.identifier < 0, record.displayPriority == .required { return alone }
        // The size class of the view, in halves: from one power of two to the next.
        let level = (min(record.frame.width, record.frame.height) / 2).exponent
        return (record.identifier + 1) << 4 | Int32(level)
    }

    /// True if stacks of this kind have a clustering identifier. Of the others only the top is visible.
    static func isClusterable(_ kind: Int32) -> Bool { kind >= 1 << 4 }

    /// Adds the item in `slot` to its stack, whose index it returns.
    @discardableResult
    mutating func put(_ slot: Int32, _ store: ItemStore) -> Int32 {
        let record = store.records[Int(slot)]
        let cell = cell(of: record)
        let found = stack(at: cell)
        let index = found ?? addStack(cell, top: slot)
        if isEditing, found != nil { noteTop(index, store) }
        var stack = stacks[Int(index)]
        if stack.top != slot, store.records[Int(stack.top)].rank < record.rank { stack.top = slot }
        links[Int(slot)] = Link(stack: index, next: stack.first, previous: -1)
        if stack.first >= 0 { links[Int(stack.first)].previous = slot }
        stack.first = slot
        stack.count += 1
        stack.digest ^= record.id.digest
        stacks[Int(index)] = stack
        return index
    }

    /// The stack of annotations at `cell`, mostly that of the previous annotation.
    private func stack(at cell: CellKey) -> Int32? {
        if cell.kind == Self.alone { return nil }
        if let last = stacks.last, last.cell == cell, last.count > 0 { return Int32(stacks.count - 1) }
        return stackAt[cell]
    }

    private mutating func addStack(_ cell: CellKey, top: Int32) -> Int32 {
        let stack = Stack(cell: cell, top: top, first: -1, count: 0, digest: 0, totalCount: 0, totalDigest: 0)
        let index: Int32
        if let free = freeStacks.popLast() {
            index = free
            stacks[Int(index)] = stack
        } else {
            index = Int32(stacks.count)
            stacks.append(stack)
        }
        if cell.kind != Self.alone { stackAt[cell] = index }
        return index
    }

    /// Removes the item in `slot` from its stack. An empty stack is no longer found, but keeps its index.
    mutating func take(_ slot: Int32, _ store: ItemStore) {
        let link = links[Int(slot)]
        let index = Int(link.stack)
        if link.next >= 0 { links[Int(link.next)].previous = link.previous }
        if link.previous >= 0 {
            links[Int(link.previous)].next = link.next
        } else {
            stacks[index].first = link.next
        }
        links[Int(slot)].stack = -1
        stacks[index].count -= 1
        stacks[index].digest ^= store.records[Int(slot)].id.digest
        if stacks[index].count == 0 {
            if stacks[index].kind != Self.alone { stackAt[stacks[index].cell] = nil }
        } else if stacks[index].top == slot {
            var top = stacks[index].first
            var other = links[Int(top)].next
            while other >= 0 {
                if store.records[Int(top)].rank < store.records[Int(other)].rank { top = other }
                other = links[Int(other)].next
            }
            stacks[index].top = top
        }
    }

    private func cell(of record: ItemStore.Record) -> CellKey {
        let kind = Self.kind(of: record)
        guard kind != Self.alone else { return CellKey(column: 0, row: 0, kind: kind) }
        let columns = cellColumns[Int(kind & 15)]
        let perPixel = Double(columns) / world
        let column = Int(floor: (record.point.x * scale + Double(record.frame.centerOffsetX)) * perPixel)
            .wrapped(into: columns)
        let row = Int(floor: (record.point.y * scale + Double(record.frame.centerOffsetY)) * perPixel)
        return CellKey(
            column: Int32(truncatingIfNeeded: column), row: Int32(truncatingIfNeeded: row), kind: kind)
    }

    /// The entry of a stack, as a single view or as a cluster, in a world of `world` pixels. If clusters always go first,
    /// its rank uses its own priority and a cluster has its margin; otherwise the rank uses the priority of its view.
    static func entry(
        of stack: Stack, isCluster: Bool, _ clustersFirst: Rank.ClustersFirst, _ store: ItemStore, world: Double
    ) -> CollisionIndex.Entry {
        let record = store.records[Int(stack.top)]
        let appearance = isCluster ? store.appearances[Int(record.identifier)] : nil
        let frame = appearance?.frame ?? record.frame
        var priority = record.displayPriority
        if clustersFirst == .amongEquals, let own = appearance?.displayPriority { priority = own }
        let role: CollisionIndex.Role =
            if frame.collisionMode == .none || record.isSelected {
                .free
            } else if clustersFirst == .amongEquals, priority == .required {
                .fixed
            } else {
                .yielding
            }
        let isCircle = frame.collisionMode == .circle
        let diameter = min(frame.width, frame.height)
        let margin = isCluster && clustersFirst == .always ? AnnotationLayout.clusterMargin : 0
        let scale = world / MapSize.world.width
        var x = record.point.x * scale + Double(frame.centerOffsetX)
        if x < 0 || x >= world { x -= (x / world).rounded(.down) * world }
        return CollisionIndex.Entry(
            x: x, y: record.point.y * scale + Double(frame.centerOffsetY),
            halfWidth: (isCircle ? diameter : frame.width) / 2 + margin,
            halfHeight: (isCircle ? diameter : frame.height) / 2 + margin,
            rank: Rank(priority, id: record.id, isCluster: isCluster, clustersFirst: clustersFirst),
            identifier: record.identifier, role: role, isCircle: isCircle)
    }
}

extension AnnotationID {
    /// Bits that distinguish sets of numbers when those of all members are combined by exclusive or.
    var digest: UInt64 {
        // The finalizer of MurmurHash3 for 64 bits, by A. Appleby.
        var bits = UInt64(rawValue) &+ 0x5851_F42D_4C95_7F2D
        bits = (bits ^ (bits >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        bits = (bits ^ (bits >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return bits ^ (bits >> 33)
    }
}
