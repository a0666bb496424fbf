import LocationModel

/// The answer to a page that sends a file of places and lines.
struct WirePlaceFile: Encodable {
    /// The largest file, in bytes.
    static let maximumFileSize = 32 << 20
    /// The greatest numbers of places and lines in an answer: one more than pages accept, which shows that there are more.
    private static let (maximumPlaces, maximumRoutes) = (1001, 101)

    struct Place: Encodable {
        var name: String?
        var note: String
        var color: String
        var position: WirePosition
    }

    struct Route: Encodable {
        var name: String?
        var note: String
        var color: String
        var points: [WireSavedRoute.Point]
        /// The distance in metres within which points were left out; 0 if none were.
        var within: Double
    }

    var places: [Place] = []
    var routes: [Route] = []
    /// The phrase about omitted parts.
    var omissions: String?
    /// The reason why the file cannot be read.
    var problem: PageSentence?

    /// Reads a file. A line of one point is a place.
    init(reading content: [UInt8], named name: String, with reader: PlaceFile.Reader) {
        let file: PlaceFile
        do throws(PlaceFile.Unreadable) {
            file = try reader(content, name)
        } catch {
            problem =
                if let line = error.line {
                    PageSentence(
                        "It cannot be read. Line {line}: {reason}", ["line": "\(line)", "reason": error.reason])
                } else {
                    PageSentence("It cannot be read: {reason}", ["reason": error.reason])
                }
            return
        }
        omissions = file.omissions
        let single = file.lines.lazy.filter { $0.points.count == 1 }.map { line in
            PlaceFile.Place(line.points[0].coordinate, name: line.name, note: line.note, color: line.color)
        }
        places = (file.places + single).prefix(Self.maximumPlaces).map { place in
            Place(
                name: place.name?.beginning(SavedPlace.maximumNameLength),
                note: place.note?.beginning(SavedPlace.maximumNoteLength) ?? "",
                color: SavedPlace.color(place.color), position: WirePosition(place.coordinate))
        }
        routes = file.lines.lazy.filter { $0.points.count > 1 }.prefix(Self.maximumRoutes).map { line in
            let (points, within) = SavedRoute.thinned(line.points)
            return Route(
                name: line.name?.beginning(SavedPlace.maximumNameLength),
                note: line.note?.beginning(SavedPlace.maximumNoteLength) ?? "",
                color: SavedPlace.color(line.color, or: SavedRoute.standardColor),
                points: points.map(WireSavedRoute.Point.init), within: within)
        }
    }
}

extension SavedRoute {
    /// The points of a line with at most ``maximumCount``, and the distance in metres within which points were left out; 0 if
    /// none were. The first and the last point stay.
    static func thinned(_ points: [Point]) -> (points: [Point], within: Double) {
        var (kept, within) = (points, 0.0)
        while kept.count > maximumCount {
            within = within > 0 ? within * 2 : 1
            var last: Point?
            let end = kept.count - 1
            kept = kept.enumerated().compactMap { index, point in
                if let last, index < end, last.coordinate.distance(to: point.coordinate) < within { return nil }
                last = point
                return point
            }
        }
        return (kept, within)
    }
}

extension String {
    /// The beginning with at most so many bytes of UTF-8, and whole characters of Unicode.
    fileprivate func beginning(_ count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(startIndex, offsetBy: count)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
