/// The order in which views are placed, higher first: by priority, then by the scrambled number of the annotation.
///
/// With scrambled numbers an edit affects about one other view on average, whatever the total (K. Censor-Hillel, E.
/// Haramaty, Z. Karnin, "Optimal dynamic distributed MIS", PODC 2016); in an order by place or age a change could
/// propagate to all. No two annotations have the same rank.
struct Rank: Comparable, Sendable {
    let bits: UInt64

    /// The precedence of clusters over single views.
    enum ClustersFirst {
        case amongEquals
        case always
    }

    @inline(__always)
    init(_ priority: FeatureDisplayPriority, id: AnnotationID, isCluster: Bool, clustersFirst: ClustersFirst) {
        // The bit patterns of non-negative floating-point numbers have the order of the numbers; up to 1000 they leave
        // the highest bit free.
        let pattern = priority.rawValue.bitPattern
        let first: UInt32
        switch clustersFirst {
        case .amongEquals: first = pattern << 1 | (isCluster ? 1 : 0)
        case .always: first = pattern | (isCluster ? 1 << 31 : 0)
        }
        bits = UInt64(first) << 32 | UInt64(id.shuffled)
    }

    /// A lower bound of all ranks.
    static let lowest = Rank(bits: 0)

    private init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }

}

/// A priority queue of indices, the highest rank first: a binary heap.
struct RankQueue: Sendable {
    private var heap: [(rank: Rank, index: Int32)] = []

    var isEmpty: Bool { heap.isEmpty }

    mutating func insert(_ index: Int32, rank: Rank) {
        heap.append((rank, index))
        var child = heap.count - 1
        while child > 0, heap[(child - 1) / 2].rank < heap[child].rank {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popHighest() -> (rank: Rank, index: Int32)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child].rank < heap[child + 1].rank { child += 1 }
            guard heap[parent].rank < heap[child].rank else { break }
            heap.swapAt(parent, child)
            parent = child
        }
        return first
    }
}
