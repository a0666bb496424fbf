public import NIOCore

/// The resource limits of one connection.
public struct ServerLimits: Sendable {
    /// The size of the longest message from a peer in bytes, without its NUL.
    public var messageSize = 65536
    /// The size of the kernel's send buffer in bytes. The kernel doubles it and counts its own overhead: the default,
    /// its minimum, holds about four messages. It is small so that a slow reader soon reads the newest message and
    /// costs little.
    public var sendBufferSize = 2304
    /// The unsent bytes in the process above which a call is not writable. More than an ordinary message, so that one
    /// delivery does not toggle it.
    public var writableBytes = 2048
    /// The unsent bytes in the process above which a connection is closed because its owner keeps writing.
    public var unreadBytes = 262_144
    /// The time for which a connection lingers after an error, so that the peer can finish writing and read the error.
    /// At most 64 connections linger; others are closed at once.
    public var lingerTime = TimeAmount.milliseconds(500)
    /// The time for which a server that shuts down waits for the first call of a new connection, which comes with the
    /// next turn of the peer's own loop.
    public var firstCallTime = TimeAmount.milliseconds(100)

    /// The default limits.
    public init() {}
}
