import FoundationEssentials

/// The parameters of a call or a reply as they came, to be decoded by who knows as what. Absent, null and `{}` mean the
/// same.
struct MessageParameters: Equatable, Sendable {
    /// `nil` if there are none.
    private let json: Data?

    /// - Parameter text: their text, if there are any.
    init(_ text: ArraySlice<UInt8>?) {
        json = text.map { Data($0) }
    }

    var byteCount: Int { json?.count ?? 0 }

    /// - Throws: `DecodingError` if they are something else.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: json ?? Data("{}".utf8))
    }
}

/// Parameters of a call or a reply that has none: encodes as `{}` and decodes from any object.
public struct NoParameters: Codable, Sendable, Equatable {
    /// There is only one.
    public init() {}
}
