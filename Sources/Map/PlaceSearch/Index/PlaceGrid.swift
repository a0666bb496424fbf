import Glibc

import LocationModel

/// Numbers for cells of the earth, so that neighbouring places are close together in an index.
///
/// Longitude and latitude become 16 bits each, interleaved (G. M. Morton, 1966): a cell is about 600 m by 300 m at the
/// equator, and the cells of a box of 2ⁿ by 2ⁿ are consecutive.
enum PlaceGrid {
    /// Returns the cell of a position.
    static func cell(latitude: Double, longitude: Double) -> UInt32 { interleave(column(longitude), row(latitude)) }

    /// Returns ranges of cells that cover all positions within `radius` metres of `center`, and little more: about a
    /// dozen.
    static func ranges(around center: Coordinate, radius: Double) -> [ClosedRange<UInt32>] {
        let height = min(90, radius / WGS84.shortestDegree)
        let width = min(180, height / max(0.01, cos(center.latitude.radians)))
        // The smallest level of squares at which five by five cover the circle.
        var level = 0
        while level < 16, Double(2 << level) * 180 / 65_536 < height || Double(2 << level) * 360 / 65_536 < width {
            level += 1
        }
        let side = Double(1 << level)
        let count = 65_536 >> level
        let west = Int(((center.longitude - width + 180) / 360 * 65_536 / side).rounded(.down))
        let east = Int(((center.longitude + width + 180) / 360 * 65_536 / side).rounded(.down))
        let rows = (row(center.latitude - height) >> UInt32(level))...(row(center.latitude + height) >> UInt32(level))
        var firsts: Set<UInt64> = []
        // Columns continue across the 180th meridian.
        for column in west...min(east, west + count - 1) {
            for row in rows {
                let cell = interleave(UInt32(((column % count) + count) % count), row)
                firsts.insert(UInt64(cell) << UInt64(2 * level))
            }
        }
        var ranges: [ClosedRange<UInt32>] = []
        for first in firsts.sorted() {
            let last = UInt32(first + (1 << UInt64(2 * level)) - 1)
            if let previous = ranges.last, UInt64(previous.upperBound) + 1 == first {
                ranges[ranges.count - 1] = previous.lowerBound...last
            } else {
                ranges.append(UInt32(first)...last)
            }
        }
        return ranges
    }

    private static func column(_ longitude: Double) -> UInt32 { UInt32(min(65_535, (longitude + 180) / 360 * 65_536)) }
    private static func row(_ latitude: Double) -> UInt32 {
        UInt32(min(65_535, max(0, (latitude + 90) / 180 * 65_536)))
    }

    private static func interleave(_ x: UInt32, _ y: UInt32) -> UInt32 { spread(x) | spread(y) << 1 }

    /// Returns the lower 16 bits, each followed by a free bit.
    private static func spread(_ value: UInt32) -> UInt32 {
        var bits = value & 0xFFFF
        bits = (bits | bits << 8) & 0x00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333
        return (bits | bits << 1) & 0x5555_5555
    }
}

/// Words for squares of the earth in a full-text index, so that one query combines names with a neighbourhood. They
/// consist of private-use characters, which folded names never contain.
struct PlaceSquares {
    /// The side of a square, in degrees.
    let side: Double

    /// Returns the word for the square of a position.
    func word(latitude: Double, longitude: Double) -> String { word(row(latitude), column(longitude)) }

    /// Returns the words for the square of a position and its neighbours.
    func words(around center: Coordinate) -> [String] {
        let columns = Int((360 / side).rounded())
        return (-1...1).flatMap { dy in
            (-1...1).map { dx in
                word(row(center.latitude) + dy, (column(center.longitude) + dx + columns) % columns)
            }
        }
    }

    private func row(_ latitude: Double) -> Int { Int((latitude + 90) / side) + 1 }
    private func column(_ longitude: Double) -> Int { Int((longitude + 180) / side) % Int((360 / side).rounded()) }

    private func word(_ row: Int, _ column: Int) -> String {
        [row, column].map { String(Unicode.Scalar(UInt32(0xF0000 + $0)).map(Character.init) ?? " ") }.joined()
    }
}
