import TextSupport
public import NIOCore

/// The server's side of one connection.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop; exceptions say so.
public final class ServerConnection: @unchecked Sendable {
    /// A call that awaits its last reply.
    struct OpenCall {
        /// Its number on the connection.
        let number: UInt64
        /// The session's object for it, which is not retained, so that its release is noticed.
        let call: ObjectIdentifier
        var onWritable: (() -> Void)?
        var onCancel: (() -> Void)?
    }

    // First what every reply of a stream reads, so that it lies together.

    /// The event loop of the connection. May be read anywhere.
    public let eventLoop: any EventLoop
    /// All output goes through this.
    var output: ConnectionOutput
    /// True after the end of the connection; nothing can be written.
    var isGone = false
    var openCall: OpenCall?
    var machine: ConnectionStateMachine

    /// The channel. May be read anywhere; its pipeline belongs to the server.
    public let channel: any Channel

    let core: ServerCore
    let context: ChannelHandlerContext
    var session: (any VarlinkSession)?
    /// The number of dispatched calls.
    var callNumber: UInt64 = 0
    var isAdvancing = false
    var isReadHeld = false
    var closing = Closing()
    var share: ByteAccount.Share?
    private var peer = "an unidentified peer"

    init(context: ChannelHandlerContext, core: ServerCore, limits: ServerLimits) {
        self.context = context
        self.channel = context.channel
        self.eventLoop = context.eventLoop
        self.core = core
        self.output = ConnectionOutput(context)
        self.machine = ConnectionStateMachine(limits: limits)
    }

    /// The peer's identity for the log: `uid 1000, pid 4711`. Set it before the peer is accepted. Event loop only.
    public var peerDescription: String {
        get {
            eventLoop.preconditionInEventLoop()
            return peer
        }
        set {
            eventLoop.preconditionInEventLoop()
            peer = newValue
        }
    }

    /// Charges the memory held by the connection to an account, instead of any other. Call it as soon as the owner is known and
    /// before the peer is accepted. Event loop only.
    public func charge(_ account: ByteAccount) {
        eventLoop.preconditionInEventLoop()
        guard !isGone else { return }
        share?.set(0)
        share = ByteAccount.Share(of: account)
        settle()
    }

    /// Logs a message that the peer has caused, within the rate limit. Event loop only.
    public func note(_ line: String) {
        eventLoop.preconditionInEventLoop()
        core.log(line)
    }

    /// Closes the connection at once without a reply, and logs the reason. Event loop only.
    public func close(reason: String) {
        eventLoop.preconditionInEventLoop()
        guard channel.isActive else { return }
        log(reason)
        channel.close(promise: nil)
    }

    /// Passes the socket, for asking the kernel about the peer. Event loop only; the descriptor must not be kept or
    /// closed.
    ///
    /// - Returns: `nil` if the connection is not a socket, as in tests.
    /// - Throws: what `body` throws, and `ChannelError` if the connection is already closed.
    public func withUnsafeDescriptor<Result>(_ body: (CInt) throws -> Result) throws -> Result? {
        eventLoop.preconditionInEventLoop()
        return try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self, body)
    }

    func log(_ reason: String) {
        core.log("Closing the connection of \(LogText(peer)): \(LogText(reason))")
    }
}
