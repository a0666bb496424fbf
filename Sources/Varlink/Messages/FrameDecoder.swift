import NIOCore

/// Cuts the byte stream into messages, each ended by a NUL byte, none longer than the limit.
struct FrameDecoder: ByteToMessageDecoder {
    enum Frame: Equatable {
        /// One message without its NUL.
        case message(ByteBuffer)
        /// A message that is longer than allowed. Nothing comes after it: where the next one begins is of no interest.
        case tooLong
        /// The peer stopped sending within a message.
        case incomplete
    }

    typealias InboundOut = Frame

    private let limit: Int
    /// Bytes already looked at, so that a message which comes byte by byte costs no more than one in a piece.
    private var scanned = 0
    private var isBroken = false

    /// - Parameter limit: bytes of the longest message, NUL not counted.
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

    /// Takes out the next message, if all of it is there.
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
