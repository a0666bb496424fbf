import LocationModel

/// A box divided into land and sea by the coastlines in it.
///
/// In OpenStreetMap a coastline has land on its left and water on its right
/// (<https://wiki.openstreetmap.org/wiki/Tag:natural%3Dcoastline>). From the point where a coastline leaves the box,
/// the land on its left continues counterclockwise along the edge up to the next coastline that enters; the sea on its
/// right continues clockwise.
package struct CoastDivision: Hashable, Sendable {
    package let land: [CoastArea]
    package let sea: [CoastArea]

    /// Creates the division of a box without a coast.
    init(of box: CoastBox, isSea: Bool) {
        let area = [CoastArea(outer: box.corners)]
        (land, sea) = isSea ? ([], area) : (area, [])
    }

    /// Divides `box`; `nil` if no line is inside, which leaves its kind unknown.
    ///
    /// - Parameter lines: Coastlines, which may extend beyond the box. A line whose last point equals its first is a
    ///   ring. A line that ends inside the box, as in a badly cut extract, is extended straight to the nearest edge.
    package init?(_ box: CoastBox, along lines: [[CoastPoint]]) {
        guard !box.isEmpty else { return nil }
        var rings: [[CoastPoint]] = []
        var pieces: [[CoastPoint]] = []
        for line in lines {
            if line.count > 3, line.first == line.last, line.allSatisfy(box.contains) {
                rings.append(Array(line.dropLast()))
            } else {
                pieces += Self.pieces(of: line, in: box)
            }
        }
        rings.removeAll { Ring.area($0) == 0 }
        let islands = rings.filter { Ring.area($0) > 0 }
        let waters = rings.filter { Ring.area($0) < 0 }
        var land: [[CoastPoint]] = []
        var sea: [[CoastPoint]] = []
        if !pieces.isEmpty {
            land = Self.close(pieces, along: box)
            sea = Self.close(pieces.map { $0.reversed() }, along: box)
        } else if let largest = rings.max(by: { abs(Ring.area($0)) < abs(Ring.area($1)) }) {
            // Outside all rings is the opposite of the inside of the outermost one.
            if Ring.area(largest) > 0 { sea = [box.corners] } else { land = [box.corners] }
        } else {
            return nil
        }
        self.land = Self.areas(land + islands, holes: waters)
        self.sea = Self.areas(sea + waters.map { $0.reversed() }, holes: islands.map { $0.reversed() })
    }

    /// Returns the parts of a line in the box, each from edge to edge.
    private static func pieces(of line: [CoastPoint], in box: CoastBox) -> [[CoastPoint]] {
        var parts = box.clip(line)
        // A ring is split at its first point; the two parts there are joined again.
        if line.count > 3, let first = line.first, first == line.last, box.contains(first), parts.count > 1,
            parts.first?.first == first, parts.last?.last == first, let end = parts.popLast()
        {
            parts[0] = end + parts[0].dropFirst()
        }
        return parts.map { part in
            var part = part
            if let first = part.first, first == line.first, isInside(first, box) {
                part.insert(box.nearestOnEdge(to: first), at: 0)
            }
            if let last = part.last, last == line.last, isInside(last, box) { part.append(box.nearestOnEdge(to: last)) }
            return part
        }
    }

    private static func isInside(_ point: CoastPoint, _ box: CoastBox) -> Bool {
        point.x > box.min.x && point.x < box.max.x && point.y > box.min.y && point.y < box.max.y
    }

    /// Returns the areas to the left of lines from edge to edge, closed along the edge.
    private static func close(_ pieces: [[CoastPoint]], along box: CoastBox) -> [[CoastPoint]] {
        let ends = pieces.map { piece in
            (start: box.position(of: piece.first ?? box.min), end: box.position(of: piece.last ?? box.min))
        }
        let starts = pieces.indices.sorted { ends[$0].start < ends[$1].start }
        /// Returns the first line that enters at a position or after it, counterclockwise.
        func next(after position: Double) -> Int {
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = (low + high) / 2
                if ends[starts[middle]].start < position { low = middle + 1 } else { high = middle }
            }
            return starts[low % starts.count]
        }
        var isUsed = Array(repeating: false, count: pieces.count)
        var rings: [[CoastPoint]] = []
        for first in pieces.indices where !isUsed[first] {
            var ring: [CoastPoint] = []
            var index = first
            // Lines in the wrong direction would lead into a ring that is closed already.
            while !isUsed[index] {
                isUsed[index] = true
                ring += pieces[index]
                let following = next(after: ends[index].end)
                ring += box.corners(from: ends[index].end, to: ends[following].start)
                index = following
            }
            if Ring.area(ring) > 0 { rings.append(ring) }
        }
        return rings
    }

    /// Returns the areas of outer rings, each hole in the smallest ring around it.
    private static func areas(_ outers: [[CoastPoint]], holes: [[CoastPoint]]) -> [CoastArea] {
        var areas = outers.map { CoastArea(outer: $0) }
        let sizes = outers.map(Ring.area)
        for hole in holes {
            guard let point = hole.first else { continue }
            let around = areas.indices.filter {
                sizes[$0] > abs(Ring.area(hole)) && PlanarRing.contains(point, in: outers[$0])
            }
            if let index = around.min(by: { sizes[$0] < sizes[$1] }) { areas[index].holes.append(hole) }
        }
        return areas
    }
}
