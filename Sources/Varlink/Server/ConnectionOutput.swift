import Glibc
import NIOCore

/// The way out of a connection: straight into its socket, and only what does not fit there into the channel's queue.
///
/// Almost always all of it fits, and then a channel's write and flush cost more than the kernel's work: each touches a
/// dozen objects, none of which is in the cache when every connection gets one message in turn. The order of what is
/// written stays: while anything is queued, everything is.
///
/// The descriptor is NIO's. Using it is safe as long as the channel is open, since both live on the same event loop. NIO
/// tells of the closing before anything else can happen on the loop, by failing what is queued and by `channelInactive`;
/// whoever hears of it first calls `close()`.
struct ConnectionOutput {
    /// `nil` when the connection is not a socket, as in tests, and after its end.
    private var descriptor: CInt?
    /// How many writes wait in the channel.
    private var queued = 0
    /// How many bytes those are.
    private(set) var queuedBytes = 0

    init(_ context: ChannelHandlerContext) {
        descriptor = try? context.channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) { $0 }
    }

    /// Writes what fits now.
    ///
    /// - Returns: what is to be queued; the end of that is to be told to `queueEnded`.
    mutating func write(_ bytes: ByteBuffer) -> ByteBuffer? {
        var rest = bytes
        if queued == 0, let descriptor {
            let count = bytes.withUnsafeReadableBytes {
                send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
            }
            if count == bytes.readableBytes { return nil }
            // Whatever error it was, the channel will meet it again and knows what to do.
            rest.moveReaderIndex(forwardBy: max(0, count))
        }
        queued += 1
        queuedBytes += rest.readableBytes
        return rest
    }

    /// What was queued has been written, or never will be because the channel has closed.
    mutating func queueEnded(_ count: Int, _ result: Result<Void, any Error>) {
        queued -= 1
        queuedBytes -= count
        if case .failure = result { close() }
    }

    /// The channel has closed: the descriptor may be another's already.
    mutating func close() {
        descriptor = nil
    }
}
