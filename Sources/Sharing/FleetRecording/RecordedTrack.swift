/// Where a vehicle was, simplified in time: a player that goes straight on from one point to the next at a constant speed is nowhere off
/// by more than the tolerance, so that stops and their lengths stay.
struct RecordedTrack {
    /// A position, in seconds since the start of the recording and in 100,000ths of a degree: about a metre.
    struct Point: Hashable {
        var time: Int32
        var x, y: Int32
    }

    /// The time without a position after which the way is unknown, in seconds: that after which a vehicle is stale.
    static let gap: Int32 = 120

    /// The points of the parts, with a gap between two of them.
    private(set) var parts: [[Point]] = []

    /// The range of velocities in one direction that are right for all positions since the last point.
    private struct Door {
        var lower = -Double.infinity
        var upper = Double.infinity

        func allows(_ velocity: Double) -> Bool { lower <= velocity && velocity <= upper }

        mutating func narrow(_ distance: Double, _ tolerance: Double, _ seconds: Double) {
            lower = max(lower, (distance - tolerance) / seconds)
            upper = min(upper, (distance + tolerance) / seconds)
        }
    }

    /// Simplifies positions in the order of their times.
    ///
    /// - Parameters:
    ///   - across: the tolerance from west to east, in a point's units.
    ///   - along: that from south to north.
    init(_ points: [Point], across: Double, along: Double) {
        guard var anchor = points.first else { return }
        var last = anchor
        var (east, north) = (Door(), Door())
        var part = [anchor]
        for point in points.dropFirst() where point.time > last.time {
            if point.time - last.time > Self.gap {
                if last != anchor { part.append(last) }
                parts.append(part)
                (part, anchor, last, east, north) = ([point], point, point, Door(), Door())
                continue
            }
            var seconds = Double(point.time - anchor.time)
            var (x, y) = (Double(point.x) - Double(anchor.x), Double(point.y) - Double(anchor.y))
            if !east.allows(x / seconds) || !north.allows(y / seconds) {
                part.append(last)
                (anchor, east, north) = (last, Door(), Door())
                seconds = Double(point.time - anchor.time)
                (x, y) = (Double(point.x) - Double(anchor.x), Double(point.y) - Double(anchor.y))
            }
            east.narrow(x, across, seconds)
            north.narrow(y, along, seconds)
            last = point
        }
        if last != anchor { part.append(last) }
        parts.append(part)
    }
}
