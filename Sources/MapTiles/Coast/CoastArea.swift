/// An area with holes. Rings are closed: the last point is followed by the first.
package struct CoastArea: Hashable, Sendable {
    /// Counterclockwise.
    package var outer: [CoastPoint]
    /// Clockwise.
    package var holes: [[CoastPoint]] = []

    func contains(_ point: CoastPoint) -> Bool {
        Ring.contains(outer, point) && !holes.contains { Ring.contains($0, point) }
    }

    /// How large it is, in square degrees.
    var size: Double { abs(Ring.area(outer)) - holes.reduce(0) { $0 + abs(Ring.area($1)) } }
}

/// The properties of a closed line.
enum Ring {
    /// Its area: above zero where it goes counterclockwise.
    static func area(_ ring: [CoastPoint]) -> Double {
        guard let last = ring.last else { return 0 }
        var (sum, before) = (0.0, last)
        for point in ring {
            sum += before.x * point.y - point.x * before.y
            before = point
        }
        return sum / 2
    }

    /// Whether a point is inside, by how often a ray to the east crosses it.
    static func contains(_ ring: [CoastPoint], _ point: CoastPoint) -> Bool {
        guard var before = ring.last else { return false }
        var isInside = false
        for next in ring {
            if (next.y > point.y) != (before.y > point.y) {
                let x = before.x + (point.y - before.y) / (next.y - before.y) * (next.x - before.x)
                if point.x < x { isInside.toggle() }
            }
            before = next
        }
        return isInside
    }
}
