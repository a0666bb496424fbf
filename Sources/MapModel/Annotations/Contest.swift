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
        /// The middle of what collides; x from 0 up to the world's width.
        var x: Double
        var y: Double
        var halfWidth: Float
        var halfHeight: Float
        var rank: Rank
        /// Contestants with the same identifier join instead of giving way. −1 for none.
        var identifier: Int32
        var role: Role
        var isCircle: Bool
    }

    struct Node {
        var entry: Entry
        var isWaiting: Bool
        /// The contestant's own index if it has its place, that of the one it has joined, or one of the following.
        var winner: Int32
        var bucket: Int32
        var next: Int32
        var previous: Int32
    }

    /// The first nodes of a bucket's lists.
    struct Bucket {
        enum List {
            /// Those that have a place and may have to leave it.
            case placed
            /// Those that have joined others or are hidden.
            case beaten
            /// Those that are not decided yet.
            case open
            case fixed
            case free
        }

        let key: Raster.Key
        private(set) var placed: Int32 = -1
        private(set) var beaten: Int32 = -1
        private(set) var open: Int32 = -1
        private(set) var fixed: Int32 = -1
        private(set) var free: Int32 = -1

        init(key: Raster.Key) { self.key = key }

        var isEmpty: Bool { placed & beaten & open & fixed & free == -1 }

        subscript(list: List) -> Int32 {
            @inline(__always)
            get {
                switch list {
                case .placed: placed
                case .beaten: beaten
                case .open: open
                case .fixed: fixed
                case .free: free
                }
            }
            @inline(__always)
            set {
                switch list {
                case .placed: placed = newValue
                case .beaten: beaten = newValue
                case .open: open = newValue
                case .fixed: fixed = newValue
                case .free: free = newValue
                }
            }
        }
    }

    /// Does not take part.
    static let absent: Int32 = -1
    /// Takes part and has given way.
    static let hidden: Int32 = -2
    /// Takes part, and what becomes of it is not known yet.
    static let open: Int32 = -3

    /// Whether contestants of different identifiers compete at all.
    let amongAll: Bool
    let raster: Raster
    private let reachX: Double
    private let reachY: Double

    var nodes: [Node] = []
    var buckets: [Bucket] = []
    private var freeBuckets: [Int32] = []
    private var table: SlotTable
    var waiting = RankQueue()
    /// The contestants whose winner is another than before the present edit, with that one.
    var earlierWinners: [Int32: Int32] = [:]

    /// An empty contest on a world of `world` pixels, for entries of at most `halfWidth` by `halfHeight`, which stand about
    /// `spacing` pixels apart.
    init(world: Double, halfWidth: Float, halfHeight: Float, spacing: Double, amongAll: Bool) {
        self.amongAll = amongAll
        reachX = Double(halfWidth)
        reachY = Double(halfHeight)
        // Twice as wide as the widest view: what is in reach of an entry lies in at most two columns. Larger where few
        // entries are, so that most lies in one; not much larger, as more may come.
        raster = Raster(
            world: world, width: min(max(4 * reachX, 2 * spacing), 32 * reachX),
            height: min(max(4 * reachY, 2 * spacing), 32 * reachY))
        table = SlotTable(capacity: 0)
    }

    /// Makes `index` a possible one.
    mutating func makeRoom(for count: Int) {
        guard count > nodes.count else { return }
        let vacant = Node(
            entry: Entry(
                x: 0, y: 0, halfWidth: 0, halfHeight: 0, rank: .lowest, identifier: -1, role: .free, isCircle: false),
            isWaiting: false, winner: Self.absent, bucket: -1, next: -1, previous: -1)
        nodes.append(contentsOf: repeatElement(vacant, count: count - nodes.count))
    }
}

// MARK: - What is asked

extension Contest {
    /// The index of the contestant that has the place at which `index` is shown, `hidden` or `absent`.
    @inline(__always)
    func winner(of index: Int32) -> Int32 {
        Int(index) < nodes.count ? nodes[Int(index)].winner : Self.absent
    }

    /// How `index` competes, if it does.
    func entry(of index: Int32) -> Entry? {
        winner(of: index) == Self.absent ? nil : nodes[Int(index)].entry
    }

    /// The rank of `index`, which takes part.
    func rank(of index: Int32) -> Rank { nodes[Int(index)].entry.rank }

    /// Calls `body` with the contestants that have joined `index`.
    func forEachJoined(_ index: Int32, _ body: (Int32) -> Void) {
        forEachBucket(around: nodes[Int(index)].entry) { bucket in
            var other = bucket.beaten
            while other >= 0 {
                if nodes[Int(other)].winner == index { body(other) }
                other = nodes[Int(other)].next
            }
        }
    }

    /// Calls `body` with all that have a place and stand between `minX` and `maxX`, `minY` and `maxY`, and some around
    /// that. x may lie outside the world.
    func forEachPlaced(minX: Double, maxX: Double, minY: Double, maxY: Double, _ body: (Int32) -> Void) {
        func visit(_ bucket: Bucket) {
            for head in [bucket.placed, bucket.fixed, bucket.free] {
                var index = head
                while index >= 0 {
                    body(index)
                    index = nodes[Int(index)].next
                }
            }
        }
        let block = raster.block(minX: minX, maxX: maxX, minY: minY, maxY: maxY)
        guard block.count < Double(buckets.count) else {
            for bucket in buckets { visit(bucket) }
            return
        }
        raster.forEachKey(in: block) { key in
            if let bucket = bucket(key) { visit(buckets[Int(bucket)]) }
        }
    }
}

// MARK: - Buckets

extension Contest {
    @inline(__always)
    func bucket(_ key: Raster.Key) -> Int32? {
        table.find(key.hash) { buckets[Int($0)].key == key }
    }

    /// Calls `body` with the buckets of all that can collide with `entry`.
    @inline(__always)
    func forEachBucket(around entry: Entry, _ body: (Bucket) -> Void) {
        let (width, height) = (Double(entry.halfWidth) + reachX, Double(entry.halfHeight) + reachY)
        let block = raster.block(
            minX: entry.x - width, maxX: entry.x + width, minY: entry.y - height, maxY: entry.y + height)
        raster.forEachKey(in: block) { key in
            if let bucket = bucket(key) { body(buckets[Int(bucket)]) }
        }
    }

    /// Lists `index` in the bucket of its place.
    mutating func link(_ index: Int32) {
        let key = raster.key(x: nodes[Int(index)].entry.x, y: nodes[Int(index)].entry.y)
        nodes[Int(index)].bucket = bucket(key) ?? addBucket(key)
        attach(index)
    }

    /// Makes `winner` the one of `index`.
    mutating func setWinner(_ winner: Int32, of index: Int32) {
        detach(index)
        nodes[Int(index)].winner = winner
        attach(index)
    }

    @inline(__always)
    private mutating func attach(_ index: Int32) {
        let list = list(of: index)
        let bucket = Int(nodes[Int(index)].bucket)
        let head = buckets[bucket][list]
        buckets[bucket][list] = index
        nodes[Int(index)].previous = -1
        nodes[Int(index)].next = head
        if head >= 0 { nodes[Int(head)].previous = index }
    }

    @inline(__always)
    private mutating func detach(_ index: Int32) {
        let node = nodes[Int(index)]
        if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
        if node.previous >= 0 {
            nodes[Int(node.previous)].next = node.next
        } else {
            buckets[Int(node.bucket)][list(of: index)] = node.next
        }
    }

    private mutating func addBucket(_ key: Raster.Key) -> Int32 {
        let bucket: Int32
        if let free = freeBuckets.popLast() {
            bucket = free
            buckets[Int(free)] = Bucket(key: key)
        } else {
            bucket = Int32(buckets.count)
            buckets.append(Bucket(key: key))
        }
        table.insert(bucket, hash: key.hash)
        return bucket
    }

    /// Takes `index` from the lists.
    mutating func unlink(_ index: Int32) {
        detach(index)
        let bucket = nodes[Int(index)].bucket
        guard buckets[Int(bucket)].isEmpty else { return }
        table.remove(bucket, hash: buckets[Int(bucket)].key.hash)
        freeBuckets.append(bucket)
    }

    @inline(__always)
    private func list(of index: Int32) -> Bucket.List {
        let node = nodes[Int(index)]
        switch node.entry.role {
        case .fixed: return .fixed
        case .free: return .free
        case .contested, .mandatory: return node.winner == index ? .placed : node.winner == Self.open ? .open : .beaten
        }
    }
}
