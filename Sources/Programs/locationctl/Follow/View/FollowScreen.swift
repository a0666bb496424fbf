import CommandLineSupport

/// Lays out the live view on a screen of any size.
enum FollowScreen {
    /// The smallest size with room for a map.
    static let smallest = Size(columns: 24, rows: 7)
    /// The smallest size with room for the position.
    static let smallestWithoutMap = Size(columns: 14, rows: 3)

    private static let help = [
        "f  follow, or stay", "arrows  move the map", "+ -  zoom", "0  zoom by itself", "n  north up", "c  course up",
        "r  record", "q  quit",
    ]

    /// The view of a state at a moment.
    static func draw(_ state: FollowState, size: Size, charset: Charset, at now: Duration) -> Screen {
        var screen = Screen(size: size, charset: charset)
        guard size.columns >= smallest.columns, size.rows >= smallest.rows else {
            guard size.columns >= smallestWithoutMap.columns, size.rows >= smallestWithoutMap.rows else {
                screen.put("too small", column: 0, row: 0)
                return screen
            }
            Panel.drawNumbers(state, on: &screen, rows: size.rows - 1)
            drawStatus(state, on: &screen, at: now)
            return screen
        }
        let help = help(state, size)
        let body = size.rows - 1 - help.count
        let map = mapSize(state, size: size)
        if map.columns < size.columns {
            let edge = map.columns
            TerminalMap.draw(state, on: &screen, column: 0, row: 0, size: map)
            for row in 0..<body {
                screen.put(charset == .unicode ? "│" : "|", column: edge, row: row, style: .faint)
            }
            Panel.draw(state, on: &screen, column: edge + 2, rows: body, at: now)
        } else {
            Panel.drawCompact(state, on: &screen, at: now)
            TerminalMap.draw(state, on: &screen, column: 0, row: 2, size: map)
        }
        for (index, line) in help.enumerated() { screen.put(line, column: 1, row: body + index, style: .faint) }
        drawStatus(state, on: &screen, at: now)
        return screen
    }

    /// The size of the map: beside the panel, or below it on a narrow screen.
    static func mapSize(_ state: FollowState, size: Size) -> Size {
        let body = size.rows - 1 - help(state, size).count
        return size.columns >= 64 && body >= 12
            ? Size(columns: size.columns - Panel.columns - 2, rows: body) : Size(columns: size.columns, rows: body - 2)
    }

    /// The keys, if they are shown. Lines that do not fit are omitted, because the view has priority.
    private static func help(_ state: FollowState, _ size: Size) -> ArraySlice<String> {
        (state.isHelpShown ? helpLines(columns: size.columns - 2) : []).prefix(max(0, size.rows - 6))
    }

    /// The status on the left; on the right the latest notice, or the key for help.
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

    /// The keys in as few lines as possible.
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
