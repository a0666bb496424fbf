/// The path of a missing or wrong value in a message: `a.b`, with elements of arrays as `a[0]`.
struct ParameterPath: CustomStringConvertible {
    private let keys: [any CodingKey]

    /// The path in a decoding error; `nil` if the message could not be read at all.
    init?(of error: any Error) {
        let path: [any CodingKey]
        switch error {
        case DecodingError.keyNotFound(let key, let context): path = context.codingPath + [key]
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            path = context.codingPath
        default: return nil
        }
        guard !path.isEmpty else { return nil }
        keys = path
    }

    var description: String {
        keys.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
