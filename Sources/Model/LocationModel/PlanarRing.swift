/// A closed ring in a plane, such as one of a polygon, as its corners without a repetition of the first.
package enum PlanarRing {
    /// True if a ring contains a point: if a ray from the point to greater x crosses the ring an odd number of times (PNPOLY, W. R.
    /// Franklin). Points on the ring may count as inside or outside. False for a ring without corners.
    @inlinable
    package static func contains(
        _ point: SIMD2<Double>, in ring: some BidirectionalCollection<SIMD2<Double>>
    ) -> Bool {
        guard var last = ring.last else { return false }
        var isInside = false
        for next in ring {
            if (next.y > point.y) != (last.y > point.y),
                point.x < (last.x - next.x) * (point.y - next.y) / (last.y - next.y) + next.x
            {
                isInside.toggle()
            }
            last = next
        }
        return isInside
    }
}
