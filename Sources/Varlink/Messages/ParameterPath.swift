/// Where in a message a value is missing or wrong, written as `a.b`, elements of arrays as `a[0]`.
struct ParameterPath: CustomStringConvertible {
    private let keys: [any CodingKey]

    /// `nil` if the message could not be read at all, so that there is no place in it to name.
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
