import CommandLineSupport
import LocationClient

/// Draws the map: the trail to scale, the circle of accuracy, the user, a scale bar and the state of the map.
enum TerminalMap {
    /// Draws it with its upper left corner at a cell.
    static func draw(_ state: FollowState, on screen: inout Screen, column: Int, row: Int, size: Size) {
        guard let camera = state.camera, let frame = state.frame else {
            state.world.draw(on: &screen, column: column, row: row, size: size)
            return explain(state, on: &screen, column: column, row: row, size: size)
        }
        var canvas = DotCanvas(columns: size.columns, rows: size.rows, charset: screen.charset)
        let projection = MapProjection(camera, on: canvas)
        let metresPerColumn = projection.metresPerDot * Double(canvas.dotsPerCell.x)
        let bar = TerminalScaleBar(
            metresPerColumn: metresPerColumn, limit: size.columns / 4, units: state.display.units)

        let ground = state.ground.flatMap { $0.plane == camera.plane && !$0.lines.isEmpty ? $0 : nil }
        ground?.draw(projection, on: &canvas)
        // A grid that is fixed to the ground shows movement when the map follows the user over empty ground.
        if let bar, ground == nil {
            for crossing in projection.crossings(every: bar.metres, on: canvas) {
                canvas.set(projection.dot(at: crossing), .faint)
            }
        }
        let user = projection.dot(of: frame.coordinate)
        if let user {
            // A circle smaller than a cell would only blur the user's symbol.
            let radius = frame.horizontalAccuracy / projection.metresPerDot
            if radius > Double(canvas.dotsPerCell.y) {
                canvas.circle(around: user, radius: radius, spacing: 3, .circle)
            }
        }
        draw(state, user, projection, on: &canvas)
        canvas.draw(on: &screen, column: column, row: row)
        if let user { put(user, of: state, frame, canvas, on: &screen, column, row) }
        if let bar {
            screen.put(
                bar.text(screen.charset) + " ", column: column + 1, row: row + size.rows - 1, end: column + size.columns
            )
        }
        legend(state, camera, on: &screen, column: column, row: row, size: size)
    }

    /// Writes the reason for having no location in the middle of the map.
    private static func explain(_ state: FollowState, on screen: inout Screen, column: Int, row: Int, size: Size) {
        guard let obstacle = state.obstacle, size.columns > 12 else { return }
        let lines = " \(obstacle.shown(limit: 256))".wrapped(width: min(size.columns - 2, 56), indentation: " ").map {
            $0 + " "
        }
        let width = lines.map { screen.width(of: $0) }.max() ?? 0
        let left = column + (size.columns - width) / 2
        let top = row + max(0, (size.rows - lines.count) / 2)
        for (index, line) in lines.enumerated() where index < size.rows {
            let padding = String(repeating: " ", count: width - screen.width(of: line))
            screen.put(line + padding, column: left, row: top + index, style: .strong, end: column + size.columns)
        }
    }

    /// Draws the trail from point to point, up to the user.
    private static func draw(
        _ state: FollowState, _ user: Dot?, _ projection: MapProjection, on canvas: inout DotCanvas
    ) {
        var last: Dot?
        for point in state.trail.points {
            let dot = projection.dot(of: point.coordinate)
            if let dot { canvas.line(from: point.isFirst ? dot : last ?? dot, to: dot, .trail) }
            last = dot
        }
        if let last, let user, state.condition == .following, !state.isReduced {
            canvas.line(from: last, to: user, .trail)
        }
    }

    /// Draws the user's symbol, or an arrow at the edge if the user is outside the map.
    private static func put(
        _ user: Dot, of state: FollowState, _ frame: TrackingFrame, _ canvas: DotCanvas, on screen: inout Screen,
        _ column: Int, _ row: Int
    ) {
        let (x, y) = (Double(canvas.dotsPerCell.x), Double(canvas.dotsPerCell.y))
        let place = (x: (user.x / x).rounded(.down), y: (user.y / y).rounded(.down))
        let edge = (x: Double(canvas.columns - 1), y: Double(canvas.rows - 1))
        let shown = (x: min(max(0, place.x), edge.x), y: min(max(0, place.y), edge.y))
        let isLive = state.condition == .following
        let cell: Cell
        if shown == place {
            let direction = isLive ? frame.bearing.map { $0 - (state.camera?.bearing ?? 0) } : nil
            cell = Cell(
                scalar: Arrow.scalar(direction, screen.charset, still: isLive ? "●" : "?"),
                style: isLive ? .user : .warning)
        } else {
            let middle = Dot(x: Double(canvas.width) / 2, y: Double(canvas.height) / 2)
            cell = Cell(scalar: Arrow.scalar(middle.direction(to: user), screen.charset, still: "●"), style: .user)
        }
        screen[column + Int(shown.x), row + Int(shown.y)] = cell
    }

    /// The state of the map in words.
    private static func words(for tracking: UserTracking) -> String {
        switch tracking.mode {
        case .none: "not following"
        case .follow: "north up"
        case .followWithHeading where !tracking.isHeadingAvailable: "course up, without a heading"
        case .followWithHeading: "heading up"
        case .followWithCourse: "course up"
        }
    }

    /// Draws the tracking mode, a note on the source, the recording, and the direction of north if it is not up.
    private static func legend(
        _ state: FollowState, _ camera: TerminalCamera, on screen: inout Screen, column: Int, row: Int, size: Size
    ) {
        let end = column + size.columns
        var next = screen.put("\(words(for: state.tracking)) ", column: column + 1, row: row, style: .faint, end: end)
        if let source = state.frame?.sourceInformation, let note = source.note {
            let style = source.isSimulated ? Style.warning : .faint
            next = screen.put(" \(note) ", column: next, row: row, style: style, end: end)
        }
        if let recording = state.recording {
            screen.put(" ● \(recording) ", column: next, row: row, style: .recording, end: end - 5)
        }
        guard camera.bearing != 0 else { return }
        screen.put(" N", column: end - 4, row: row, style: .strong)
        screen[end - 2, row] = Cell(scalar: Arrow.scalar(-camera.bearing, screen.charset, still: " "), style: .strong)
    }
}

/// A character that points.
enum Arrow {
    /// The character for a direction in degrees clockwise from up; `still` for none.
    static func scalar(_ direction: Double?, _ charset: Charset, still: Unicode.Scalar) -> Unicode.Scalar {
        guard let direction, direction.isFinite else { return charset == .ascii && still == "●" ? "o" : still }
        let eighth = Int((direction.remainder(dividingBy: 360) / 45).rounded()) & 7
        let arrows: [Unicode.Scalar] =
            switch charset {
            case .unicode: ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"]
            case .ascii: ["^", "/", ">", "\\", "v", "/", "<", "\\"]
            }
        return arrows[eighth]
    }
}
