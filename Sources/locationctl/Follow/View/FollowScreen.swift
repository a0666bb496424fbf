/// Lays the live view out on a screen of any size.
enum FollowScreen {
    /// The least that shows anything of use.
    static let smallest = Size(columns: 24, rows: 7)

    private static let help = [
        "f  follow, or stay", "arrows  move the map", "+ -  zoom", "0  zoom by itself", "n  north up", "c  course up",
        "r  record", "q  quit",
    ]

    /// The view of a state at a moment.
    static func draw(_ state: FollowState, size: Size, charset: Charset, at now: Duration) -> Screen {
        var screen = Screen(size: size, charset: charset)
        guard size.columns >= smallest.columns, size.rows >= smallest.rows else {
            screen.put("too small", column: 0, row: 0)
            return screen
        }
        // What is more does not fit: the view itself comes first.
        let help = (state.isHelpShown ? helpLines(columns: size.columns - 2) : []).prefix(size.rows - 6)
        let body = size.rows - 1 - help.count
        if size.columns >= 64, body >= 12 {
            let edge = size.columns - Panel.columns - 2
            MapView.draw(state, on: &screen, column: 0, row: 0, size: Size(columns: edge, rows: body))
            for row in 0..<body {
                screen.put(charset == .unicode ? "│" : "|", column: edge, row: row, style: .faint)
            }
            Panel.draw(state, on: &screen, column: edge + 2, rows: body, at: now)
        } else {
            Panel.drawCompact(state, on: &screen, at: now)
            MapView.draw(state, on: &screen, column: 0, row: 2, size: Size(columns: size.columns, rows: body - 2))
        }
        for (index, line) in help.enumerated() { screen.put(line, column: 1, row: body + index, style: .faint) }
        drawStatus(state, on: &screen, at: now)
        return screen
    }

    /// How things stand on the left; on the right what just happened, or where help is.
    private static func drawStatus(_ state: FollowState, on screen: inout Screen, at now: Duration) {
        let row = screen.size.rows - 1
        let status = StatusLine.of(state, at: now)
        let aside = state.notice?.text ?? (state.isHelpShown ? "? no help" : "? help")
        let start = screen.size.columns - 1 - screen.width(of: aside)
        if start > screen.width(of: status.text) + 2 {
            screen.put(aside, column: start, row: row, style: state.notice == nil ? .faint : .plain)
        } else if state.notice != nil, status.style != .warning {
            screen.put(aside, column: 1, row: row)
            return
        }
        screen.put(status.text, column: 1, row: row, style: status.style)
    }

    /// The keys in as few lines as they take.
    private static func helpLines(columns: Int) -> [String] {
        help.reduce(into: []) { lines, entry in
            if let last = lines.last, last.count + 3 + entry.count <= columns {
                lines[lines.count - 1] = "\(last)   \(entry)"
            } else {
                lines.append(entry)
            }
        }
    }
}
