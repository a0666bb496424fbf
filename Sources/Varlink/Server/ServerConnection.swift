import TextSafety
import Logging
public import NIOCore

/// The server's side of one connection.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop; exceptions say so.
public final class ServerConnection: @unchecked Sendable {
    /// The event loop of the connection. May be read anywhere.
    public let eventLoop: any EventLoop
    /// The channel. May be read anywhere; its pipeline belongs to the server.
    public let channel: any Channel

    let core: ServerCore
    /// The limits in force when the connection was made.
    let limits: ServerLimits
    let context: ChannelHandlerContext
    /// All output goes through this.
    var output: ConnectionOutput
    var machine: ConnectionStateMachine
    var session: (any VarlinkSession)?
    /// Weak, so that a call released by the session is noticed.
    weak var openCall: ServerCall?
    var callNumber: UInt64 = 0
    var isAdvancing = false
    var isReadHeld = false
    var isInputClosed = false
    /// True after the end of the connection; nothing can be written.
    var isGone = false
    var isForgotten = false
    var isLingering = false
    var deadline: Scheduled<Void>?
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

    /// Charges the memory held by the connection to an account. Call it once, as soon as the owner is known and before
    /// the peer is accepted. Event loop only.
    public func charge(_ account: ByteAccount) {
        eventLoop.preconditionInEventLoop()
        guard !isGone else { return }
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
