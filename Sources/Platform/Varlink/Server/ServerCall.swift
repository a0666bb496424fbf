import NIOCore

/// A received call, and the means to answer it.
///
/// All members have to be used on the connection's event loop, which is checked. A call is answered by one reply, by
/// any number of replies of which all but the last announce more (if the peer asked for ``wantsMore``), or by an error.
/// Replies after the last one, or after the end of the connection, are ignored. A call that is released without an
/// answer is answered with the service's error for ``ServerFault/callDropped(method:)`` and logged, so that no peer
/// hangs.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop.
public final class ServerCall: @unchecked Sendable {
    /// The full name, `org.example.Interface.Method`.
    public var method: String { message.method }
    /// `org.example.Interface`
    public let interfaceName: String
    /// `Method`
    public let memberName: String
    /// True if the peer accepts more than one reply.
    public var wantsMore: Bool { message.wantsMore && !message.isOneway }

    private let message: CallMessage
    private let connection: ServerConnection
    private let number: UInt64
    /// True after the last reply: nobody misses the call when it is released.
    private var isAnswered = false

    init(_ message: CallMessage, number: UInt64, on connection: ServerConnection) {
        let name = MethodName(message.method)
        self.interfaceName = name.interface
        self.memberName = name.member
        self.message = message
        self.number = number
        self.connection = connection
    }

    deinit {
        guard !isAnswered else { return }
        // The last reference may be released on any thread and at any moment, so handle that later on the loop.
        connection.eventLoop.execute { [connection, number, message] in
            connection.dropped(callNumber: number, method: message.method, isOneway: message.isOneway)
        }
    }

    /// True until the last reply, while the connection exists.
    public var isOpen: Bool { connection.isOpen(self) }

    /// The decoded parameters of the call; absent, null and `{}` are equivalent.
    ///
    /// - Throws: `InvalidParameter` with the path of the missing or wrong parameter, ready to be the answer.
    public func parameters<T: Decodable>(as type: T.Type) throws(VarlinkError) -> T {
        try message.parameters(as: type)
    }

    /// Requires that the description of the interface has each parameter, and each member of its structures.
    ///
    /// - Throws: `InvalidParameter` with the path of the unknown one, and the name that was probably meant in parentheses.
    public func requireKnownParameters() throws(VarlinkError) {
        guard let unknown = connection.core.directory.unknownParameter(in: message) else { return }
        throw .invalidParameter(unknown.description)
    }

    /// Requires a call with `more`, for methods that answer with a stream.
    ///
    /// - Throws: `ExpectedMore` unless the call was made with `more`.
    public func requireMore() throws(VarlinkError) {
        guard wantsMore else { throw .expectedMore }
    }

    /// Sends the last reply, or with `continues` one of a stream.
    ///
    /// - Parameters:
    ///   - parameters: must encode as a JSON object. If that fails, the error is logged and the peer gets the service's
    ///     error for ``ServerFault/replyNotEncodable(method:)``.
    ///   - continues: true for all replies of a stream but the last.
    public func reply(_ parameters: some Encodable, continues: Bool = false) {
        do {
            reply(try EncodedReply(parameters, continues: continues))
        } catch {
            fail(connection.replyNotEncodable(error, method: method))
        }
    }

    /// Sends the last reply, with a list. If an element could not be encoded, that is logged and the peer gets the
    /// service's error for ``ServerFault/replyNotEncodable(method:)``.
    public func reply(_ list: EncodedList) {
        if let failure = list.failure {
            fail(connection.replyNotEncodable(failure, method: method))
        } else {
            reply(list.reply)
        }
    }

    /// Sends the last reply, without parameters.
    public func reply() {
        reply(NoParameters())
    }

    /// Sends one reply of a stream, or the last reply, depending on ``EncodedReply/continues``.
    ///
    /// If the call was not made with `more`, a reply that continues is replaced by the error `ExpectedMore`.
    public func reply(_ encoded: EncodedReply) {
        connection.reply(encoded.buffer, continues: encoded.continues, to: self)
    }

    /// Sends an error as the last reply.
    public func fail(_ error: VarlinkError) {
        connection.reply(error.encoded, continues: false, to: self)
    }

    /// False while the peer has not read previous replies: the owner of a stream should then keep only the newest and
    /// wait for ``onWritable``. If more than ``ServerLimits/unreadBytes`` are waiting, the connection is closed.
    public var isWritable: Bool { connection.isWritable(for: self) }

    /// Called each time the peer reads again after ``isWritable`` was false. Released with the last reply.
    public var onWritable: (() -> Void)? {
        get { isOpen ? connection.openCall?.onWritable : nil }
        set { if isOpen { connection.openCall?.onWritable = newValue } }
    }

    /// Called once if the connection ends, or the server shuts down, while the call is open. It can no longer be
    /// answered. Released with the last reply.
    public var onCancel: (() -> Void)? {
        get { isOpen ? connection.openCall?.onCancel : nil }
        set { if isOpen { connection.openCall?.onCancel = newValue } }
    }

    /// The means to write the replies of a stream.
    package var writer: ReplyWriter { ReplyWriter(call: self, connection: connection) }

    /// Records that the call has its last reply.
    func answered() { isAnswered = true }
}

/// Writes the replies of a stream without reading the call itself: when every connection gets one message in turn, each
/// object that a reply reads is one more that is not in the cache.
///
/// As long as it exists, the call is not released.
package struct ReplyWriter {
    fileprivate let call: ServerCall
    fileprivate let connection: ServerConnection

    /// See ``ServerCall/isWritable``.
    package var isWritable: Bool { connection.isWritable(for: call) }

    /// See ``ServerCall/reply(_:)``.
    package func reply(_ encoded: EncodedReply) {
        connection.reply(encoded.buffer, continues: encoded.continues, to: call)
    }

    /// Sends one reply of the stream: see ``ServerCall/reply(_:continues:)``.
    package func reply(_ parameters: some Encodable) { call.reply(parameters, continues: true) }

    /// Sends an error as the last reply.
    package func fail(_ error: VarlinkError) { call.fail(error) }
}
