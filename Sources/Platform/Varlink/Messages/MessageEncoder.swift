/// Encodes values as JSON in one pass, directly into bytes.
///
/// Foundation's encoder first builds a tree of dictionaries, which takes a third of the time of a fix. Without a tree,
/// members keep the order in which they are encoded, which is the order of their declaration.
///
/// Containers have to be filled one after the other: returning to one after starting another is an `EncodingError`.
/// Synthesised conformances never do.
final class MessageEncoder {
    fileprivate var text = JSONText()
    /// The first error where nothing can be thrown.
    private var failure: (any Error)?

    /// The encoded value.
    ///
    /// - Throws: `EncodingError` for values without a JSON form, such as NaN, and the errors of the value itself.
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = MessageEncoder()
        try encoder.write(value, path: [])
        if let failure = encoder.failure { throw failure }
        return encoder.text.bytes
    }

    private init() {}

    fileprivate func write(_ value: some Encodable, path: [any CodingKey]) throws {
        let depth = text.depth
        try value.encode(to: ValueEncoder(message: self, codingPath: path))
        text.close(downTo: depth)
    }

    /// Records an error of `body` where nothing can be thrown; the message is then invalid.
    fileprivate func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            failure = failure ?? error
            return nil
        }
    }
}

private final class ValueEncoder: Encoder {
    let message: MessageEncoder
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// The open container; a second request continues it.
    private var bracket: JSONText.Bracket?

    init(message: MessageEncoder, codingPath: [any CodingKey]) {
        self.message = message
        self.codingPath = codingPath
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ObjectContainer(message: message, codingPath: codingPath, bracket: open(isObject: true)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ArrayContainer(message: message, codingPath: codingPath, bracket: open(isObject: false))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        ValueContainer(message: message, codingPath: codingPath)
    }

    /// Opens a container; `nil` after an error.
    private func open(isObject: Bool) -> JSONText.Bracket? {
        if let bracket, bracket.isObject == isObject { return bracket }
        bracket = message.attempt { try message.text.openBracket(isObject: isObject) }
        return bracket
    }
}

private struct ValueContainer: SingleValueEncodingContainer {
    let message: MessageEncoder
    let codingPath: [any CodingKey]

    func encodeNil() throws { try message.text.write(literal: "null") }
    func encode(_ value: Bool) throws { try message.text.write(value) }
    func encode(_ value: String) throws { try message.text.write(value) }
    func encode(_ value: Double) throws { try message.text.write(value, path: codingPath) }
    // With the digits of the `Float`, not those of the nearest `Double`.
    func encode(_ value: Float) throws { try encode(Double(value.description) ?? .nan) }
    func encode(_ value: some FixedWidthInteger & Encodable) throws { try message.text.write(literal: String(value)) }
    func encode(_ value: some Encodable) throws { try message.write(value, path: codingPath) }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let message: MessageEncoder
    let codingPath: [any CodingKey]
    let bracket: JSONText.Bracket?

    func encodeNil(forKey key: Key) throws {
        try begin(key)
        try message.text.write(literal: "null")
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try begin(key)
        try message.write(value, path: codingPath + [key])
    }

    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    // The types in a tracking frame, 60 times a second, without an encoder of their own.

    func encode(_ value: String, forKey key: Key) throws {
        try begin(key)
        try message.text.write(value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try begin(key)
        try message.text.write(value, path: codingPath + [key])
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }
    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
    func superEncoder() -> any Encoder { nested(PlainKey(stringValue: "super")) }

    private func begin(_ key: some CodingKey) throws {
        // Without a bracket there is a recorded error already.
        if let bracket { try message.text.begin(in: bracket, member: key.stringValue) }
    }

    private func nested(_ key: some CodingKey) -> ValueEncoder {
        message.attempt { try begin(key) }
        return ValueEncoder(message: message, codingPath: codingPath + [key])
    }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let message: MessageEncoder
    let codingPath: [any CodingKey]
    let bracket: JSONText.Bracket?
    var count = 0

    mutating func encodeNil() throws {
        _ = try begin()
        try message.text.write(literal: "null")
    }

    mutating func encode(_ value: some Encodable) throws {
        let key = try begin()
        try message.write(value, path: codingPath + [key])
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { nested() }

    private mutating func begin() throws -> PlainKey {
        // Without a bracket there is a recorded error already.
        if let bracket { try message.text.begin(in: bracket) }
        defer { count += 1 }
        return PlainKey(intValue: count)
    }

    private mutating func nested() -> ValueEncoder {
        let key = message.attempt { try begin() }
        return ValueEncoder(message: message, codingPath: codingPath + [key ?? PlainKey(intValue: count)])
    }
}

/// The index of an element, or the key of a superclass.
private struct PlainKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}
