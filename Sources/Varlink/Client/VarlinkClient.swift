public import NIOCore
public import NIOPosix

/// A connection to a service.
///
/// Any number of tasks may call over it at the same time: their calls are pipelined, and the service answers them in their
/// order. A stream has the connection to itself until it ends; calls made after it wait. The connection is closed when the
/// client and its streams are let go.
public final class VarlinkClient: Sendable {
    /// Bytes of the longest reply that is taken: more than a service would send, less than would hurt.
    private static let replySize = 16 << 20

    /// The path of the socket.
    public let path: String
    private let channel: any Channel
    let connection: ClientConnection

    private init(path: String, channel: any Channel, connection: ClientConnection) {
        self.path = path
        self.channel = channel
        self.connection = connection
    }

    deinit {
        connection.close()
    }

    /// Connects to the service that listens on a Unix socket.
    ///
    /// - Throws: ``VarlinkConnectionError``; its reason tells a missing file, a refusal and missing permission apart.
    public static func connect(
        to path: String, on group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup
    ) async throws -> VarlinkClient {
        let eventLoop = group.next()
        let connection = ClientConnection(path: path, eventLoop: eventLoop)
        do {
            let channel = try await ClientBootstrap(group: eventLoop)
                .channelOption(.autoRead, value: false)
                // What one read brings is all that is taken from a stream whose consumer has stopped asking.
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            ByteToMessageHandler(FrameDecoder(limit: replySize)), connection)
                    }
                }
                .connect(unixDomainSocketPath: path).get()
            return VarlinkClient(path: path, channel: channel, connection: connection)
        } catch {
            throw VarlinkConnectionError(error, path: path)
        }
    }

    /// Calls a method and waits for its reply.
    ///
    /// A task that is cancelled stops waiting with a `CancellationError`; the service is not told.
    ///
    /// - Parameters:
    ///   - method: the full name, `org.example.Interface.Method`.
    ///   - parameters: must encode as a JSON object.
    /// - Throws: ``VarlinkError`` for an error reply, ``VarlinkConnectionError`` if there is none or it makes no sense,
    ///   `EncodingError` if the parameters cannot be encoded.
    public func call<Parameters: Encodable & Sendable, Reply: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters = NoParameters(), returning type: Reply.Type = NoParameters.self
    ) async throws -> Reply {
        let bytes = try ByteBuffer(message: OutgoingCall(method: method, parameters: parameters))
        return try decode(try await connection.call(bytes), as: type)
    }

    /// Calls a method without asking for a reply. Returns when the call is on its way.
    ///
    /// - Throws: ``VarlinkConnectionError`` if the connection is closed, `EncodingError` if the parameters cannot be encoded.
    public func oneway<Parameters: Encodable & Sendable>(
        _ method: String, _ parameters: Parameters = NoParameters()
    ) async throws {
        try await connection.oneway(
            ByteBuffer(message: OutgoingCall(method: method, parameters: parameters, oneway: true)))
    }

    /// Calls a method that answers more than once.
    ///
    /// - Returns: the replies. An error reply is thrown by iterating over them.
    /// - Throws: ``VarlinkConnectionError`` if the connection is closed, `EncodingError` if the parameters cannot be encoded.
    public func stream<Parameters: Encodable & Sendable, Reply: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters = NoParameters(), of type: Reply.Type
    ) async throws -> VarlinkReplies<Reply> {
        let bytes = try ByteBuffer(message: OutgoingCall(method: method, parameters: parameters, more: true))
        return VarlinkReplies(client: self, id: try await connection.stream(bytes))
    }

    /// Closes the connection and waits until it is closed. Calls that wait for a reply throw.
    public func close() async {
        connection.close()
        // A channel that was closed by an error is closed all the same.
        try? await channel.closeFuture.get()
    }

    func decode<Reply: Decodable>(_ reply: ReplyMessage, as type: Reply.Type) throws -> Reply {
        do {
            return try reply.parameters(as: type)
        } catch let error as DecodingError {
            let path = ParameterPath(of: error)?.description ?? "parameters"
            throw VarlinkConnectionError(reason: .protocolViolation("a reply whose \(path) is wrong"), path: self.path)
        }
    }
}
