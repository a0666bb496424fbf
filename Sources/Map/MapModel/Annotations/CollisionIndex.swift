/// Collision detection among the views at one zoom. In order of falling rank, a view is placed unless a placed view
/// collides with it.
///
/// The result depends on the candidates alone, not on the order of edits. An edit evaluates only the candidates that
/// collide with a changed one.
///
/// The candidates are in the cells of a grid. The lists of a cell are found by a hash of its place; cells with the same hash
/// share their lists, and each candidate knows its own cell.
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
        /// Higher than that of all yielding ones if the candidate is fixed.
        var rank: Rank
        var identifier: Int32
        var role: Role
        var isCircle: Bool

        static let none = Entry(
            x: 0, y: 0, halfWidth: 0, halfHeight: 0, rank: .lowest, identifier: -1, role: .free, isCircle: false)
    }

    struct Node {
        var entry = Entry.none
        /// True while the candidate is in `waiting`.
        var isWaiting = false
        /// The candidate's own index if it is placed, that of the one it has joined, or one of the values below.
        var winner = CollisionIndex.absent
        var cell = Raster.Cell(column: 0, row: 0)
        /// The neighbours in its list; −1 for none.
        var next: Int32 = -1
        var previous: Int32 = -1
    }

    /// The candidate is not part of the index.
    static let absent: Int32 = -1
    /// The candidate is hidden.
    static let hidden: Int32 = -2
    /// The candidate is not decided yet.
    static let undecided: Int32 = -3

    /// The lists of a cell.
    enum List: Int {
        /// Placed candidates, which may lose their places.
        case placed
        /// Candidates that have joined others or are hidden.
        case yielded
        /// Candidates that are not decided yet.
        case undecided
        /// Fixed and free candidates.
        case steady
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
    /// The first candidates of the lists, four places for each hash of a cell.
    var heads: [Int32]
    /// Random, so that nobody can choose places whose cells share a list (multiply-shift hashing, M. Dietzfelbinger et al., "A
    /// reliable randomized algorithm for the closest-pair problem", 1997).
    let multiplier = UInt64.random(in: .min ... .max) | 1
    var waiting = RankQueue()
    /// The previous winners of candidates whose winner has changed in the current edit.
    var earlierWinners: [Int32: Int32] = [:]

    /// An empty index in a world of `world` pixels, for entries within `reach`, about `spacing` pixels apart. It takes any
    /// number of candidates, and is fast for some `capacity`.
    init(world: Double, reach: Reach, spacing: Double, capacity: Int, rule: Rule) {
        self.rule = rule
        reachX = Double(reach.halfWidth)
        reachY = Double(reach.halfHeight)
        // All neighbours of an entry are in two or three columns. Cells are larger where entries are sparse, so that
        // most neighbours are in one, but not much larger, because entries may be added.
        raster = Raster(
            world: world, width: min(max(3 * reachX, 2 * spacing), 32 * reachX),
            height: min(max(3 * reachY, 2 * spacing), 32 * reachY))
        var size = 64
        while size < capacity { size *= 2 }
        heads = Array(repeating: -1, count: 4 * size)
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
        forEachCandidate(in: block(around: nodes[Int(index)].entry), [.yielded]) { other in
            if nodes[Int(other)].winner == index { body(other) }
        }
    }

    /// Calls `body` with all placed candidates in a rectangle, and possibly some around it. x may be outside the
    /// world.
    func forEachPlaced(minX: Double, maxX: Double, minY: Double, maxY: Double, _ body: (Int32) -> Void) {
        let block = raster.block(minX: minX, maxX: maxX, minY: minY, maxY: maxY)
        guard block.count < Double(nodes.count) else {
            for index in nodes.indices where nodes[index].winner == index { body(Int32(index)) }
            return
        }
        forEachCandidate(in: block, [.placed, .steady], body)
    }
}
