import FoundationEssentials
import StrictJSON

/// The undecoded parameters of a call or a reply. Absent, null and `{}` are equivalent.
struct MessageParameters: Equatable, Sendable {
    /// The JSON text; `nil` without parameters.
    private let json: Data?

    /// - Parameter text: the JSON text, if there is any.
    init(_ text: ArraySlice<UInt8>?) {
        json = text.map { Data($0) }
    }

    var byteCount: Int { json?.count ?? 0 }

    /// The members; `nil` without parameters.
    var outline: JSONOutline? { json.flatMap { try? JSONOutline(Array($0)) } }

    /// - Throws: `DecodingError` if they do not match `type`.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: json ?? Data("{}".utf8))
    }
}

/// The parameters of a call or a reply without any: encodes as `{}` and decodes from any object.
public struct NoParameters: Codable, Sendable, Equatable {
    /// The only value.
    public init() {}
}
