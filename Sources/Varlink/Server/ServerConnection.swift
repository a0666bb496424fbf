import Logging
public import NIOCore

/// The server's side of one connection.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop; what is not says so.
public final class ServerConnection: @unchecked Sendable {
    /// The loop on which everything of this connection happens. May be read anywhere.
    public let eventLoop: any EventLoop
    /// The connection itself. May be read anywhere; its pipeline belongs to the server.
    public let channel: any Channel

    let core: ServerCore
    /// Those that were in force when it was made.
    let limits: ServerLimits
    let context: ChannelHandlerContext
    /// What is written goes through this.
    var output: ConnectionOutput
    var machine: ConnectionStateMachine
    var session: (any VarlinkSession)?
    /// Weak, so that a call which the session lets go of is noticed.
    weak var openCall: ServerCall?
    var callNumber: UInt64 = 0
    var isAdvancing = false
    var isReadHeld = false
    var isInputClosed = false
    var isGone = false
    var isLingering = false
    /// What the peer's end of sending has brought before it was accepted.
    var earlyFrames: [FrameDecoder.Frame] = []
    var earlyBytes: Int {
        earlyFrames.reduce(0) { if case .message(let message) = $1 { $0 + message.readableBytes } else { $0 } }
    }
    var deadline: Scheduled<Void>?
    /// Bytes of a message that has no end yet.
    var keptBytes = 0
    var share: ByteAccount.Share?
    private var peer = "an unidentified peer"

    init(context: ChannelHandlerContext, core: ServerCore, limits: ServerLimits) {
        self.context = context
        self.channel = context.channel
        self.eventLoop = context.eventLoop
        self.core = core
        self.limits = limits
        self.output = ConnectionOutput(context)
        self.machine = ConnectionStateMachine(limits: limits)
    }

    /// Who the peer is, for the log: `uid 1000, pid 4711`. Set it before the peer is accepted. Event loop only.
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

    /// Has it count what it has held as part of an account. To be called once, as soon as it is known whose it is: before
    /// the peer is accepted. Event loop only.
    public func charge(_ account: ByteAccount) {
        eventLoop.preconditionInEventLoop()
        guard !isGone else { return }
        share = ByteAccount.Share(of: account)
        settle()
    }

    /// Logs something that the peer has caused, unless there is too much of that. Event loop only.
    public func note(_ line: String) {
        eventLoop.preconditionInEventLoop()
        core.log(line)
    }

    /// Closes the connection now, without another word to the peer, and logs why. Event loop only.
    public func close(reason: String) {
        eventLoop.preconditionInEventLoop()
        guard channel.isActive else { return }
        log(reason)
        channel.close(promise: nil)
    }

    /// Lends the socket, to ask the kernel about the peer. Event loop only; the descriptor must not be kept or closed.
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
