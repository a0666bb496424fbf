import LocationModel
import MapModel

/// Areas of land and sea along the coast of an extract, in adjacent cells.
///
/// Cells confine a mistake in the data to its place. Only cells with a coast and their neighbours are made: farther
/// away the base map's sea is correct, and the extract lacks other coasts.
package enum Coast {
    /// A coastline as an extract has it.
    package struct Way: Hashable, Sendable {
        package var nodes: [Int64]

        package init(nodes: [Int64]) { self.nodes = nodes }
    }

    /// The zoom level whose tiles are the cells: 20 km wide at the equator, 10 km at 60° north.
    private static let zoom = 11
    /// The number of neighbouring cells made in each direction.
    private static let reach = 2
    /// The overlap of cells, as a share of their sides, which closes gaps between them.
    private static let overlap = 0.02

    /// Divides the surroundings of coastlines.
    ///
    /// - Parameters:
    ///   - lines: The result of ``join(_:at:)``.
    ///   - bounds: The extent of the extract, beyond which nothing is made.
    package static func areas(along lines: [[CoastPoint]], in bounds: CoastBox) -> [CoastDivision] {
        var divisions = coastalCells(lines, bounds).compactMapValues { parts, box in CoastDivision(box, along: parts) }
        var edge = Array(divisions.keys)
        for _ in 0..<reach {
            var next: [Cell] = []
            // In a fixed order, so that the same extract gives the same tiles.
            for cell in edge.sorted() {
                guard let division = divisions[cell] else { continue }
                for (neighbour, point) in cell.neighbours(in: bounds) where divisions[neighbour] == nil {
                    let box = neighbour.box(in: bounds, overlap)
                    guard !box.isEmpty else { continue }
                    let isSea = division.sea.contains { $0.contains(point) }
                    divisions[neighbour] = CoastDivision(of: box, isSea: isSea)
                    next.append(neighbour)
                }
            }
            edge = next
        }
        return divisions.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Joins the ways whose ends are the same node.
    package static func join(_ ways: [Way], at places: [Int64: CoastPoint]) -> [[CoastPoint]] {
        var byStart: [Int64: [Int]] = [:]
        for (index, way) in ways.enumerated() {
            if let first = way.nodes.first { byStart[first, default: []].append(index) }
        }
        let ends = Set(ways.compactMap(\.nodes.last))
        var isUsed = Array(repeating: false, count: ways.count)
        var lines: [[CoastPoint]] = []
        // Open lines are joined from their beginnings; then rings.
        let order = ways.indices.sorted { one, other in
            let (isOne, isOther) = (
                ends.contains(ways[one].nodes.first ?? 0), ends.contains(ways[other].nodes.first ?? 0)
            )
            return isOne == isOther ? one < other : !isOne
        }
        for first in order where !isUsed[first] {
            var nodes: [Int64] = []
            var next: Int? = first
            while let index = next {
                isUsed[index] = true
                nodes += nodes.isEmpty ? ways[index].nodes[...] : ways[index].nodes.dropFirst()
                next = nodes.first == nodes.last ? nil : byStart[nodes.last ?? 0]?.first { !isUsed[$0] }
            }
            let line = nodes.compactMap { places[$0] }
            if line.count > 1 { lines.append(line) }
        }
        return lines
    }

    private struct Cell: Hashable, Comparable {
        let x: Int
        let y: Int

        static func < (one: Cell, other: Cell) -> Bool { (one.y, one.x) < (other.y, other.x) }

        func box(in bounds: CoastBox, _ overlap: Double) -> CoastBox {
            guard let path = TilePath(z: Coast.zoom, x: x, y: y) else { return CoastBox(min: [0, 0], max: [0, 0]) }
            return CoastBox(path.bounds).grown(by: overlap).intersection(bounds)
        }

        /// The cells on the four sides, each with the midpoint of the shared side.
        func neighbours(in bounds: CoastBox) -> [(Cell, CoastPoint)] {
            let box = box(in: bounds, 0)
            return [
                (Cell(x: x - 1, y: y), [box.min.x, box.center.y]), (Cell(x: x + 1, y: y), [box.max.x, box.center.y]),
                (Cell(x: x, y: y - 1), [box.center.x, box.max.y]), (Cell(x: x, y: y + 1), [box.center.x, box.min.y]),
            ]
        }
    }

    /// Returns the cells that lines cross, with the parts of the lines inside.
    private static func coastalCells(
        _ lines: [[CoastPoint]], _ bounds: CoastBox
    ) -> [Cell: (parts: [[CoastPoint]], box: CoastBox)] {
        var cells: [Cell: (parts: [[CoastPoint]], box: CoastBox)] = [:]
        for line in lines {
            var runs: [Cell: [ClosedRange<Int>]] = [:]
            for index in line.indices.dropLast() {
                for cell in self.cells(line[index], line[index + 1], bounds) {
                    let goesOn = runs[cell]?.last?.upperBound == index
                    let start = goesOn ? runs[cell]?.popLast()?.lowerBound : nil
                    runs[cell, default: []].append((start ?? index)...index + 1)
                }
            }
            for (cell, ranges) in runs {
                var parts = ranges.map { Array(line[$0]) }
                // A ring may begin inside the cell; its end and beginning are then one part.
                if parts.count > 1, line.first == line.last, ranges[0].lowerBound == 0,
                    ranges[ranges.count - 1].upperBound == line.count - 1, let end = parts.popLast()
                {
                    parts[0] = end + parts[0].dropFirst()
                }
                cells[cell, default: ([], cell.box(in: bounds, overlap))].parts += parts
            }
        }
        return cells.filter { !$0.value.box.isEmpty }
    }

    /// Returns the cells that a segment may touch.
    private static func cells(_ start: CoastPoint, _ end: CoastPoint, _ bounds: CoastBox) -> [Cell] {
        let (one, other) = (place(start), place(end))
        let (low, high) = (pointwiseMin(one, other) - overlap, pointwiseMax(one, other) + overlap)
        let side = Double(1 << zoom) - 1
        func range(_ low: Double, _ high: Double) -> ClosedRange<Int> {
            Int(Swift.min(Swift.max(0, low), side))...Int(Swift.min(Swift.max(0, high), side))
        }
        let (rows, columns) = (range(low.y, high.y), range(low.x, high.x))
        // A segment across so many cells comes from a wrong point.
        guard rows.count * columns.count <= 4096 else { return [] }
        return rows.flatMap { y in columns.map { x in Cell(x: x, y: y) } }
    }

    /// Returns the column and row of a point, with fractions.
    private static func place(_ point: CoastPoint) -> SIMD2<Double> {
        let map = MapPoint(Coordinate(clampingLatitude: point.y, wrappingLongitude: point.x))
        return SIMD2(map.x, map.y) * Double(1 << zoom) / MapSize.world.width
    }
}
