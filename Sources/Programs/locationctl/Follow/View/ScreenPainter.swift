/// Turns screens into output for a terminal. It sends only the changes, so that a frame costs little on a slow line.
struct ScreenPainter {
    /// True for colours; bold and faint text is always used.
    let usesColours: Bool
    private var shown: Screen?

    /// A painter for a terminal with unknown content.
    init(usesColours: Bool) {
        self.usesColours = usesColours
    }

    /// Discards the known content of the terminal, because another program has written to it.
    mutating func forget() { shown = nil }

    /// The output that makes the terminal show `screen`; empty if it already does.
    ///
    /// The terminal is asked to show it at once (mode 2026); terminals without that mode ignore it.
    mutating func paint(_ screen: Screen) -> String {
        let known = shown.flatMap { $0.size == screen.size ? $0 : nil }
        guard known != screen else { return "" }
        var strokes = Strokes(usesColours: usesColours)
        for row in 0..<screen.size.rows {
            for column in 0..<screen.size.columns where known.map({ $0[column, row] != screen[column, row] }) ?? true {
                strokes.draw(screen, column, row)
            }
        }
        shown = screen
        return "\u{1b}[?2026h\(known == nil ? "\u{1b}[0m\u{1b}[2J" : "")\(strokes.text)\u{1b}[0m\u{1b}[?2026l"
    }
}

/// The output of one frame: cells, cursor movements and changes of style.
private struct Strokes {
    let usesColours: Bool
    private(set) var text = ""
    private var style = Style.plain
    /// The position of the cursor; `nil` where terminals disagree about it.
    private var cursor: (column: Int, row: Int)?

    init(usesColours: Bool) {
        self.usesColours = usesColours
    }

    mutating func draw(_ screen: Screen, _ column: Int, _ row: Int) {
        if let cursor, cursor.row == row, (1...4).contains(column - cursor.column) {
            // Repeating a few unchanged cells takes fewer bytes than moving the cursor.
            for between in cursor.column..<column { write(screen[between, row]) }
        } else if cursor.map({ $0 != (column, row) }) ?? true {
            text += "\u{1b}[\(row + 1);\(column + 1)H"
        }
        write(screen[column, row])
        cursor = column + 1 < screen.size.columns ? (column + 1, row) : nil
    }

    private mutating func write(_ cell: Cell) {
        if cell.style != style {
            text += "\u{1b}[0\(cell.style.attributes(usesColours: usesColours))m"
            style = cell.style
        }
        text.unicodeScalars.append(cell.scalar)
    }
}

extension Style {
    /// The attributes of the sequence that selects it, after the 0 that ends the previous one. Only colours that are
    /// legible in every palette.
    fileprivate func attributes(usesColours: Bool) -> String {
        switch self {
        case .plain: ""
        case .faint: ";2"
        case .strong: ";1"
        case .user: usesColours ? ";1;36" : ";1"
        case .trail: usesColours ? ";36" : ""
        case .circle: usesColours ? ";2;36" : ";2"
        case .warning: usesColours ? ";33" : ";1"
        case .recording: usesColours ? ";31" : ";1"
        case .ground: ";2"
        case .water: usesColours ? ";34" : ";2"
        }
    }
}
