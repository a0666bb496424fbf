import NIOCore

/// What has come on a connection and has not been looked at: cut into messages, and one taken out at a time.
///
/// A peer may send as many calls as it likes without waiting. No more of them are in here than one read of the socket
/// brings, or, when the peer ends its side, what was in the kernel's buffer.
struct ConnectionInput {
    private var decoder: FrameDecoder
    private var bytes = ByteBuffer()
    /// What is due: a whole message, or why there is none.
    private(set) var first: FrameDecoder.Frame?
    /// Whether nothing more will come.
    private(set) var isClosed = false

    init(limit: Int) {
        decoder = FrameDecoder(limit: limit)
    }

    /// How much memory it takes, nearly.
    var byteCount: Int {
        if case .message(let message) = first {
            bytes.readableBytes + message.readableBytes
        } else {
            bytes.readableBytes
        }
    }

    /// Whether something has come behind the message that is due.
    var isMoreBehind: Bool { bytes.readableBytes > 0 }

    mutating func append(_ more: ByteBuffer) {
        // Copied, so that no more memory is held than what is in it.
        bytes.discardReadBytes()
        bytes.writeImmutableBuffer(more)
        cutFirst()
    }

    mutating func close() {
        isClosed = true
        cutFirst()
    }

    /// Takes out what is due.
    mutating func take() -> FrameDecoder.Frame? {
        defer { cutFirst() }
        return first.take()
    }

    mutating func clear() {
        bytes = ByteBuffer()
        first = nil
    }

    private mutating func cutFirst() {
        guard first == nil else { return }
        first = decoder.next(in: &bytes)
        // A copy, too: a slice would keep all that came with it.
        if case .message(let message) = first { first = .message(ByteBuffer(bytes: message.readableBytesView)) }
        if first == nil, isClosed, bytes.readableBytes > 0 {
            first = .incomplete
            bytes.clear()
        }
        if bytes.readableBytes == 0 {
            bytes = ByteBuffer()
        } else if bytes.readableBytes < bytes.storageCapacity / 4 {
            bytes = ByteBuffer(bytes: bytes.readableBytesView)
        }
    }
}
