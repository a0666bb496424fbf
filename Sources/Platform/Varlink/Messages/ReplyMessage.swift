import NIOCore
import StrictJSON

/// A received reply with decoded envelope and undecoded parameters.
struct ReplyMessage: Sendable {
    let error: VarlinkError?
    let continues: Bool
    private let parameters: MessageParameters

    /// `nil` if the message is not a valid reply, or repeats a name.
    init?(_ message: ByteBuffer) {
        guard let outline = try? JSONOutline(Array(message.readableBytesView)) else { return nil }
        parameters = MessageParameters(outline["parameters"]?.text)
        let continues = outline["continues"]
        guard let continues = continues == nil ? false : continues?.boolean else { return nil }
        self.continues = continues
        guard let error = outline["error"] else {
            self.error = nil
            return
        }
        guard let name = error.string else { return nil }
        self.error = VarlinkError(name: name, values: (try? parameters.decode([String: JSONValue].self)) ?? [:])
    }

    /// The decoded parameters; absent, null and `{}` are equivalent.
    ///
    /// - Throws: the ``VarlinkError`` of an error reply, or `DecodingError` if the parameters do not match `type`.
    func parameters<T: Decodable>(as type: T.Type) throws -> T {
        if let error { throw error }
        return try parameters.decode(type)
    }
}
