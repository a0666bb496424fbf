public import NIOCore
public import NIOPosix

/// A client's connection to a Varlink service.
///
/// Any number of tasks may use it at the same time: their calls are pipelined and answered in order. A stream occupies
/// the connection until it ends; later calls wait. The connection is closed when the client and its streams are
/// released.
public final class VarlinkClient: Sendable {
    /// The size of the longest accepted reply in bytes: more than a service would send, and harmless.
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
    /// - Throws: ``VarlinkConnectionError``, whose reason distinguishes a missing file, a refusal and missing
    ///   permission.
    public static func connect(
        to path: String, on group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup
    ) async throws -> VarlinkClient {
        let eventLoop = group.next()
        let connection = ClientConnection(path: path, eventLoop: eventLoop)
        do {
            let channel = try await ClientBootstrap(group: eventLoop)
                .channelOption(.autoRead, value: false)
                // One read is the most that is read ahead for a stream whose consumer does not ask.
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
    /// A cancelled task stops waiting with a `CancellationError`; the service is not informed.
    ///
    /// - Parameters:
    ///   - method: the full name, `org.example.Interface.Method`.
    ///   - parameters: must encode as a JSON object.
    /// - Throws: ``VarlinkError`` for an error reply, ``VarlinkConnectionError`` for a missing or invalid reply,
    ///   `EncodingError` if the parameters cannot be encoded.
    public func call<Parameters: Encodable & Sendable, Reply: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters = NoParameters(), returning type: Reply.Type = NoParameters.self
    ) async throws -> Reply {
        let bytes = try ByteBuffer(message: OutgoingCall(method: method, parameters: parameters))
        return try decode(try await connection.call(bytes), as: type)
    }

    /// Calls a method without requesting a reply. Returns when the call is on its way.
    ///
    /// - Throws: ``VarlinkConnectionError`` if the connection is closed, `EncodingError` if the parameters cannot be encoded.
    public func oneway<Parameters: Encodable & Sendable>(
        _ method: String, _ parameters: Parameters = NoParameters()
    ) async throws {
        try await connection.oneway(
            ByteBuffer(message: OutgoingCall(method: method, parameters: parameters, oneway: true)))
    }

    /// Decides which replies of a stream wait for a consumer that is slower than the service. It takes those that wait, the oldest
    /// first, and adds the next one. An error ends the stream.
    public typealias Keep<Reply> = @Sendable (_ waiting: inout [Reply], _ next: Result<Reply, any Error>) -> Void

    /// Calls a method that answers with a stream.
    ///
    /// - Parameter keep: decides which replies wait for the consumer. They are read at once then. `nil`, the default, leaves them
    ///   in the socket.
    /// - Returns: the replies. Iterating throws an error reply.
    /// - Throws: ``VarlinkConnectionError`` if the connection is closed, `EncodingError` if the parameters cannot be encoded.
    public func stream<Parameters: Encodable & Sendable, Reply: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters = NoParameters(), of type: Reply.Type, keep: Keep<Reply>? = nil
    ) async throws -> VarlinkReplies<Reply> {
        let bytes = try ByteBuffer(message: OutgoingCall(method: method, parameters: parameters, more: true))
        let waiting = keep.map { [path] in
            WaitingReplies(keep: $0) { try Self.decode($0, as: type, from: path) }
        }
        return VarlinkReplies(client: self, id: try await connection.stream(bytes, to: waiting), waiting: waiting)
    }

    /// True once the service has answered on this connection.
    public var hasAnswer: Bool { get async { await connection.hasAnswer() } }

    /// Closes the connection and waits until it is closed. Waiting calls throw an error with this reason.
    public func close(_ reason: VarlinkConnectionError.Reason = .closed) async {
        connection.close(reason)
        // A channel that was closed by an error is closed as well.
        try? await channel.closeFuture.get()
    }

    func decode<Reply: Decodable>(_ reply: ReplyMessage, as type: Reply.Type) throws -> Reply {
        try Self.decode(reply, as: type, from: path)
    }

    private static func decode<Reply: Decodable>(
        _ reply: ReplyMessage, as type: Reply.Type, from path: String
    ) throws -> Reply {
        do {
            return try reply.parameters(as: type)
        } catch let error as DecodingError {
            let member = ParameterPath(of: error)?.description ?? "parameters"
            throw VarlinkConnectionError(reason: .protocolViolation("a reply whose \(member) is wrong"), path: path)
        }
    }
}
