import NIOCore

/// A reply as it came from the service: the envelope decoded, the parameters not yet.
struct ReplyMessage: Sendable {
    let error: VarlinkError?
    let continues: Bool
    private let parameters: MessageParameters

    /// `nil` if the message is not a reply, which one with a repeated name is not either.
    init?(_ message: ByteBuffer) {
        guard let outline = try? JSONOutline(message) else { return nil }
        parameters = MessageParameters(outline["parameters"])
        let continues = outline["continues"]
        guard let continues = continues == nil ? false : continues?.jsonBool else { return nil }
        self.continues = continues
        guard let error = outline["error"] else {
            self.error = nil
            return
        }
        guard let name = error.jsonString else { return nil }
        self.error = VarlinkError(name: name, values: (try? parameters.decode([String: JSONValue].self)) ?? [:])
    }

    /// The parameters; absent, null and `{}` mean the same.
    ///
    /// - Throws: the ``VarlinkError`` if this is an error reply, `DecodingError` if the parameters are something else.
    func parameters<T: Decodable>(as type: T.Type) throws -> T {
        if let error { throw error }
        return try parameters.decode(type)
    }
}
