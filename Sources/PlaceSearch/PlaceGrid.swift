import Glibc

import LocationModel

/// Numbers for parts of the earth, so that what lies near a position stands together in an index.
///
/// Longitude and latitude become 16 bits each, interleaved (G. M. Morton, 1966): a cell is about 600 m by 300 m at the
/// equator, and the cells of a box of 2ⁿ by 2ⁿ follow one another.
enum PlaceGrid {
    /// The cell of a position.
    static func cell(latitude: Double, longitude: Double) -> UInt32 { interleave(column(longitude), row(latitude)) }

    /// Ranges of cells that together cover all positions within `radius` metres of `center`, at most nine.
    static func ranges(around center: Coordinate, radius: Double) -> [ClosedRange<UInt32>] {
        let height = min(90, radius / 111_000)
        let width = min(180, height / max(0.01, cos(degrees: center.latitude)))
        // The smallest cells of which three by three cover the circle.
        var level = 0
        while level < 16, Double(1 << level) * 180 / 65_536 < height || Double(1 << level) * 360 / 65_536 < width {
            level += 1
        }
        let (x, y) = (Int(column(center.longitude) >> UInt32(level)), Int(row(center.latitude) >> UInt32(level)))
        let count = 65_536 >> level
        var ranges: [ClosedRange<UInt32>] = []
        var seen: Set<Int> = []
        for dx in -1...1 {
            // Columns go on across the 180th meridian.
            let column = (x + dx + count) % count
            guard seen.insert(column).inserted else { continue }
            for row in max(0, y - 1)...min(count - 1, y + 1) {
                let first = UInt64(interleave(UInt32(column), UInt32(row))) << UInt64(2 * level)
                ranges.append(UInt32(first)...UInt32(first + (1 << UInt64(2 * level)) - 1))
            }
        }
        return ranges
    }

    private static func column(_ longitude: Double) -> UInt32 { UInt32(min(65_535, (longitude + 180) / 360 * 65_536)) }
    private static func row(_ latitude: Double) -> UInt32 { UInt32(min(65_535, (latitude + 90) / 180 * 65_536)) }

    private static func interleave(_ x: UInt32, _ y: UInt32) -> UInt32 { spread(x) | spread(y) << 1 }

    /// The lower 16 bits, each with a free one above it.
    private static func spread(_ value: UInt32) -> UInt32 {
        var bits = value & 0xFFFF
        bits = (bits | bits << 8) & 0x00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333
        return (bits | bits << 1) & 0x5555_5555
    }
}

/// Words that stand for squares of the earth in an index of text, so that one query asks for names and for a neighbourhood.
/// They consist of characters for private use, which are in no folded name.
struct PlaceSquares {
    /// The side of a square, in degrees.
    let side: Double

    /// The word for the square of a position.
    func word(latitude: Double, longitude: Double) -> String { word(row(latitude), column(longitude)) }

    /// The words for that square and those around it.
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
