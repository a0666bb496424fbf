import VarlinkIDL

enum SchemaError: Error {
    /// A name that the interface does not declare as a type.
    case unknownType(String)
    /// A Swift type that has no place in Varlink, or that the recorder does not know.
    case unsupported(String)
}

/// What an interface says of a type: without names of types and documentation, fields and cases sorted.
func resolved(_ type: VarlinkType, in interface: InterfaceDescription) throws -> VarlinkType {
    switch type {
    case .bool, .int, .float, .string, .object, .any: return type
    case .named(let name):
        guard case .type(let declaration) = interface.member(name) else { throw SchemaError.unknownType(name) }
        return try resolved(declaration.type, in: interface)
    case .array(let element): return .array(try resolved(element, in: interface))
    case .map(let element): return .map(try resolved(element, in: interface))
    case .optional(let wrapped): return .optional(try resolved(wrapped, in: interface))
    case .enumeration(let cases): return .enumeration(cases.map(\.name).sorted().map { .init($0) })
    case .structure(let fields):
        return .sorted(try fields.map { .init(name: $0.name, type: try resolved($0.type, in: interface)) })
    }
}

/// What a Swift type reads, in the same words, and a value of it in which everything is present.
///
/// The type itself says so: it is decoded by a decoder that writes down what it is asked for.
func schema<Value: Decodable>(of type: Value.Type) throws -> (type: VarlinkType, sample: Value) {
    let (recorded, sample) = try anySchema(of: type)
    guard let sample = sample as? Value else { throw SchemaError.unsupported("\(type)") }
    return (recorded, sample)
}

private func anySchema(of type: any Decodable.Type) throws -> (type: VarlinkType, sample: Any) {
    switch type {
    case is Bool.Type: return (.bool, true)
    case is Int.Type: return (.int, 1)
    case is Double.Type: return (.float, 1.5)
    // Also a point in time, which some strings have to be.
    case is String.Type: return (.string, "2026-11-21T08:30:00.000Z")
    case let type as any Collection.Type: return try type.collectionSchema()
    case let type as any CaseIterable.Type: return try type.enumerationSchema()
    default:
        let recorder = SchemaRecorder()
        let sample = try type.init(from: recorder)
        return (recorder.recorded, sample)
    }
}

extension VarlinkType {
    fileprivate static func sorted(_ fields: [Field]) -> VarlinkType {
        .structure(fields.sorted { $0.name < $1.name })
    }
}

extension CaseIterable {
    fileprivate static func enumerationSchema() throws -> (type: VarlinkType, sample: Any) {
        let names = allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        guard let sample = allCases.first, names.count == allCases.count else {
            throw SchemaError.unsupported("\(Self.self)")
        }
        return (.enumeration(names.sorted().map { .init($0) }), sample)
    }
}

/// Arrays and dictionaries, which have one element here.
private protocol Container {
    static func containerSchema() throws -> (type: VarlinkType, sample: Any)
}

extension Array: Container where Element: Decodable {
    static func containerSchema() throws -> (type: VarlinkType, sample: Any) {
        let (type, sample) = try schema(of: Element.self)
        return (.array(type), [sample])
    }
}

extension Dictionary: Container where Key == String, Value: Decodable {
    static func containerSchema() throws -> (type: VarlinkType, sample: Any) {
        let (type, sample) = try schema(of: Value.self)
        return (.map(type), ["key": sample])
    }
}

extension Collection {
    fileprivate static func collectionSchema() throws -> (type: VarlinkType, sample: Any) {
        guard let container = Self.self as? any Container.Type else { throw SchemaError.unsupported("\(Self.self)") }
        return try container.containerSchema()
    }
}

/// Writes down what a type asks for.
private final class SchemaRecorder: Decoder, SingleValueDecodingContainer {
    var fields: [VarlinkType.Field] = []
    var single: VarlinkType?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    var recorded: VarlinkType { single ?? .sorted(fields) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(recorder: self))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw SchemaError.unsupported("an array") }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (recorded, sample) = try schema(of: type)
        single = recorded
        return sample
    }

    struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let recorder: SchemaRecorder
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { false }

        private func record<Value: Decodable>(_ type: Value.Type, _ key: Key, isOptional: Bool) throws -> Value {
            let (recorded, sample) = try schema(of: type)
            recorder.fields.append(.init(name: key.stringValue, type: isOptional ? .optional(recorded) : recorded))
            return sample
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try record(type, key, isOptional: false)
        }

        // The compiler calls the ones for simple types where it can.
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
            try record(type, key, isOptional: true)
        }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
            try record(type, key, isOptional: true)
        }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
            try record(type, key, isOptional: true)
        }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
            try record(type, key, isOptional: true)
        }
        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            try record(type, key, isOptional: true)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> { throw SchemaError.unsupported("a nested container") }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw SchemaError.unsupported("a nested container")
        }
        func superDecoder() throws -> any Decoder { throw SchemaError.unsupported("a superclass") }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw SchemaError.unsupported("a superclass") }
    }
}
