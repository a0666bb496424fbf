import Glibc

/// The outline of a condition in a tree: a circle on the unit sphere that is the border, or that contains it.
struct BorderItem {
    /// The middle, a unit vector exact to half a metre on the ground, and the angle of the radius. The angle is negative
    /// if the border may be anywhere within the circle, as that of a polygon may.
    var position: SIMD4<Float>
    /// The index of the condition.
    var slot: Int32

    init(center: UnitVector, angle: Double, isFilled: Bool, slot: Int32) {
        position = SIMD4(Float(center.x), Float(center.y), Float(center.z), Float(isFilled ? -angle : angle))
        self.slot = slot
    }

    var extent: BorderExtent {
        var (low, high) = (position, position)
        if position.w < 0 { (low.w, high.w) = (0, -position.w) }
        return BorderExtent(low: low, high: high)
    }
}

/// A box around middles, and the range of their radii.
struct BorderExtent {
    var low, high: SIMD4<Float>

    mutating func formUnion(_ other: BorderExtent) {
        low.replace(with: other.low, where: other.low .< low)
        high.replace(with: other.high, where: other.high .> high)
    }

    /// Rounding of the single precision, as an angle: 3 m.
    private static let rounding = 5e-7

    /// A lower bound of the distance from `point` to the nearest border, in metres.
    func distance(from point: UnitVector) -> Double {
        let (low, high) = (SIMD4<Double>(low), SIMD4<Double>(high))
        var nearest = 0.0
        var farthest = 0.0
        for axis in 0..<3 {
            let (below, above) = (low[axis] - point[axis], point[axis] - high[axis])
            let outside = max(0, max(below, above))
            let across = max(abs(below), abs(above))
            nearest += outside * outside
            farthest += across * across
        }
        let smallest = max(0, Self.angle(chord: nearest.squareRoot()) - Self.rounding)
        let toOutside = CurvatureBounds.smallest * smallest - CurvatureBounds.radius(high.w)
        if toOutside >= 0 { return toOutside }
        let largest = Self.angle(chord: farthest.squareRoot()) + Self.rounding
        return max(0, CurvatureBounds.radius(low.w) - CurvatureBounds.largest * largest)
    }

    /// The angle whose chord on the unit sphere is `chord`.
    private static func angle(chord: Double) -> Double {
        // The series of the arc sine; the next term is less than 1e-9.
        chord < 0.04 ? chord * (1 + chord * chord / 24) : 2 * asin(min(1, chord / 2))
    }
}

extension CurvatureBounds {
    /// The scale of the radii in a tree: any does that is used both ways.
    static func radius(_ angle: Double) -> Double { smallest * angle }
    /// The inverse of `radius(_:)`.
    static func angle(radius: Double) -> Double { radius / smallest }
}

/// A static k-d tree of conditions by middle and radius (J. L. Bentley, "Multidimensional binary search trees used for
/// associative searching", CACM 18, 1975), so that a border is found by its distance however large its circle is.
struct BorderTree {
    private static let leafCount = 8

    let items: [BorderItem]
    var nodeCount: Int { extents.capacity }
    /// The extents of the ranges of `items` that halving gives, in the order of a heap.
    private let extents: [BorderExtent]

    init(_ unordered: [BorderItem]) {
        var items = unordered
        var depth = 0
        while unordered.count >> depth > Self.leafCount { depth += 1 }
        let none = BorderExtent(low: SIMD4(repeating: .infinity), high: SIMD4(repeating: -.infinity))
        var extents = [BorderExtent](repeating: none, count: (2 << depth) - 1)
        Self.build(&items, &extents, node: 0, range: 0..<items.count)
        self.items = items
        self.extents = extents
    }

    private static func build(
        _ items: inout [BorderItem], _ extents: inout [BorderExtent], node: Int, range: Range<Int>
    ) {
        for item in items[range] { extents[node].formUnion(item.extent) }
        guard 2 * node + 1 < extents.count else { return }
        let size = extents[node].high - extents[node].low
        let axis = (0..<4).max { size[$0] < size[$1] } ?? 0
        let middle = range.lowerBound + range.count / 2
        items.partition(range, at: middle, axis: axis)
        build(&items, &extents, node: 2 * node + 1, range: range.lowerBound..<middle)
        build(&items, &extents, node: 2 * node + 2, range: middle..<range.upperBound)
    }

    /// A part of a tree, for a search from near to far.
    struct Node {
        fileprivate var index = 0
        fileprivate var range: Range<Int>
    }

    var root: Node { Node(range: 0..<items.count) }

    /// The parts of `node` with their bounds, or its items.
    func open(
        _ node: Node, from point: UnitVector, part: (Node, Double) -> Void, item: (BorderItem, Double) -> Void
    ) {
        guard 2 * node.index + 1 < extents.count else {
            for element in items[node.range] { item(element, element.extent.distance(from: point)) }
            return
        }
        let middle = node.range.lowerBound + node.range.count / 2
        let left = Node(index: 2 * node.index + 1, range: node.range.lowerBound..<middle)
        let right = Node(index: 2 * node.index + 2, range: middle..<node.range.upperBound)
        part(left, extents[left.index].distance(from: point))
        part(right, extents[right.index].distance(from: point))
    }
}

extension [BorderItem] {
    /// Reorders `range` so that no element before `middle` is greater than one after it along `axis` (C. A. R. Hoare,
    /// "Algorithm 65: find", CACM 4, 1961).
    fileprivate mutating func partition(_ range: Range<Int>, at middle: Int, axis: Int) {
        var (low, high) = (range.lowerBound, range.upperBound - 1)
        while low < high {
            let pivot = self[(low + high) / 2].position[axis]
            var (left, right) = (low, high)
            while left <= right {
                while self[left].position[axis] < pivot { left += 1 }
                while self[right].position[axis] > pivot { right -= 1 }
                if left <= right {
                    swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if middle <= right { high = right } else if middle >= left { low = left } else { return }
        }
    }
}
