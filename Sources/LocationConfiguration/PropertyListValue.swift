import FoundationEssentials

/// A property list as a tree, so that everything wrong in it can be found and not only the first thing.
enum PropertyListValue: Hashable, Sendable {
    case dictionary([String: PropertyListValue])
    case array([PropertyListValue])
    case string(String)
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    /// A date or data, which no key of ours takes, or a number that cannot be read.
    case other

    /// What it is, for "not …" in a message.
    var kind: String {
        switch self {
        case .dictionary: "a dictionary"
        case .array: "an array"
        case .string: "a string"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a real number"
        case .other: "a date, data or an unreadable number"
        }
    }

    var dictionary: [String: PropertyListValue]? { if case .dictionary(let value) = self { value } else { nil } }

    var array: [PropertyListValue]? { if case .array(let value) = self { value } else { nil } }

    var string: String? { if case .string(let value) = self { value } else { nil } }

    var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    var integer: Int? { if case .integer(let value) = self { value } else { nil } }

    /// How many values it holds, itself included.
    var count: Int {
        switch self {
        case .dictionary(let entries): entries.values.reduce(1) { $0 + $1.count }
        case .array(let elements): elements.reduce(1) { $0 + $1.count }
        default: 1
        }
    }
}

extension PropertyListValue: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Recurses as deep as the list goes: the depth is to be checked before.
    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            let entries = try container.allKeys.map {
                ($0.stringValue, try container.decode(PropertyListValue.self, forKey: $0))
            }
            self = .dictionary(Dictionary(entries) { first, _ in first })
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [PropertyListValue] = []
            while !container.isAtEnd { elements.append(try container.decode(PropertyListValue.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                self = .boolean(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode(Int.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self) {
                self = .real(value)
            } else {
                self = .other
            }
        }
    }
}
