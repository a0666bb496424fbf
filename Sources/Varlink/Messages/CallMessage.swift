import FoundationEssentials
import NIOCore

/// A call as it came from the peer: the envelope decoded, the parameters not yet.
struct CallMessage: Equatable {
    let method: String
    let wantsMore: Bool
    let isOneway: Bool
    let wantsUpgrade: Bool
    /// The whole message. Parameters are decoded from it when the session says as what.
    let json: Data

    /// How much memory it takes, nearly.
    var heldBytes: Int { json.count + method.utf8.count }

    /// - Throws: ``VarlinkError`` `InvalidParameter`, naming the field of the message that is wrong, or `message` if
    ///   it is not a JSON object in UTF-8 at all.
    init(_ message: ByteBuffer) throws(VarlinkError) {
        guard let json = Data(utf8: message) else { throw .invalidParameter("message") }
        self.json = json
        do {
            let envelope = try JSONDecoder().decode(Envelope.self, from: json)
            method = envelope.method
            wantsMore = envelope.more
            isOneway = envelope.oneway
            wantsUpgrade = envelope.upgrade
        } catch {
            throw .invalidParameter(ParameterPath(of: error)?.description ?? "message")
        }
    }

    /// The parameters; absent, null and `{}` mean the same.
    ///
    /// - Throws: `InvalidParameter` with the path of the one that is missing or wrong.
    func parameters<T: Decodable>(as type: T.Type) throws(VarlinkError) -> T {
        do {
            return try JSONDecoder().decode(ParametersEnvelope<T>.self, from: json).parameters
        } catch {
            throw .invalidParameter(ParameterPath(of: error)?.withoutRoot.description ?? "parameters")
        }
    }

    private enum Key: String, CodingKey {
        case method, parameters, more, oneway, upgrade
    }

    private struct Envelope: Decodable {
        let method: String
        let more: Bool
        let oneway: Bool
        let upgrade: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            method = try container.decode(String.self, forKey: .method)
            more = try container.decodeIfPresent(Bool.self, forKey: .more) ?? false
            oneway = try container.decodeIfPresent(Bool.self, forKey: .oneway) ?? false
            upgrade = try container.decodeIfPresent(Bool.self, forKey: .upgrade) ?? false
            if container.contains(.parameters), try !container.decodeNil(forKey: .parameters) {
                _ = try container.nestedContainer(keyedBy: Key.self, forKey: .parameters)
            }
        }
    }
}
