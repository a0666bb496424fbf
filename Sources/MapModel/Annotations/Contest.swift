/// Views that compete for places on the map at one zoom: by falling rank each takes its place, unless one that has taken
/// its own is in the way.
///
/// The outcome depends only on who takes part, not on the order of insertions and removals. After an edit only those are
/// looked at again that collide with what has changed.
struct Contest: Sendable {
    /// How a contestant behaves.
    enum Role: UInt8 {
        /// Joins or gives way to those with a higher rank.
        case contested
        /// Joins those with a higher rank, gives way to none.
        case mandatory
        /// Always stays, and others give way.
        case fixed
        /// Always stays, and is in nobody's way.
        case free
    }

    /// Where a contestant stands and how it competes, in pixels of the zoom step.
    struct Entry: Equatable {
        /// The middle of what collides.
        var x: Double
        var y: Double
        var halfWidth: Float
        var halfHeight: Float
        /// Contestants with the same identifier join instead of giving way. −1 for none.
        var identifier: Int32
        var rank: Rank
        var role: Role
        var isCircle: Bool
    }

    private struct Node {
        var entry: Entry
        /// The contestant's own index if it has its place, that of the one it has joined, `hidden` or `absent`.
        var winner: Int32
        var bucket: Int32
        var next: Int32
        var previous: Int32
        var isWaiting: Bool
    }

    private struct Bucket {
        var key: UInt64
        /// The first nodes of the lists: those with a place, those without, fixed and free ones.
        var placed: Int32 = -1
        var beaten: Int32 = -1
        var fixed: Int32 = -1
        var free: Int32 = -1

        var isEmpty: Bool { placed & beaten & fixed & free == -1 }
    }

    static let hidden: Int32 = -2
    static let absent: Int32 = -1
    private static let vacant = Node(
        entry: Entry(
            x: 0, y: 0, halfWidth: 0, halfHeight: 0, identifier: -1,
            rank: Rank(.init(rawValue: 0), isCluster: false, id: AnnotationID(rawValue: 0)), role: .free,
            isCircle: false),
        winner: absent, bucket: -1, next: -1, previous: -1, isWaiting: false)

    private let world: Double
    private let columns: Int
    private let rows: Int
    private let bucketsPerPixelX: Double
    private let bucketsPerPixelY: Double
    private let reachX: Double
    private let reachY: Double
    /// Whether contestants of different identifiers compete at all.
    private let amongAll: Bool

    private var nodes: [Node] = []
    private var buckets: [Bucket] = []
    private var freeBuckets: [Int32] = []
    private var table: SlotTable
    private var waiting = RankQueue()
    /// The contestants whose winner is another than before the present edit, with that one.
    private(set) var earlierWinners: [Int32: Int32] = [:]

    /// An empty contest on a world of `world` pixels, for entries of at most `halfWidth` by `halfHeight`.
    init(world: Double, halfWidth: Float, halfHeight: Float, amongAll: Bool, capacity: Int) {
        self.world = world
        self.amongAll = amongAll
        reachX = Double(halfWidth)
        reachY = Double(halfHeight)
        // Twice as wide as the widest view: what is in reach of an entry lies in at most two columns.
        columns = max(1, Int(world / (4 * reachX)))
        rows = max(1, Int(world / (4 * reachY)))
        bucketsPerPixelX = Double(columns) / world
        bucketsPerPixelY = Double(rows) / world
        table = SlotTable(capacity: capacity)
        nodes.reserveCapacity(capacity)
        buckets.reserveCapacity(capacity)
    }
}

// MARK: - What is asked

extension Contest {
    /// The index of the contestant that has the place at which `index` is shown, `hidden`, or `absent` if it does not take
    /// part.
    @inline(__always)
    func winner(of index: Int32) -> Int32 {
        Int(index) < nodes.count ? nodes[Int(index)].winner : Self.absent
    }

    /// The rank of `index`, which takes part.
    func rank(of index: Int32) -> Rank { nodes[Int(index)].entry.rank }

    /// How `index` competes, if it does.
    func entry(of index: Int32) -> Entry? {
        winner(of: index) == Self.absent ? nil : nodes[Int(index)].entry
    }

    /// Calls `body` with the contestants that have joined `index`.
    func forEachJoined(_ index: Int32, _ body: (Int32) -> Void) {
        let entry = nodes[Int(index)].entry
        forEachBucket(around: entry) { bucket in
            var other = buckets[Int(bucket)].beaten
            while other >= 0 {
                if nodes[Int(other)].winner == index { body(other) }
                other = nodes[Int(other)].next
            }
        }
    }

    /// Calls `body` with all that have a place and stand between `minX` and `maxX`, `minY` and `maxY`, and some around
    /// that. x may lie outside the world.
    func forEachPlaced(minX: Double, maxX: Double, minY: Double, maxY: Double, _ body: (Int32) -> Void) {
        let (firstRow, lastRow) = (row(minY), row(maxY))
        let firstColumn = Int((minX * bucketsPerPixelX).rounded(.down))
        let lastColumn = min(Int((maxX * bucketsPerPixelX).rounded(.down)), firstColumn + columns - 1)
        guard firstRow <= lastRow, firstColumn <= lastColumn else { return }
        guard Double(lastRow - firstRow + 1) * Double(lastColumn - firstColumn + 1) < Double(buckets.count) else {
            for bucket in buckets { forEachPlaced(in: bucket, body) }
            return
        }
        for row in firstRow...lastRow {
            for column in firstColumn...lastColumn {
                if let bucket = bucket(wrapped(column), row) { forEachPlaced(in: buckets[Int(bucket)], body) }
            }
        }
    }

    private func forEachPlaced(in bucket: Bucket, _ body: (Int32) -> Void) {
        for head in [bucket.placed, bucket.fixed, bucket.free] {
            var node = head
            while node >= 0 {
                body(node)
                node = nodes[Int(node)].next
            }
        }
    }
}

// MARK: - All anew

extension Contest {
    /// Decides for all of `indices`, none of which takes part yet and which are by falling rank; their entries are those
    /// of `entries` at their index.
    mutating func fill(_ indices: [Int32], _ entries: [Entry]) {
        if nodes.count < entries.count {
            nodes.append(contentsOf: repeatElement(Self.vacant, count: entries.count - nodes.count))
        }
        for index in indices {
            nodes[Int(index)].entry = entries[Int(index)]
            let winner = decide(index)
            nodes[Int(index)].winner = winner
            link(index, at: home(of: nodes[Int(index)].entry))
        }
    }
}

// MARK: - Edits

extension Contest {
    /// Forgets what was recorded of the edit before.
    mutating func beginEdit() { earlierWinners.removeAll(keepingCapacity: true) }

    /// Lets `index` compete as `entry`, or no longer. Takes effect with `settle()`.
    mutating func set(_ index: Int32, to entry: Entry?) {
        guard self.entry(of: index) != entry else { return }
        if Int(index) >= nodes.count {
            nodes.append(contentsOf: repeatElement(Self.vacant, count: Int(index) + 1 - nodes.count))
        }
        let old = nodes[Int(index)].winner
        record(index, old)
        if old != Self.absent {
            if old == index { wakeBeaten(by: index) }
            unlink(index)
            nodes[Int(index)].winner = Self.absent
            nodes[Int(index)].isWaiting = false
        }
        guard let entry else { return }
        nodes[Int(index)].entry = entry
        // Not placed yet: what it collides with is looked at when it is.
        nodes[Int(index)].winner = Self.hidden
        link(index, at: home(of: entry))
        wake(index)
    }

    /// Decides again for all that an edit can have changed the outcome for, from the highest rank down: a decision depends
    /// on higher ranks only, so each is taken once.
    mutating func settle() {
        while let (rank, index) = waiting.popHighest() {
            // It may have left since, and come back with another rank.
            guard nodes[Int(index)].isWaiting, nodes[Int(index)].entry.rank == rank else { continue }
            nodes[Int(index)].isWaiting = false
            let old = nodes[Int(index)].winner
            let new = decide(index)
            guard new != old else { continue }
            record(index, old)
            if (old == index) != (new == index) {
                unlink(index)
                nodes[Int(index)].winner = new
                link(index, at: home(of: nodes[Int(index)].entry))
                wakeBeaten(by: index)
            } else {
                nodes[Int(index)].winner = new
            }
        }
    }

    private mutating func record(_ index: Int32, _ winner: Int32) {
        if earlierWinners[index] == nil { earlierWinners[index] = winner }
    }

    private mutating func wake(_ index: Int32) {
        guard !nodes[Int(index)].isWaiting else { return }
        nodes[Int(index)].isWaiting = true
        waiting.insert(index, rank: nodes[Int(index)].entry.rank)
    }

    /// Wakes what has a lower rank than `index` and collides with it.
    private mutating func wakeBeaten(by index: Int32) {
        let entry = nodes[Int(index)].entry
        guard entry.role != .free else { return }
        var woken: [Int32] = []
        forEachBucket(around: entry) { bucket in
            for head in [buckets[Int(bucket)].placed, buckets[Int(bucket)].beaten] {
                var other = head
                while other >= 0 {
                    let node = nodes[Int(other)]
                    if !node.isWaiting, entry.role == .fixed || node.entry.rank < entry.rank,
                        amongAll || node.entry.identifier == entry.identifier, collide(node.entry, entry)
                    {
                        woken.append(other)
                    }
                    other = node.next
                }
            }
        }
        for other in woken { wake(other) }
    }
}

// MARK: - The rule

extension Contest {
    /// Who has the place at which `index` is shown, given those of higher rank. Of several to join it is the nearest.
    private func decide(_ index: Int32) -> Int32 {
        let entry = nodes[Int(index)].entry
        if entry.role == .fixed || entry.role == .free { return index }
        var joined: Int32 = -1
        var joinedDistance = Double.infinity
        var isBlocked = false
        let world = world
        nodes.withUnsafeBufferPointer { nodes in
            forEachBucket(around: entry) { bucket in
                var other = buckets[Int(bucket)].placed
                while other >= 0 {
                    let node = nodes[Int(other)].entry
                    if node.rank > entry.rank, Self.collide(node, entry, world: world) {
                        if node.identifier == entry.identifier, node.identifier >= 0 {
                            let dx = Self.difference(node.x, entry.x, world: world)
                            let distance = dx * dx + (node.y - entry.y) * (node.y - entry.y)
                            if distance < joinedDistance
                                || distance == joinedDistance && node.rank > nodes[Int(joined)].entry.rank
                            {
                                joined = other
                                joinedDistance = distance
                            }
                        } else if amongAll {
                            isBlocked = true
                        }
                    }
                    other = nodes[Int(other)].next
                }
                other = buckets[Int(bucket)].fixed
                while other >= 0, !isBlocked {
                    isBlocked = Self.collide(nodes[Int(other)].entry, entry, world: world)
                    other = nodes[Int(other)].next
                }
            }
        }
        if joined >= 0 { return joined }
        return isBlocked && entry.role == .contested ? Self.hidden : index
    }

    @inline(__always)
    private func collide(_ one: Entry, _ other: Entry) -> Bool { Self.collide(one, other, world: world) }

    /// Whether two views overlap; touching is not overlapping.
    @inline(__always)
    private static func collide(_ one: Entry, _ other: Entry, world: Double) -> Bool {
        let dx = difference(one.x, other.x, world: world)
        let dy = abs(one.y - other.y)
        let (width, height) = (Double(one.halfWidth + other.halfWidth), Double(one.halfHeight + other.halfHeight))
        guard dx < width, dy < height else { return false }
        switch (one.isCircle, other.isCircle) {
        case (false, false): return true
        case (true, true): return dx * dx + dy * dy < width * width
        case (true, false), (false, true):
            let (circle, rectangle) = one.isCircle ? (one, other) : (other, one)
            let ex = max(0, dx - Double(rectangle.halfWidth))
            let ey = max(0, dy - Double(rectangle.halfHeight))
            return ex * ex + ey * ey < Double(circle.halfWidth) * Double(circle.halfWidth)
        }
    }

    @inline(__always)
    private static func difference(_ one: Double, _ other: Double, world: Double) -> Double {
        let difference = abs(one - other)
        return difference > world / 2 ? world - difference : difference
    }
}

// MARK: - Buckets

extension Contest {
    @inline(__always)
    private func row(_ y: Double) -> Int { Int(min(max(y * bucketsPerPixelY, 0), Double(rows - 1))) }

    @inline(__always)
    private func wrapped(_ column: Int) -> Int {
        if column >= 0, column < columns { return column }
        let rest = column % columns
        return rest < 0 ? rest + columns : rest
    }

    @inline(__always)
    private static func key(_ column: Int, _ row: Int) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: column)) << 32 | UInt64(UInt32(truncatingIfNeeded: row))
    }

    @inline(__always)
    private func bucket(_ column: Int, _ row: Int) -> Int32? {
        let key = Self.key(column, row)
        return table.find(SlotTable.hash(key)) { buckets[Int($0)].key == key }
    }

    /// Calls `body` with the buckets of all that can collide with `entry`.
    @inline(__always)
    private func forEachBucket(around entry: Entry, _ body: (Int32) -> Void) {
        let (width, height) = (Double(entry.halfWidth) + reachX, Double(entry.halfHeight) + reachY)
        let (firstRow, lastRow) = (row(entry.y - height), row(entry.y + height))
        let firstColumn = Int(((entry.x - width) * bucketsPerPixelX).rounded(.down))
        let lastColumn = min(Int(((entry.x + width) * bucketsPerPixelX).rounded(.down)), firstColumn + columns - 1)
        var row = firstRow
        while row <= lastRow {
            var column = firstColumn
            while column <= lastColumn {
                if let bucket = bucket(wrapped(column), row) { body(bucket) }
                column += 1
            }
            row += 1
        }
    }

    private func home(of entry: Entry) -> (column: Int, row: Int) {
        (wrapped(Int((entry.x * bucketsPerPixelX).rounded(.down))), row(entry.y))
    }

    private mutating func link(_ index: Int32, at home: (column: Int, row: Int)) {
        let bucket = bucket(home.column, home.row) ?? addBucket(Self.key(home.column, home.row))
        let head = exchangeHead(of: bucket, listing: index, with: index)
        nodes[Int(index)].bucket = bucket
        nodes[Int(index)].previous = -1
        nodes[Int(index)].next = head
        if head >= 0 { nodes[Int(head)].previous = index }
    }

    private mutating func addBucket(_ key: UInt64) -> Int32 {
        let bucket: Int32
        if let free = freeBuckets.popLast() {
            bucket = free
            buckets[Int(free)] = Bucket(key: key)
        } else {
            bucket = Int32(buckets.count)
            buckets.append(Bucket(key: key))
        }
        table.insert(bucket, hash: SlotTable.hash(key))
        return bucket
    }

    private mutating func unlink(_ index: Int32) {
        let node = nodes[Int(index)]
        if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
        if node.previous >= 0 {
            nodes[Int(node.previous)].next = node.next
            return
        }
        _ = exchangeHead(of: node.bucket, listing: index, with: node.next)
        guard buckets[Int(node.bucket)].isEmpty else { return }
        table.remove(node.bucket, hash: SlotTable.hash(buckets[Int(node.bucket)].key))
        freeBuckets.append(node.bucket)
    }

    /// Makes `head` the first node of the list of `bucket` that `index` belongs into; returns the former one.
    @inline(__always)
    private mutating func exchangeHead(of bucket: Int32, listing index: Int32, with head: Int32) -> Int32 {
        let former: Int32
        switch nodes[Int(index)].entry.role {
        case .fixed:
            former = buckets[Int(bucket)].fixed
            buckets[Int(bucket)].fixed = head
        case .free:
            former = buckets[Int(bucket)].free
            buckets[Int(bucket)].free = head
        case .contested, .mandatory:
            if nodes[Int(index)].winner == index {
                former = buckets[Int(bucket)].placed
                buckets[Int(bucket)].placed = head
            } else {
                former = buckets[Int(bucket)].beaten
                buckets[Int(bucket)].beaten = head
            }
        }
        return former
    }
}
