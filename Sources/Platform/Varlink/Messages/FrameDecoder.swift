import NIOCore

/// Splits the byte stream into messages, each ended by a NUL byte and within the size limit.
struct FrameDecoder: ByteToMessageDecoder {
    enum Frame: Equatable {
        /// A message without its NUL.
        case message(ByteBuffer)
        /// A message above the size limit. The stream is not decoded any further.
        case tooLong
        /// The input ended within a message.
        case incomplete
    }

    typealias InboundOut = Frame

    private let limit: Int
    /// The number of bytes already searched, so that a message in small pieces costs no more than a whole one.
    private var scanned = 0
    private var isBroken = false

    /// - Parameter limit: the size of the longest message in bytes, without its NUL.
    init(limit: Int) {
        self.limit = limit
    }

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
        guard let frame = next(in: &buffer) else { return .needMoreData }
        context.fireChannelRead(Self.wrapInboundOut(frame))
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) -> DecodingState {
        if case .continue = decode(context: context, buffer: &buffer) { return .continue }
        if buffer.readableBytes > 0 {
            buffer.moveReaderIndex(to: buffer.writerIndex)
            scanned = 0
            context.fireChannelRead(Self.wrapInboundOut(.incomplete))
        }
        return .needMoreData
    }

    /// Removes and returns the next complete message.
    mutating func next(in buffer: inout ByteBuffer) -> Frame? {
        if isBroken {
            buffer.moveReaderIndex(to: buffer.writerIndex)
            return nil
        }
        let length = buffer.readableBytesView.dropFirst(scanned).firstIndex(of: 0).map { $0 - buffer.readerIndex }
        guard length ?? buffer.readableBytes <= limit else {
            isBroken = true
            buffer.moveReaderIndex(to: buffer.writerIndex)
            return .tooLong
        }
        guard let length, let message = buffer.readSlice(length: length) else {
            scanned = buffer.readableBytes
            return nil
        }
        buffer.moveReaderIndex(forwardBy: 1)
        scanned = 0
        return .message(message)
    }
}
