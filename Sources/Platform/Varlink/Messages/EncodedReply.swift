public import NIOCore

/// The bytes of one reply including its NUL: encoded once, written to any number of connections.
public struct EncodedReply: Sendable {
    /// The bytes for the socket. Copies share the storage.
    public let buffer: ByteBuffer
    /// True if more replies to the same call follow.
    public let continues: Bool

    /// Encodes a reply.
    ///
    /// - Parameters:
    ///   - parameters: must encode as a JSON object.
    ///   - continues: true for all replies of a stream but the last. Requires a call with `more`.
    /// - Throws: `EncodingError` for values without a JSON form, such as NaN.
    public init(_ parameters: some Encodable, continues: Bool) throws {
        self.continues = continues
        self.buffer = try ByteBuffer(message: Reply(parameters: parameters, continues: continues ? true : nil))
    }

    /// Encodes a reply whose parameters are written one by one, which takes a third of the time.
    ///
    /// - Throws: `EncodingError` for NaN and the infinities, and the errors of `parameters`.
    public init(continues: Bool, parameters: (inout JSONMembers) throws -> Void) throws {
        self.continues = continues
        self.buffer = ByteBuffer(
            message: try JSONMembers.encode { reply in
                try reply.add("parameters", parameters)
                if continues { try reply.add("continues", true) }
            })
    }

    /// The last reply to a call, from its bytes including the NUL.
    init(_ buffer: ByteBuffer) {
        self.continues = false
        self.buffer = buffer
    }

    private struct Reply<Parameters: Encodable>: Encodable {
        let parameters: Parameters
        let continues: Bool?
    }
}

extension VarlinkError {
    /// The error as the last reply to a call.
    var encoded: ByteBuffer {
        do {
            return try ByteBuffer(message: Reply(error: name, parameters: parameters))
        } catch {
            // Cannot happen, because the parameters came from JSON. The name alone is still an answer.
            return ByteBuffer(string: #"{"error":"\#(name)"}"# + "\0")
        }
    }

    private struct Reply: Encodable {
        let error: String
        let parameters: [String: JSONValue]
    }
}

extension ByteBuffer {
    /// Encodes a value as JSON with the NUL that ends a message.
    init(message: some Encodable) throws {
        self.init(message: try MessageEncoder.encode(message))
    }

    /// JSON with the NUL that ends a message.
    fileprivate init(message json: [UInt8]) {
        self = ByteBufferAllocator().buffer(capacity: json.count + 1)
        writeBytes(json)
        writeInteger(UInt8(0))
    }
}
