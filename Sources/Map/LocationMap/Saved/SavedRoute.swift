public import LocationModel

/// A line that the user has drawn or imported and saved, such as a way that is planned.
public struct SavedRoute: Hashable, Sendable, Identifiable {
    /// The greatest number of points.
    public static let maximumCount = 5000
    /// The colour of a route for which none was chosen.
    public static let standardColor = "#1d63b5"

    /// A point of the line.
    public struct Point: Hashable, Sendable {
        /// The position.
        public var coordinate: Coordinate
        /// The altitude in metres; `nil`, the default, if it is unknown.
        public var altitude: Double?

        /// Creates a point.
        public init(_ coordinate: Coordinate, altitude: Double? = nil) {
            (self.coordinate, self.altitude) = (coordinate, altitude)
        }
    }

    /// The identifier in the file.
    public let id: String
    /// The name, as plain text.
    public var name: String
    /// The note, as plain text; empty for none.
    public var note: String
    /// The colour as `#rrggbb`.
    public var color: String
    /// The points, 2 to ``maximumCount``, from the start to the end.
    public var points: [Point]

    /// Creates a route; `nil` if the name is empty, a text is longer than that of a ``SavedPlace`` may be, the colour is not of the
    /// form `#rrggbb`, or there are too few or too many points.
    public init?(id: String, name: String, note: String = "", color: String = standardColor, points: [Point]) {
        guard !name.isEmpty, name.utf8.count <= SavedPlace.maximumNameLength,
            note.utf8.count <= SavedPlace.maximumNoteLength, SavedPlace.isColor(color),
            (2...Self.maximumCount).contains(points.count),
            points.allSatisfy({ $0.altitude?.isFinite ?? true })
        else { return nil }
        (self.id, self.name, self.note, self.color, self.points) = (id, name, note, color, points)
    }
}
