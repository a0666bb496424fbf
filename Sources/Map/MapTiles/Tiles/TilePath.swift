import MapModel

/// The place of a tile in the pyramid of a web map: zoom level, column and row, counted from 180° west and about 85°
/// north.
public struct TilePath: Hashable, Sendable {
    /// The zoom level, 0 to 24: at 0 one tile shows the world.
    public let z: Int
    /// The column, counted from the west.
    public let x: Int
    /// The row, counted from the north.
    public let y: Int

    /// Creates the path of a tile; `nil` if it does not exist.
    public init?(z: Int, x: Int, y: Int) {
        guard (0...24).contains(z), (0..<1 << z).contains(x), (0..<1 << z).contains(y) else { return nil }
        self.z = z
        self.x = x
        self.y = y
    }

    /// Creates a path from the last three components of an address: zoom level, column and row.
    package init?(_ parts: ArraySlice<String>) {
        let numbers = parts.compactMap { $0.utf8.count <= 9 ? Int($0) : nil }
        guard numbers.count == 3 else { return nil }
        self.init(z: numbers[0], x: numbers[1], y: numbers[2])
    }
}

extension TilePath {
    /// The bounds: degrees west, south, east, north.
    package var bounds: [Double] {
        let side = MapSize.world.width / Double(1 << z)
        let northWest = MapPoint(x: Double(x) * side, y: Double(y) * side)
        let southEast = MapPoint(x: Double(x + 1) * side, y: Double(y + 1) * side)
        return [
            northWest.continuousLongitude, southEast.latitude, southEast.continuousLongitude, northWest.latitude,
        ]
    }
}
