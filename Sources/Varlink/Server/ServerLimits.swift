public import NIOCore

/// What one connection may cost.
public struct ServerLimits: Sendable {
    /// Bytes of the longest message a peer may send, NUL not counted.
    public var messageSize = 65536
    /// Bytes of the kernel's send buffer of a connection. The kernel doubles the number and counts its own overhead:
    /// the default, its minimum, holds about four messages. It is small so that a slow reader finds the newest
    /// message soon and costs little.
    public var sendBufferSize = 2304
    /// Bytes that may wait in the process, beyond the kernel's buffer, before a call is no longer writable. Larger than
    /// an ordinary message, so that one delivery does not toggle it.
    public var writableBytes = 2048
    /// Bytes that may wait in the process before a stream whose owner writes on regardless costs the peer its connection.
    public var unreadBytes = 262_144
    /// How long a connection that was answered with an error and is to be closed may stay, so that the peer can finish
    /// writing and read the error. At most 64 connections linger; the others are closed at once.
    public var lingerTime = TimeAmount.milliseconds(500)
    /// How long a server that shuts down waits for the first call of who has just connected: it comes with the next turn of
    /// the peer's own loop.
    public var firstCallTime = TimeAmount.milliseconds(100)

    /// The defaults.
    public init() {}
}
