public import LocationModel

/// A place that the user has saved.
public struct SavedPlace: Hashable, Sendable, Identifiable {
    /// The longest name and note, in bytes of UTF-8.
    public static let maximumNameLength = 200
    /// The longest note, in bytes of UTF-8.
    public static let maximumNoteLength = 2000
    /// The colour of a place for which none was chosen.
    public static let standardColor = "#d8352a"

    /// The identifier in the file.
    public let id: String
    /// The name, as plain text.
    public var name: String
    /// The note, as plain text; empty for none.
    public var note: String
    /// The colour as `#rrggbb`.
    public var color: String
    /// The position.
    public var coordinate: Coordinate

    /// Creates a place; `nil` if the name is empty, a text is too long or the colour is not of the form `#rrggbb`.
    public init?(id: String, name: String, note: String = "", color: String = standardColor, coordinate: Coordinate) {
        guard !name.isEmpty, name.utf8.count <= Self.maximumNameLength, note.utf8.count <= Self.maximumNoteLength,
            Self.isColor(color)
        else { return nil }
        (self.id, self.name, self.note, self.color, self.coordinate) = (id, name, note, color, coordinate)
    }

    /// A colour of a file if it has the form of one here, or else the standard one.
    static func color(_ text: String?, or standard: String = standardColor) -> String {
        text.flatMap { isColor($0) ? $0 : nil } ?? standard
    }

    /// True for `#` and six hexadecimal digits.
    static func isColor(_ text: String) -> Bool {
        text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy { $0.isHexDigit && $0.isASCII }
    }
}
