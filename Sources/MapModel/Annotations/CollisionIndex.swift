/// Collision detection among the views at one zoom. In order of falling rank, a view is placed unless a placed view
/// collides with it.
///
/// The result depends on the candidates alone, not on the order of edits. An edit evaluates only the candidates that
/// collide with a changed one.
struct CollisionIndex: Sendable {
    /// The behaviour of a candidate.
    enum Role: UInt8 {
        /// Yields to candidates of higher rank.
        case yielding
        /// Always placed; others yield to it.
        case fixed
        /// Always placed, and collides with nothing.
        case free
    }

    /// The position and behaviour of a candidate, in pixels of the zoom step.
    struct Entry: Equatable {
        /// The middle of the colliding shape; x from 0 up to the world's width.
        var x: Double
        var y: Double
        var halfWidth: Float
        var halfHeight: Float
        var rank: Rank
        var identifier: Int32
        var role: Role
        var isCircle: Bool
    }

    struct Node {
        var entry: Entry
        var isWaiting: Bool
        /// The candidate's own index if it is placed, that of the one it has joined, or one of the values below.
        var winner: Int32
        var bucket: Int32
        var next: Int32
        var previous: Int32
    }

    /// The candidate is not part of the index.
    static let absent: Int32 = -1
    /// The candidate is hidden.
    static let hidden: Int32 = -2
    /// The candidate is undecided.
    static let open: Int32 = -3

    /// The lists in a bucket.
    enum List: Int {
        /// Placed candidates, which may lose their places.
        case placed
        /// Candidates that have joined others or are hidden.
        case yielded
        /// Candidates that are not decided yet.
        case open
        case fixed
        case free
    }

    struct Bucket {
        let key: BucketDirectory.Key
        /// The first nodes of the lists.
        var heads = InlineArray<5, Int32>(repeating: -1)

        subscript(list: List) -> Int32 {
            @inline(__always) get { heads[list.rawValue] }
            @inline(__always) set { heads[list.rawValue] = newValue }
        }

        var isEmpty: Bool { heads.indices.allSatisfy { heads[$0] < 0 } }
    }

    /// The consequence of yielding.
    enum Rule {
        /// Join the nearest colliding candidate; only those of the same identifier collide.
        case join
        /// Becomes hidden.
        case hide
    }

    let rule: Rule
    let raster: Raster
    let reachX: Double
    let reachY: Double

    var nodes: [Node] = []
    var buckets: [Bucket] = []
    private var freeBuckets: [Int32] = []
    var directory = BucketDirectory()
    var waiting = RankQueue()
    /// The previous winners of candidates whose winner has changed in the current edit.
    var earlierWinners: [Int32: Int32] = [:]

    /// An empty index in a world of `world` pixels, for entries within `reach`, about `spacing` pixels apart.
    init(world: Double, reach: Reach, spacing: Double, rule: Rule) {
        self.rule = rule
        reachX = Double(reach.halfWidth)
        reachY = Double(reach.halfHeight)
        // All neighbours of an entry are in two or three columns. Buckets are larger where entries are sparse, so that
        // most neighbours are in one, but not much larger, because entries may be added.
        raster = Raster(
            world: world, width: min(max(3 * reachX, 2 * spacing), 32 * reachX),
            height: min(max(3 * reachY, 2 * spacing), 32 * reachY))
    }

    /// Extends the range of indices up to `count`.
    mutating func makeRoom(for count: Int) {
        guard count > nodes.count else { return }
        let vacant = Node(
            entry: Entry(
                x: 0, y: 0, halfWidth: 0, halfHeight: 0, rank: .lowest, identifier: -1, role: .free, isCircle: false),
            isWaiting: false, winner: Self.absent, bucket: -1, next: -1, previous: -1)
        nodes.append(contentsOf: repeatElement(vacant, count: count - nodes.count))
    }
}

// MARK: - Queries

extension CollisionIndex {
    /// The index of the candidate that is placed where `index` is shown, or `hidden` or `absent`.
    @inline(__always)
    func winner(of index: Int32) -> Int32 {
        Int(index) < nodes.count ? nodes[Int(index)].winner : Self.absent
    }

    /// The rank of `index`, which must take part.
    func rank(of index: Int32) -> Rank { nodes[Int(index)].entry.rank }

    /// Calls `body` with the candidates that have joined `index`.
    func forEachJoined(_ index: Int32, _ body: (Int32) -> Void) {
        let entry = nodes[Int(index)].entry
        let (width, height) = (Double(entry.halfWidth) + reachX, Double(entry.halfHeight) + reachY)
        let block = raster.block(
            minX: entry.x - width, maxX: entry.x + width, minY: entry.y - height, maxY: entry.y + height)
        raster.forEachBucket(in: block, directory) { bucket in
            var other = buckets[Int(bucket)][.yielded]
            while other >= 0 {
                if nodes[Int(other)].winner == index { body(other) }
                other = nodes[Int(other)].next
            }
        }
    }

    /// Calls `body` with all placed candidates in a rectangle, and possibly some around it. x may be outside the
    /// world.
    func forEachPlaced(minX: Double, maxX: Double, minY: Double, maxY: Double, _ body: (Int32) -> Void) {
        func visit(from head: Int32) {
            var index = head
            while index >= 0 {
                body(index)
                index = nodes[Int(index)].next
            }
        }
        func visit(_ bucket: Bucket) {
            visit(from: bucket[.placed])
            visit(from: bucket[.fixed])
            visit(from: bucket[.free])
        }
        let block = raster.block(minX: minX, maxX: maxX, minY: minY, maxY: maxY)
        guard block.count < Double(buckets.count) else {
            for bucket in buckets { visit(bucket) }
            return
        }
        raster.forEachBucket(in: block, directory) { visit(buckets[Int($0)]) }
    }
}

// MARK: - Buckets

extension CollisionIndex {
    /// The bucket at `key`, which is created if it does not exist.
    mutating func bucket(at key: BucketDirectory.Key) -> Int32 {
        let found = directory.find(key)
        if found >= 0 { return found }
        let bucket: Int32
        if let free = freeBuckets.popLast() {
            bucket = free
            buckets[Int(free)] = Bucket(key: key)
        } else {
            bucket = Int32(buckets.count)
            buckets.append(Bucket(key: key))
        }
        directory.insert(bucket, at: key)
        return bucket
    }

    /// Removes `bucket` if it is empty.
    mutating func removeIfEmpty(_ bucket: Int32) {
        guard buckets[Int(bucket)].isEmpty else { return }
        directory.remove(buckets[Int(bucket)].key)
        freeBuckets.append(bucket)
    }

    /// Calls `body` with unchecked access, during which buckets are neither created nor removed.
    mutating func withUnsafeIndex<Result>(_ body: (UnsafeCollisionIndex) -> Result) -> Result {
        let (directory, raster, reachX, reachY, rule) = (directory, raster, reachX, reachY, rule)
        return nodes.withUnsafeMutableBufferPointer { nodes in
            buckets.withUnsafeMutableBufferPointer { buckets in
                body(
                    UnsafeCollisionIndex(
                        nodes: nodes, buckets: buckets, directory: directory, raster: raster, reachX: reachX,
                        reachY: reachY, rule: rule))
            }
        }
    }
}
