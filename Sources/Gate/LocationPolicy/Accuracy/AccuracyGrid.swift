import Glibc
import LocationModel

/// A grid of cells of about 5.5 km that covers the earth, with borders that depend on a secret.
///
/// It has rows of equal height in latitude and a cap at each pole. Each row is divided into columns of equal width in
/// longitude, as many as fit its circumference. The secret shifts the rows, and in each row the columns, so that no two
/// grids line up.
///
/// Each border is also displaced by up to half a cell to either side, at random but constantly. Clients only see the
/// centre of the regular, undisplaced cell. Without the displacement, a change of cell would reveal to a client that the
/// user is on a known line at that moment. With it, the client knows the border no better than to the width of a cell,
/// and seeing the same border crossed again adds nothing.
struct AccuracyGrid: Hashable, Sendable {
    /// One cell.
    struct Cell: Hashable, Sendable {
        /// Counted from the cap of the south pole, which is 0.
        var row: Int
        /// Counted eastwards; always 0 at the poles.
        var column: Int
    }

    /// The height of a row in degrees of latitude: 5529 m at the equator, 5585 m at the poles.
    ///
    /// A tenth more than the promised 5 km, because knowledge of how a user usually moves reduces the uncertainty a
    /// little.
    static let rowHeight = 0.05
    /// Hysteresis: the distance beyond its border, in cells, at which a cell is left. 280 m, more than the noise of a
    /// receiver.
    static let margin = 0.05
    /// The largest displacement of a border, in cells.
    private static let bend = 0.5

    private let hash: AccuracyKeyedHash
    /// The position of the first regular border, in rows from the south pole: 1 up to 2, so that no cap is too small.
    private let firstBorder: Double
    /// The row of the north pole's cap, which is likewise between 1 and 2 rows high.
    private let lastRow: Int

    init(secret: AccuracyReduction.Secret) {
        hash = AccuracyKeyedHash(secret: secret)
        firstBorder = 1 + hash.fraction(.firstBorder)
        lastRow = Int(180 / Self.rowHeight - firstBorder)
    }

    /// The cell that contains a place.
    func cell(at place: Coordinate) -> Cell {
        let rowPosition = rowPosition(ofLatitude: place.latitude)
        let nearestRow = min(max(Int(rowPosition.rounded(.down)), 0), lastRow)
        let row =
            [nearestRow, nearestRow - 1, nearestRow + 1].first { isRow($0, holding: rowPosition) } ?? nearestRow

        let columns = columnCount(ofRow: row)
        let nearest = Int(columnPosition(of: place, inRow: row).rounded(.down))
        let candidates = [nearest, nearest - 1, nearest + 1].map { ($0 % columns + columns) % columns }
        let column = candidates.first { isColumn($0, ofRow: row, holding: place) } ?? candidates[0]
        return Cell(row: row, column: column)
    }

    /// True if a place is in the cell or within the hysteresis margin around it.
    func cell(_ cell: Cell, stillHolds place: Coordinate) -> Bool {
        isRow(cell.row, holding: rowPosition(ofLatitude: place.latitude), margin: Self.margin)
            && isColumn(cell.column, ofRow: cell.row, holding: place, margin: Self.margin)
    }

    /// The centre of the regular cell, which is not the centre of the displaced one.
    func centre(of cell: Cell) -> Coordinate? {
        let columns = Double(columnCount(ofRow: cell.row))
        let longitude = (Double(cell.column) + 0.5 - columnOffset(ofRow: cell.row)) / columns * 360
        return Coordinate(
            latitude: centralLatitude(ofRow: cell.row),
            longitude: isCap(cell.row) ? 0 : remainder(longitude, 360))
    }

    /// The greatest distance, in metres, between the centre of a cell in this row and a place in the cell or its
    /// margin.
    ///
    /// Calculated for the largest possible displacement, so that the result reveals nothing about the actual one.
    func reach(ofRow row: Int) -> Double {
        let latitude = centralLatitude(ofRow: row)
        let beyondCentre = (isCap(row) ? 0 : 0.5) + Self.bend + Self.margin
        // The farthest places are corners; a cap has a single border around it instead.
        let capHeight = row == 0 ? firstBorder : 180 / Self.rowHeight - firstBorder - Double(lastRow - 1)
        let height = (beyondCentre + (isCap(row) ? capHeight : 0)) * Self.rowHeight
        let width = isCap(row) ? 0 : beyondCentre * 360 / Double(columnCount(ofRow: row))
        guard let centre = Coordinate(latitude: latitude, longitude: 0) else { return .infinity }
        return [latitude - height, latitude + height]
            .compactMap { Coordinate(latitude: $0, longitude: width)?.distance(to: centre) }
            .max() ?? .infinity
    }
}

// Rows: regular row r extends from position r to r + 1; the caps end at the poles.
extension AccuracyGrid {
    private func isCap(_ row: Int) -> Bool { row == 0 || row == lastRow }

    private func rowPosition(ofLatitude latitude: Double) -> Double {
        (latitude + 90) / Self.rowHeight - firstBorder + 1
    }

    private func centralLatitude(ofRow row: Int) -> Double {
        if isCap(row) { return row == 0 ? -90 : 90 }
        return (Double(row) - 0.5 + firstBorder) * Self.rowHeight - 90
    }

    private func isRow(_ row: Int, holding position: Double, margin: Double = 0) -> Bool {
        func border(_ row: Int) -> Double { Double(row) + bend(.rowBorder, row) }
        return (0...lastRow).contains(row)
            && (row == 0 || position >= border(row) - margin)
            && (row == lastRow || position < border(row + 1) + margin)
    }
}

// Columns: regular column c of a row extends from position c to c + 1.
extension AccuracyGrid {
    private func columnCount(ofRow row: Int) -> Int {
        isCap(row) ? 1 : Int((360 / Self.rowHeight * cos(centralLatitude(ofRow: row) * .pi / 180)).rounded())
    }

    private func columnOffset(ofRow row: Int) -> Double { hash.fraction(.columnOffset, row) }

    private func columnPosition(of place: Coordinate, inRow row: Int) -> Double {
        place.longitude / 360 * Double(columnCount(ofRow: row)) + columnOffset(ofRow: row)
    }

    private func isColumn(_ column: Int, ofRow row: Int, holding place: Coordinate, margin: Double = 0) -> Bool {
        let columns = columnCount(ofRow: row)
        guard columns > 1 else { return true }
        let fromCentre = remainder(
            columnPosition(of: place, inRow: row) - Double(column) - 0.5, Double(columns))
        return fromCentre >= -0.5 + bend(.columnBorder, row, column) - margin
            && fromCentre < 0.5 + bend(.columnBorder, row, (column + 1) % columns) + margin
    }
}

extension AccuracyGrid {
    /// The displacement of a border, in cells.
    private func bend(_ use: AccuracyKeyedHash.Use, _ row: Int, _ column: Int = 0) -> Double {
        (2 * hash.fraction(use, row, column) - 1) * Self.bend
    }
}

extension AccuracyKeyedHash {
    /// The purpose of a hash value: keeps values for different purposes independent.
    fileprivate enum Use: UInt64 {
        case firstBorder, rowBorder, columnOffset, columnBorder
    }

    /// A pseudo-random number from 0 up to 1.
    fileprivate func fraction(_ use: Use, _ row: Int = 0, _ column: Int = 0) -> Double {
        Double(self([use.rawValue, UInt64(row), UInt64(column)]) >> 11) * 0x1p-53
    }
}
