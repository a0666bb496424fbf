import CommandLineSupport
import LocationInterface
import LocationModel
import PlaceSearch

/// The numbers beside the map, or above it on a narrow screen.
enum Panel {
    static let columns = 24

    /// Draws them in a column of `rows` rows, with the rose if there is room.
    static func draw(_ state: FollowState, on screen: inout Screen, column: Int, rows: Int, at now: Duration) {
        let groups = [position(state), movement(state), journey(state, now)]
        let bars = signals(state, screen.charset)
        let hasRose = rows >= groups.map(\.count).reduce(0, +) + groups.count + CompassRose.rows + min(bars.count, 8)
        let isRoomy = rows >= groups.map(\.count).reduce(0, +) + groups.count - 1
        var row = 0
        for (index, group) in groups.enumerated() {
            for line in group where row < rows {
                put(line, on: &screen, column: column, row: row)
                row += 1
            }
            if index == 1, hasRose {
                CompassRose.draw(
                    on: &screen, column: column + 3, row: row, up: state.camera?.bearing ?? 0, course: course(state))
                row += CompassRose.rows
            }
            if isRoomy { row += 1 }
        }
        for line in bars where row < rows {
            put(line, on: &screen, column: column, row: row)
            row += 1
        }
    }

    /// Draws a bar for each satellite with a signal, 50 dBHz for a full bar. Those that the fix uses come first.
    private static func signals(_ state: FollowState, _ charset: Charset) -> [Line] {
        let filled = charset == .unicode ? "■" : "="
        let signals = (state.receiver?.satellites ?? []).compactMap { satellite in
            satellite.signal.map { (number: satellite.number, strength: $0, isUsed: satellite.isUsed) }
        }
        let sorted = signals.sorted {
            ($0.isUsed ? 0 : 1, -$0.strength, $0.number) < ($1.isUsed ? 0 : 1, -$1.strength, $1.number)
        }
        return sorted.map { signal in
            let cells = min(max(Int((signal.strength / 50 * Double(barCells)).rounded()), 0), barCells)
            let number = "\(signal.number)"
            let name = String(repeating: " ", count: max(0, 3 - number.count)) + number
            let bar = String(repeating: signal.isUsed ? filled : "-", count: cells)
            return Line(
                text: "\(name) \(bar)\(String(repeating: " ", count: barCells - cells)) "
                    + TextFormat.number(signal.strength, 0),
                style: signal.isUsed ? .plain : .faint)
        }
    }

    /// The width of a bar.
    private static let barCells = 15

    /// Draws the most important values in two rows.
    static func drawCompact(_ state: FollowState, on screen: inout Screen, at now: Duration) {
        let lines = [position(state), movement(state) + journey(state, now)]
        for (row, line) in lines.enumerated() {
            var column = 1
            for item in line {
                guard column + screen.width(of: item.text) <= screen.size.columns else { break }
                column = screen.put(item.text, column: column, row: row, style: item.style) + 2
            }
        }
    }

    /// Draws position and movement from the top, on a screen without room for a map.
    static func drawNumbers(_ state: FollowState, on screen: inout Screen, rows: Int) {
        // Without the place in words.
        for (row, line) in (position(state).prefix(3) + movement(state)).prefix(rows).enumerated() {
            screen.put(line.text, column: 1, row: row, style: line.style)
        }
    }

    /// Draws a line of the panel: the label, unless it is obvious, and the value.
    private struct Line {
        var name = ""
        var text: String
        var style = Style.plain
    }

    private static func put(_ line: Line, on screen: inout Screen, column: Int, row: Int) {
        let end = column + columns
        screen.put(line.name, column: column, row: row, style: .faint, end: end)
        screen.put(
            line.text, column: column + (line.name.isEmpty ? 0 : 12), row: row, style: line.style, end: end)
    }

    private static func position(_ state: FollowState) -> [Line] {
        guard let frame = state.frame else { return [Line(text: "no position yet", style: .faint)] }
        // Past values are not shown as current ones.
        let style = state.condition == .following ? Style.strong : .faint
        return [
            Line(text: state.display.coordinates.latitude(frame.coordinate.latitude), style: style),
            Line(text: state.display.coordinates.longitude(frame.coordinate.longitude), style: style),
            Line(
                text: Quantity.accuracy(frame.horizontalAccuracy, state.display.units)
                    + (frame.altitude.map { ", \(Quantity.height($0, state.display.units)) high" } ?? ""),
                style: style == .strong ? .plain : .faint),
        ] + place(state)
    }

    /// Draws the place in words.
    private static func place(_ state: FollowState) -> [Line] {
        guard state.condition == .following, let place = state.place else { return [] }
        return [place.street, place.town ?? place.country].compactMap { $0 }.map { text in
            let shown = text.shown()
            // A name that is too long for the panel ends with an ellipsis.
            guard shown.cells > columns else { return Line(text: shown) }
            var start = shown
            while start.cells > columns - 1 { start.removeLast() }
            return Line(text: start + "…")
        }
    }

    private static func movement(_ state: FollowState) -> [Line] {
        let frame = state.condition == .following ? state.frame : nil
        return [
            Line(
                text: frame?.speed.map { Quantity.speed($0, state.display.units) }
                    ?? "- \(state.display.units.speedSymbol)", style: frame?.speed == nil ? .faint : .strong),
            Line(
                text: frame?.bearing.map { TextFormat.direction($0) } ?? "no course",
                style: frame?.bearing == nil ? .faint : .plain),
        ] + (frame?.heading.map { [Line(name: "heading", text: TextFormat.direction($0))] } ?? [])
    }

    private static func journey(_ state: FollowState, _ now: Duration) -> [Line] {
        let fix = state.receiver?.fix.map { fix in
            Line(name: fix, text: state.receiver?.horizontalDilution.map { "HDOP \(TextFormat.number($0, 1))" } ?? "")
        }
        let time = state.frame.map { timeOfDay(of: $0, state.display.clock) }
        return (fix == nil ? [] : [fix, time].compactMap { $0 }) + [
            Line(name: "satellites", text: state.receiver?.satelliteCount ?? "-"),
            Line(name: "distance", text: Quantity.distance(state.trail.distance, state.display.units)),
            Line(name: "time", text: Quantity.time(now - (state.frames.beginning ?? now))),
        ]
    }

    private static func timeOfDay(of frame: TrackingFrame, _ clock: Clock) -> Line {
        Line(name: clock.name, text: String(clock.timeOfDay(frame.timestamp).prefix(8)))
    }

    private static func course(_ state: FollowState) -> Double? {
        state.condition == .following ? state.frame?.bearing : nil
    }
}
