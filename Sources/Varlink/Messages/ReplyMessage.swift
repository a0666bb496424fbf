import FoundationEssentials
import NIOCore

/// A reply as it came from the service: the envelope decoded, the parameters not yet.
struct ReplyMessage: Sendable {
    let error: VarlinkError?
    let continues: Bool
    private let json: Data

    /// `nil` if the message is not a reply.
    init?(_ message: ByteBuffer) {
        guard let json = Data(utf8: message), let envelope = try? JSONDecoder().decode(Envelope.self, from: json) else {
            return nil
        }
        self.json = json
        self.continues = envelope.continues ?? false
        self.error = envelope.error.flatMap { name in
            let values = try? JSONDecoder().decode(ParametersEnvelope<[String: JSONValue]>.self, from: json).parameters
            return VarlinkError(name: name, values: values ?? [:])
        }
    }

    /// The parameters; absent, null and `{}` mean the same.
    ///
    /// - Throws: the ``VarlinkError`` if this is an error reply, `DecodingError` if the parameters are something else.
    func parameters<T: Decodable>(as type: T.Type) throws -> T {
        if let error { throw error }
        return try JSONDecoder().decode(ParametersEnvelope<T>.self, from: json).parameters
    }

    private struct Envelope: Decodable {
        let error: String?
        let continues: Bool?
    }
}
