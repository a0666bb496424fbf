/// A value in a property list.
package enum PropertyListValue: Hashable, Sendable {
    case dictionary([String: PropertyListValue])
    case array([PropertyListValue])
    case string(String)
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    /// A date or data, which no key here accepts, or an unreadable number.
    case other

    /// The kind of value, for "not …" in a message.
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

    package var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    var array: [PropertyListValue]? { if case .array(let value) = self { value } else { nil } }

    var string: String? { if case .string(let value) = self { value } else { nil } }

    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    var number: Double? { if case .real(let value) = self { value } else { integer.map(Double.init) } }

    var integer: Int? { if case .integer(let value) = self { value } else { nil } }
}
