/// What a cell of the screen is for, and so how it looks.
enum Style: Hashable, Sendable, CaseIterable {
    case plain
    /// What is there to be found, not to be noticed.
    case faint
    /// What is looked at first.
    case strong
    /// Where the user is.
    case user
    /// The way they came.
    case trail
    /// How sure that is.
    case circle
    /// What is not as it should be.
    case warning
    /// A recording is under way.
    case recording
    /// Streets and borders, behind all else.
    case ground
    /// Water and coasts, behind all else.
    case water

    /// Whether whatever else is in the same cell takes its place.
    var isGround: Bool { self == .ground || self == .water }
}

/// One character and how it looks.
struct Cell: Hashable, Sendable {
    /// Takes one column.
    var scalar: Unicode.Scalar = " "
    var style = Style.plain
}

/// The size of a terminal, in cells.
struct Size: Hashable, Sendable {
    var columns: Int
    var rows: Int
}

/// A picture in cells, to be shown by `ScreenPainter`. What is put beside it is not there.
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

    /// The cell in a column and a row from 0. One beside the screen is empty, and setting it does nothing.
    subscript(column: Int, row: Int) -> Cell {
        get { contains(column, row) ? cells[row * size.columns + column] : Cell() }
        set { if contains(column, row) { cells[row * size.columns + column] = newValue } }
    }

    /// Writes text of any origin in one row, cut off at `end` or the screen's. Gives the column after it.
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

    /// How many columns the text takes.
    func width(of text: String) -> Int { charset.spell(text).unicodeScalars.count }

    /// The characters alone, one line a row, without the spaces at their ends.
    var text: String {
        (0..<size.rows).map { row in
            var line = String.UnicodeScalarView()
            line.append(contentsOf: (0..<size.columns).map { self[$0, row].scalar })
            while line.last == " " { line.removeLast() }
            return String(line)
        }.joined(separator: "\n")
    }

    private func contains(_ column: Int, _ row: Int) -> Bool {
        (0..<size.columns).contains(column) && (0..<size.rows).contains(row)
    }
}
