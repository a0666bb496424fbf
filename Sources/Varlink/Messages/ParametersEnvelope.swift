import FoundationEssentials
import NIOCore

/// What calls and replies have in common: `parameters`, which may be absent, null or an object.
struct ParametersEnvelope<Parameters: Decodable>: Decodable {
    let parameters: Parameters

    private enum Key: String, CodingKey {
        case parameters
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if container.contains(.parameters), try !container.decodeNil(forKey: .parameters) {
            parameters = try container.decode(Parameters.self, forKey: .parameters)
        } else {
            parameters = try JSONDecoder().decode(Parameters.self, from: Data("{}".utf8))
        }
    }
}

/// Parameters of a call or a reply that has none: encodes as `{}` and decodes from any object.
public struct NoParameters: Codable, Sendable, Equatable {
    /// There is only one.
    public init() {}
}

extension Data {
    /// The bytes of a message, if they are UTF-8. The JSON decoder itself looks only at the strings it is asked for.
    init?(utf8 buffer: ByteBuffer) {
        guard (try? UTF8Span(validating: buffer.readableBytesUInt8Span)) != nil else { return nil }
        self.init(buffer.readableBytesView)
    }
}
