import CommandLineSupport

/// The meaning of a cell, which decides about its style.
enum Style: Hashable, Sendable, CaseIterable {
    case plain
    /// Secondary text.
    case faint
    /// Primary text.
    case strong
    /// The user's position.
    case user
    case trail
    /// The accuracy of the position.
    case circle
    /// A problem.
    case warning
    /// A recording in progress.
    case recording
    /// Streets and borders, behind everything else.
    case ground
    /// Water and coasts, behind everything else.
    case water

    /// True if any other content of the same cell replaces it.
    var isGround: Bool { self == .ground || self == .water }
}

/// A character and its style.
struct Cell: Hashable, Sendable {
    /// A character of one column.
    var scalar: Unicode.Scalar = " "
    var style = Style.plain
}

/// The size of a terminal in cells.
struct Size: Hashable, Sendable {
    var columns: Int
    var rows: Int
}

/// A picture in cells, which `ScreenPainter` shows. Content outside of it is ignored.
struct Screen: Hashable, Sendable {
    let size: Size
    let charset: Charset
    private var cells: [Cell]

    /// An empty screen.
    init(size: Size, charset: Charset) {
        self.size = Size(columns: max(0, size.columns), rows: max(0, size.rows))
        self.charset = charset
        cells = Array(repeating: Cell(), count: self.size.columns * self.size.rows)
    }

    /// The cell at a column and a row from 0. Outside of the screen it is empty, and setting it does nothing.
    subscript(column: Int, row: Int) -> Cell {
        get { contains(column, row) ? cells[row * size.columns + column] : Cell() }
        set { if contains(column, row) { cells[row * size.columns + column] = newValue } }
    }

    /// Writes text of any origin in one row, up to `end` or the screen's edge. Returns the column after it.
    @discardableResult
    mutating func put(
        _ text: String, column: Int, row: Int, style: Style = .plain, end: Int = .max
    ) -> Int {
        var column = column
        for scalar in charset.spell(text).unicodeScalars {
            guard column < min(end, size.columns) else { break }
            self[column, row] = Cell(scalar: scalar, style: style)
            column += 1
        }
        return column
    }

    /// The number of columns of the text.
    func width(of text: String) -> Int { charset.spell(text).unicodeScalars.count }

    private func contains(_ column: Int, _ row: Int) -> Bool {
        (0..<size.columns).contains(column) && (0..<size.rows).contains(row)
    }
}
