/// A point of the plane, with the longitude as x and the latitude as y, in degrees.
package typealias CoastPoint = SIMD2<Double>

/// A rectangle along the meridians and parallels.
package struct CoastBox: Hashable, Sendable {
    package var min: CoastPoint
    package var max: CoastPoint

    package init(min: CoastPoint, max: CoastPoint) {
        self.min = min
        self.max = max
    }

    /// Creates a box from the degrees west, south, east and north.
    package init(_ bounds: [Double]) {
        self.init(min: [bounds[0], bounds[1]], max: [bounds[2], bounds[3]])
    }

    package var isEmpty: Bool { !(min.x < max.x && min.y < max.y) }
    var center: CoastPoint { (min + max) / 2 }
    /// The corners, counterclockwise from the south-west.
    var corners: [CoastPoint] { [min, [max.x, min.y], max, [min.x, max.y]] }

    package func intersection(_ other: CoastBox) -> CoastBox {
        CoastBox(
            min: [Swift.max(min.x, other.min.x), Swift.max(min.y, other.min.y)],
            max: [Swift.min(max.x, other.max.x), Swift.min(max.y, other.max.y)])
    }

    /// Returns the box with a margin, as a share of its sides.
    func grown(by part: Double) -> CoastBox { CoastBox(min: min - (max - min) * part, max: max + (max - min) * part) }

    func contains(_ point: CoastPoint) -> Bool {
        point.x >= min.x && point.x <= max.x && point.y >= min.y && point.y <= max.y
    }

    /// Returns the position of a point along the edge, counterclockwise from the south-west: 0 to 4, one for each side.
    func position(of point: CoastPoint) -> Double {
        let part = (point - min) / (max - min)
        let distances = [part.y, 1 - part.x, 1 - part.y, part.x].map(abs)
        switch distances.indices.min(by: { distances[$0] < distances[$1] }) {
        case 0: return Swift.min(Swift.max(0, part.x), 1)
        case 1: return 1 + Swift.min(Swift.max(0, part.y), 1)
        case 2: return 3 - Swift.min(Swift.max(0, part.x), 1)
        default: return 4 - Swift.min(Swift.max(0, part.y), 1)
        }
    }

    /// Returns the corners between two positions on the edge, counterclockwise.
    func corners(from start: Double, to end: Double) -> [CoastPoint] {
        let end = end < start ? end + 4 : end
        return stride(from: start.rounded(.down) + 1, through: end, by: 1).filter { $0 < end }
            .map { corners[Int($0) % 4] }
    }

    /// Returns the point of the edge nearest to a point inside.
    func nearestOnEdge(to point: CoastPoint) -> CoastPoint {
        let candidates: [CoastPoint] = [
            [point.x, min.y], [max.x, point.y], [point.x, max.y], [min.x, point.y],
        ]
        func distance(_ other: CoastPoint) -> Double {
            let offset = other - point
            return (offset * offset).sum()
        }
        return candidates.min { distance($0) < distance($1) } ?? min
    }

    /// Returns the parts of a line inside the box (Liang and Barsky, segment by segment).
    func clip(_ line: [CoastPoint]) -> [[CoastPoint]] {
        var parts: [[CoastPoint]] = []
        var current: [CoastPoint] = []
        for (start, end) in zip(line, line.dropFirst()) {
            guard let (enters, leaves) = crossing(start, end) else {
                if current.count > 1 { parts.append(current) }
                current = []
                continue
            }
            if enters > 0 || current.isEmpty {
                if current.count > 1 { parts.append(current) }
                current = [start + (end - start) * enters]
            }
            let last = leaves < 1 ? start + (end - start) * leaves : end
            if current.last != last { current.append(last) }
            if leaves < 1 {
                if current.count > 1 { parts.append(current) }
                current = []
            }
        }
        if current.count > 1 { parts.append(current) }
        return parts
    }

    private func crossing(_ start: CoastPoint, _ end: CoastPoint) -> (Double, Double)? {
        let way = end - start
        var (enters, leaves) = (0.0, 1.0)
        let sides = [
            (-way.x, start.x - min.x), (way.x, max.x - start.x), (-way.y, start.y - min.y), (way.y, max.y - start.y),
        ]
        for (direction, distance) in sides {
            if direction == 0 {
                if distance < 0 { return nil }
            } else if direction < 0 {
                enters = Swift.max(enters, distance / direction)
            } else {
                leaves = Swift.min(leaves, distance / direction)
            }
        }
        return enters <= leaves ? (enters, leaves) : nil
    }
}
