import Glibc
package import LocationModel

/// The time zones that a circle touches.
package struct NearbyTimeZones: Hashable, Sendable {
    /// The zone of the cell in the middle; `nil` at sea and in Antarctica.
    package var middle: String?
    package var names: Set<String> = []
    /// True if a part is in no zone.
    package var includesUnassigned = false
}

extension TimeZoneGrid {
    /// The largest radius for which zones are looked up, in metres. A larger one says too little about the time zone.
    package static let largestRadius = 50_000.0

    /// Returns the time zones of all cells that a circle touches.
    ///
    /// - Parameter radius: metres, 0 to ``largestRadius``.
    package func zones(around centre: Coordinate, radius: Double) -> NearbyTimeZones {
        let radius = min(max(radius, 0), Self.largestRadius)
        // The fewest metres that a degree has, so that no part of the circle is left out.
        let height = radius / 110_500
        var result = NearbyTimeZones()
        var middle: UInt16 = 0
        forEachKind(inRow: row(of: centre.latitude), column(of: centre.longitude)) { middle = $0[0] }
        result.middle = name(middle)
        let (north, south) = (centre.latitude + height, centre.latitude - height)
        // There is no zone that near to a pole.
        guard north < 89, south > -89 else {
            result.includesUnassigned = true
            return result
        }
        let metresOfLongitude = 111_300 * cos(max(abs(north), abs(south)) * .pi / 180)
        for row in row(of: north)...row(of: south) {
            // From the middle to the row's nearest edge.
            let (top, bottom) = (90 - Double(row) / cells, 90 - Double(row + 1) / cells)
            let distance = max(0, centre.latitude - top, bottom - centre.latitude) * 110_500
            let reach = max(0, radius * radius - distance * distance).squareRoot() / metresOfLongitude
            let first = Int(((centre.longitude - reach + 180) * cells).rounded(.down))
            let last = Int(((centre.longitude + reach + 180) * cells).rounded(.down))
            forEachKind(inRow: row, first, last) { zones in
                for zone in zones {
                    if let name = name(zone) { result.names.insert(name) } else { result.includesUnassigned = true }
                }
            }
        }
        return result
    }

    private var cells: Double { Double(cellsPerDegree) }

    private func name(_ zone: UInt16) -> String? { zone == 0 ? nil : names[Int(zone) - 1] }

    private func row(of latitude: Double) -> Int {
        min(max(Int((90 - latitude) * cells), 0), 180 * cellsPerDegree - 1)
    }

    private func column(of longitude: Double) -> Int { Int(((longitude + 180) * cells).rounded(.down)) }

    /// Calls `body` with the zones of cells whose columns may lie beyond the 180th meridian.
    private func forEachKind(inRow row: Int, _ first: Int, _ last: Int, _ body: ([UInt16]) -> Void) {
        let width = 360 * cellsPerDegree
        if first < 0 {
            forEachKind(inRow: row, from: first + width, through: width - 1, body)
            forEachKind(inRow: row, from: 0, through: last, body)
        } else if last >= width {
            forEachKind(inRow: row, from: min(first, width - 1), through: width - 1, body)
            forEachKind(inRow: row, from: 0, through: last - width, body)
        } else {
            forEachKind(inRow: row, from: first, through: last, body)
        }
    }

    private func forEachKind(inRow row: Int, _ column: Int, _ body: ([UInt16]) -> Void) {
        let column = column % (360 * cellsPerDegree)
        forEachKind(inRow: row, from: column, through: column, body)
    }
}
