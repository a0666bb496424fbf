public import LocationModel

/// The places and lines of a file that a page sends, which are shown and can be saved.
public struct PlaceFile: Hashable, Sendable {
    /// A place of a file.
    public struct Place: Hashable, Sendable {
        /// The name; `nil` without one.
        public var name: String?
        /// The description; `nil` without one.
        public var note: String?
        /// The colour as `#rrggbb`; `nil`, and any other text, for the standard one.
        public var color: String?
        /// The position.
        public var coordinate: Coordinate

        /// Creates a place.
        public init(_ coordinate: Coordinate, name: String? = nil, note: String? = nil, color: String? = nil) {
            (self.coordinate, self.name, self.note, self.color) = (coordinate, name, note, color)
        }
    }

    /// A line of a file.
    public struct Line: Hashable, Sendable {
        /// The name; `nil` without one.
        public var name: String?
        /// The description; `nil` without one.
        public var note: String?
        /// The colour as `#rrggbb`; `nil`, and any other text, for the standard one.
        public var color: String?
        /// The points, any number. The pages show and save at most ``SavedRoute/maximumCount`` of them.
        public var points: [SavedRoute.Point]

        /// Creates a line.
        public init(_ points: [SavedRoute.Point], name: String? = nil, note: String? = nil, color: String? = nil) {
            (self.points, self.name, self.note, self.color) = (points, name, note, color)
        }
    }

    /// The reason why a file cannot be read.
    public struct Unreadable: Error, Hashable, Sendable {
        /// The line, counted from 1; `nil` if the whole file is concerned.
        public var line: Int?
        /// The reason, without a capital letter and a full stop. It may end with "run:" and a command that helps.
        public var reason: String

        /// Creates an error.
        public init(line: Int? = nil, reason: String) { (self.line, self.reason) = (line, reason) }
    }

    /// A function that reads the content of a file with a name, and throws ``Unreadable`` if it cannot. It is called on a
    /// thread of its own and may block.
    public typealias Reader = @Sendable (_ content: [UInt8], _ name: String) throws(Unreadable) -> PlaceFile

    /// The places, in the order of the file.
    public var places: [Place]
    /// The lines, in the order of the file.
    public var lines: [Line]
    /// The omissions, as a phrase such as "3 values or points"; `nil` if nothing was left out.
    public var omissions: String?

    /// Creates the content of a file.
    public init(places: [Place] = [], lines: [Line] = [], omissions: String? = nil) {
        (self.places, self.lines, self.omissions) = (places, lines, omissions)
    }
}
