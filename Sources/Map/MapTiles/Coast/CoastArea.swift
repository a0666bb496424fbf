import LocationModel

/// An area with holes. Rings are closed: the last point equals the first.
package struct CoastArea: Hashable, Sendable {
    /// The outer ring, counterclockwise.
    package var outer: [CoastPoint]
    /// The rings of the holes, clockwise.
    package var holes: [[CoastPoint]] = []

    func contains(_ point: CoastPoint) -> Bool {
        PlanarRing.contains(point, in: outer) && !holes.contains { PlanarRing.contains(point, in: $0) }
    }

    /// The area, in square degrees.
    var size: Double { abs(Ring.area(outer)) - holes.reduce(0) { $0 + abs(Ring.area($1)) } }
}

/// Calculations with rings.
enum Ring {
    /// Returns the signed area: positive for a counterclockwise ring.
    static func area(_ ring: [CoastPoint]) -> Double {
        guard let last = ring.last else { return 0 }
        var (sum, before) = (0.0, last)
        for point in ring {
            sum += before.x * point.y - point.x * before.y
            before = point
        }
        return sum / 2
    }
}
