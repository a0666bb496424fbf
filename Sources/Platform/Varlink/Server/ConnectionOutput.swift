import Glibc
package import NIOCore

/// Writes directly to a connection's socket, and queues in the channel only what does not fit.
///
/// Almost always everything fits, and then a channel's write and flush would cost more than the kernel's work: each
/// touches a dozen objects that are not in the cache when every connection gets one message in turn. The order is kept:
/// while anything is queued, everything is.
///
/// The descriptor is NIO's. Using it is safe as long as the channel is open, since both are confined to the same event
/// loop. NIO announces the closing before anything else can happen on the loop, by failing queued writes and by
/// `channelInactive`; the first of these calls `close()`.
package struct ConnectionOutput {
    /// The socket; `nil` if the connection is not a socket, as in tests, and after its end.
    private var descriptor: CInt?
    /// The number of writes queued in the channel.
    private var queued = 0
    /// Their size in bytes.
    package private(set) var queuedBytes = 0

    init(_ context: ChannelHandlerContext) { self.init(context.channel) }

    /// The output of a channel that is open. Call it on its event loop.
    package init(_ channel: any Channel) {
        descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) { $0 }
    }

    /// Writes as much as fits.
    ///
    /// - Returns: the bytes to queue; report the end of that write to `queueEnded`.
    package mutating func write(_ bytes: ByteBuffer) -> ByteBuffer? {
        var rest = bytes
        if queued == 0, let descriptor {
            let count = bytes.withUnsafeReadableBytes {
                send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
            }
            if count == bytes.readableBytes { return nil }
            // The channel will meet any error again and handle it.
            rest.moveReaderIndex(forwardBy: max(0, count))
        }
        queued += 1
        queuedBytes += rest.readableBytes
        return rest
    }

    /// Handles the end of a queued write, by success or by the closing of the channel.
    package mutating func queueEnded(_ count: Int, _ result: Result<Void, any Error>) {
        queued -= 1
        queuedBytes -= count
        if case .failure = result { close() }
    }

    /// Forgets the descriptor after the channel has closed: its number may already be reused.
    package mutating func close() {
        descriptor = nil
    }
}
