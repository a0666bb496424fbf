import NIOCore

/// The unprocessed input of a connection, split into messages that are taken one at a time.
///
/// A peer may send any number of calls without waiting. At most one read of the socket is held here or, when the peer
/// ends its input, the content of the kernel's buffer.
struct ConnectionInput {
    private var decoder: FrameDecoder
    private var bytes = ByteBuffer()
    /// The next message, or the reason for its absence.
    private(set) var first: FrameDecoder.Frame?
    /// True after the end of the input.
    private(set) var isClosed = false

    init(limit: Int) {
        decoder = FrameDecoder(limit: limit)
    }

    /// The approximate memory use.
    var byteCount: Int {
        if case .message(let message) = first {
            bytes.readableBytes + message.readableBytes
        } else {
            bytes.readableBytes
        }
    }

    /// True if there is input behind the next message.
    var isMoreBehind: Bool { bytes.readableBytes > 0 }

    mutating func append(_ more: ByteBuffer) {
        // A copy, so that no more memory is held than needed.
        bytes.discardReadBytes()
        bytes.writeImmutableBuffer(more)
        cutFirst()
    }

    mutating func close() {
        isClosed = true
        cutFirst()
    }

    /// Removes and returns the next message.
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
        // A copy: a slice would keep the whole buffer.
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
