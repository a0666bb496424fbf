import LocationModel
import MapTiles
import MapModel

/// A line of a tile and its kind.
struct GroundFeature: Sendable {
    enum Kind: Hashable, Sendable {
        /// The edge of water, a river, or the coast of the sea.
        case water
        case border
        /// A street or a railway, by its class.
        case street(String)
    }

    let kind: Kind
    let points: [Coordinate]

    /// Its style at this number of metres per dot; `nil` if it would only clutter the view.
    func style(metresPerDot: Double) -> Style? {
        switch kind {
        case .water: return .water
        case .border: return .ground
        case .street(let name): return metresPerDot <= (Self.scales[name] ?? 0) ? .ground : nil
        }
    }

    /// The largest number of metres per dot at which a class of streets is drawn, so that streets keep their distance.
    private static let scales = [
        "motorway": 1000.0, "trunk": 1000, "primary": 256, "secondary": 128, "tertiary": 32, "minor": 16, "rail": 16,
        "track": 8, "pier": 4, "service": 2, "path": 0.5,
    ]

    /// The lines of the drawn layers. A damaged layer has none.
    static func features(of tile: VectorTile, at path: TilePath) -> [GroundFeature] {
        tile.layers.flatMap { layer -> [GroundFeature] in
            guard layers.contains(layer.name), let lines = try? layer.lines() else { return [] }
            return lines.flatMap { line -> [GroundFeature] in
                guard let kind = kind(of: layer.name, line.class) else { return [] }
                let square = line.isRing && (line.class == "ocean" || layer.name == "shore")
                return parts(of: line, extent: Int32(layer.extent), isCutStraight: square).map { points in
                    GroundFeature(kind: kind, points: coordinates(points, path, Double(layer.extent)))
                }
            }
        }
    }

    /// The layers of the regions' tiles and of the world's.
    private static let layers: Set = [
        "water", "waterway", "transportation", "boundary", "shore", "lake", "island", "border",
    ]

    private static func kind(of layer: String, _ class: String?) -> Kind? {
        switch layer {
        case "water": `class` == "swimming_pool" ? nil : .water
        case "waterway": `class` == "river" || `class` == "canal" ? .water : nil
        case "shore", "lake", "island": .water
        case "boundary", "border": .border
        default: `class`.map { .street($0) }
        }
    }

    /// The parts of a line that exist on the ground. Areas have artificial edges where they were cut: along the edges
    /// of tiles and, for the sea of a region, along those of cells.
    private static func parts(
        of line: VectorTile.Line, extent: Int32, isCutStraight: Bool
    ) -> [[SIMD2<Int32>]] {
        guard line.isRing, let first = line.points.first else { return [line.points] }
        var parts: [[SIMD2<Int32>]] = [[]]
        for (start, end) in zip(line.points, line.points.dropFirst() + [first]) {
            if isCut(start, end, extent, isCutStraight) {
                parts.append([])
            } else {
                if parts[parts.count - 1].isEmpty { parts[parts.count - 1].append(start) }
                parts[parts.count - 1].append(end)
            }
        }
        return parts.filter { $0.count > 1 }
    }

    private static func isCut(
        _ start: SIMD2<Int32>, _ end: SIMD2<Int32>, _ extent: Int32, _ isCutStraight: Bool
    ) -> Bool {
        for (one, other, way) in [(start.x, end.x, start.y &- end.y), (start.y, end.y, start.x &- end.x)] {
            if (one <= 0 && other <= 0) || (one >= extent && other >= extent) { return true }
            // No coast follows a meridian or a parallel so exactly for such a length.
            if isCutStraight, one == other, way.magnitude > extent.magnitude / 100 { return true }
        }
        return false
    }

    private static func coordinates(
        _ points: [SIMD2<Int32>], _ path: TilePath, _ extent: Double
    ) -> [Coordinate] {
        let side = MapSize.world.width / Double(1 << path.z)
        return points.map { point in
            MapPoint(
                x: (Double(path.x) + Double(point.x) / extent) * side,
                y: (Double(path.y) + Double(point.y) / extent) * side
            ).coordinate
        }
    }
}
