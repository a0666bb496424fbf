public import NIOCore

/// The bytes of one reply, NUL included: encoded once, written to any number of connections.
public struct EncodedReply: Sendable {
    /// What goes over the wire. Copies share the storage.
    public let buffer: ByteBuffer
    /// True if more replies to the same call follow.
    public let continues: Bool

    /// Encodes a reply.
    ///
    /// - Parameters:
    ///   - parameters: must encode as a JSON object.
    ///   - continues: true for all replies of a stream but the last. Only a call made with `more` takes these.
    /// - Throws: `EncodingError` for what JSON cannot express, such as NaN.
    public init(_ parameters: some Encodable, continues: Bool) throws {
        self.continues = continues
        self.buffer = try ByteBuffer(message: Reply(parameters: parameters, continues: continues ? true : nil))
    }

    /// Encodes a reply whose parameters are written one by one, which takes a third of the work.
    ///
    /// - Throws: `EncodingError` for what is no number, and what `parameters` throws.
    public init(continues: Bool, parameters: (inout JSONMembers) throws -> Void) throws {
        self.continues = continues
        self.buffer = ByteBuffer(
            message: try JSONMembers.encode { reply in
                try reply.add("parameters", parameters)
                if continues { try reply.add("continues", true) }
            })
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
            // Cannot happen: the parameters came from JSON. The name alone is still an answer.
            return ByteBuffer(string: #"{"error":"\#(name)"}"# + "\0")
        }
    }

    private struct Reply: Encodable {
        let error: String
        let parameters: [String: JSONValue]
    }
}

extension ByteBuffer {
    /// A value as JSON with the NUL that ends a message.
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
