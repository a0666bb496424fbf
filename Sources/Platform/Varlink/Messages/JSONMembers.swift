/// Writes the members of a JSON object one by one.
///
/// For the few replies that are written so often that the overhead of `Encodable` counts:
///
/// ```swift
/// let reply = try EncodedReply(continues: true) { parameters in
///     try parameters.add("position") { position in
///         try position.add("latitude", 48.5)
///     }
/// }
/// ```
public struct JSONMembers {
    private var text = JSONText()
    private var bracket: JSONText.Bracket

    /// The encoded object.
    static func encode(_ write: (inout JSONMembers) throws -> Void) throws -> [UInt8] {
        var members = try JSONMembers()
        try write(&members)
        members.text.close(downTo: 0)
        return members.text.bytes
    }

    private init() throws { bracket = try text.openBracket(isObject: true) }

    /// Adds a member unless it is `nil`. Throws `EncodingError` for NaN and the infinities.
    public mutating func add(_ name: String, _ value: Double?) throws {
        guard let value else { return }
        try text.begin(in: bracket, member: name)
        try text.write(value)
    }

    /// Adds a member unless it is `nil`.
    public mutating func add(_ name: String, _ value: String?) throws {
        guard let value else { return }
        try text.begin(in: bracket, member: name)
        try text.write(value)
    }

    /// Adds a member.
    public mutating func add(_ name: String, _ value: Bool) throws {
        try text.begin(in: bracket, member: name)
        try text.write(value)
    }

    /// Adds a member that is an object.
    public mutating func add(_ name: String, _ write: (inout JSONMembers) throws -> Void) throws {
        let outer = bracket
        try text.begin(in: outer, member: name)
        bracket = try text.openBracket(isObject: true)
        try write(&self)
        bracket = outer
    }
}
