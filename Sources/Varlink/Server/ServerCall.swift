import NIOCore

/// A call being answered.
///
/// Everything here must be used on the connection's event loop, which is checked. A call is answered by one reply, by any
/// number of replies of which all but the last say that more follow (if the peer asked for ``wantsMore``), or by an
/// error. What is said after the last one, or after the connection has gone, is ignored. A call that is let go without an
/// answer is answered with the service's error for ``ServerFault/callDropped(method:)`` and logged, so that no peer hangs.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop.
public final class ServerCall: @unchecked Sendable {
    /// The full name, `org.example.Interface.Method`.
    public var method: String { message.method }
    /// `org.example.Interface`
    public let interfaceName: String
    /// `Method`
    public let memberName: String
    /// The peer takes more than one reply.
    public var wantsMore: Bool { message.wantsMore && !message.isOneway }
    /// The peer takes no reply. Reply all the same, or let go of the call: it tells the server that the next may come.
    public var isOneway: Bool { message.isOneway }

    private let message: CallMessage
    private let connection: ServerConnection
    private let number: UInt64
    /// Whether the last reply is still to come and the peer is there.
    public private(set) var isOpen = true
    private var writableHandler: (() -> Void)?
    private var cancelHandler: (() -> Void)?

    init(_ message: CallMessage, number: UInt64, on connection: ServerConnection) {
        let name = MethodName(message.method)
        self.interfaceName = name.interface
        self.memberName = name.member
        self.message = message
        self.number = number
        self.connection = connection
    }

    deinit {
        guard isOpen else { return }
        // Whoever lets go of a call may do so from any thread and in the middle of anything: come back later.
        connection.eventLoop.execute { [connection, number, message] in
            connection.dropped(callNumber: number, method: message.method, isOneway: message.isOneway)
        }
    }

    /// The parameters of the call; absent, null and `{}` mean the same.
    ///
    /// - Throws: `InvalidParameter` with the path of the one that is missing or wrong, ready to be answered with.
    public func parameters<T: Decodable>(as type: T.Type) throws(VarlinkError) -> T {
        try message.parameters(as: type)
    }

    /// For methods that answer with a stream.
    ///
    /// - Throws: `ExpectedMore` unless the call was made with `more`.
    public func requireMore() throws(VarlinkError) {
        guard wantsMore else { throw .expectedMore }
    }

    /// The last reply, or with `continues` one of a stream.
    ///
    /// - Parameters:
    ///   - parameters: must encode as a JSON object. What cannot be encoded is logged, and the peer is answered with the
    ///     service's error for ``ServerFault/replyNotEncodable(method:)``.
    ///   - continues: true for all replies of a stream but the last.
    public func reply(_ parameters: some Encodable, continues: Bool = false) {
        do {
            reply(try EncodedReply(parameters, continues: continues))
        } catch {
            fail(connection.replyNotEncodable(error, method: method))
        }
    }

    /// The last reply, without parameters.
    public func reply() {
        reply(NoParameters())
    }

    /// One reply of a stream, or the last reply, by its ``EncodedReply/continues``.
    ///
    /// If the call was not made with `more`, a reply that continues is answered as the error `ExpectedMore` instead.
    public func reply(_ encoded: EncodedReply) {
        connection.eventLoop.preconditionInEventLoop()
        guard isOpen else { return }
        connection.write(encoded.buffer, continues: encoded.continues, for: self)
    }

    /// The last reply, an error.
    public func fail(_ error: VarlinkError) {
        connection.eventLoop.preconditionInEventLoop()
        guard isOpen else { return }
        connection.write(error.encoded, continues: false, for: self)
    }

    /// False while the peer has not read what was written before: a stream's owner should then keep only the newest and
    /// wait for ``onWritable``. Who writes on regardless loses the connection at ``ServerLimits/unreadBytes``.
    public var isWritable: Bool {
        connection.eventLoop.preconditionInEventLoop()
        return isOpen && connection.machine.isWritable
    }

    /// Called each time the peer reads again after ``isWritable`` was false. Dropped with the last reply.
    public var onWritable: (() -> Void)? {
        get { confined(writableHandler) }
        set { if confined(isOpen) { writableHandler = newValue } }
    }

    /// Called once if the connection goes away, or the server shuts down, while the call is open. Nothing can be answered
    /// any more. Dropped with the last reply.
    public var onCancel: (() -> Void)? {
        get { confined(cancelHandler) }
        set { if confined(isOpen) { cancelHandler = newValue } }
    }

    /// The last reply has been written.
    func close() {
        isOpen = false
        writableHandler = nil
        cancelHandler = nil
    }

    /// The last reply will never be written.
    func cancel() {
        let handler = cancelHandler
        close()
        handler?()
    }

    private func confined<Value>(_ value: @autoclosure () -> Value) -> Value {
        connection.eventLoop.preconditionInEventLoop()
        return value()
    }
}
