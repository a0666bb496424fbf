import LocationModel
import MapModel

/// The part of the fleet that a page shows.
struct FleetQuery: Decodable, Hashable, Sendable {
    /// The area in degrees: west, south, east and north. East may be above 180.
    var bounds: [Double]
    /// MapLibre's zoom.
    var zoom: Double
    /// The text with which the list is searched; `nil` without a list.
    var search: String?
    /// The numbers of vehicles that are followed wherever they are.
    var kept: [Int]

    /// The longest text, in bytes.
    static let longestSearch = 256
    /// The greatest number of vehicles that are followed.
    static let mostKept = 32

    /// True if the values are within their ranges.
    var isValid: Bool {
        bounds.count == 4 && (-180..<180).contains(bounds[0]) && (bounds[0]...(bounds[0] + 360)).contains(bounds[2])
            && (-90...90).contains(bounds[1]) && (bounds[1]...90).contains(bounds[3]) && (-2...26).contains(zoom)
            && (search?.utf8.count ?? 0) <= Self.longestSearch && kept.count <= Self.mostKept
    }

    /// The part of the flat map, with x beyond the world's width east of the 180th meridian.
    var area: (x: ClosedRange<Double>, y: ClosedRange<Double>) {
        func x(_ longitude: Double) -> Double { (longitude + 180) / 360 * MapSize.world.width }
        func y(_ latitude: Double) -> Double {
            MapPoint(Coordinate(clampingLatitude: latitude, wrappingLongitude: 0)).y
        }
        return (x(bounds[0])...max(x(bounds[0]), x(bounds[2])), y(bounds[3])...max(y(bounds[3]), y(bounds[1])))
    }
}
