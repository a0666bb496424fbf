/// A syntax error in an interface description.
public struct InterfaceDescriptionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int
    /// The column in bytes, counted from 1.
    public let column: Int
    /// The expected and the found text.
    public let reason: String

    /// `3:14: expected ":" after the field's name`
    public var description: String { "\(line):\(column): \(reason)" }
}
