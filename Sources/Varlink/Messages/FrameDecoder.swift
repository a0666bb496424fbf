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
    /// Asked before each message. Once it says yes, what comes is thrown away in one piece.
    private let isOver: () -> Bool
    /// Told how many bytes are kept for want of the end of a message, whenever that changes.
    private let onKept: (Int) -> Void
    /// Bytes already looked at, so that a message which comes byte by byte costs no more than one in a piece.
    private var scanned = 0
    private var isBroken = false

    /// - Parameters:
    ///   - limit: bytes of the longest message, NUL not counted.
    ///   - isOver: whether nobody wants messages any more. Without it a flood of small ones would be cut to the last
    ///     although the first has ended the connection.
    ///   - onKept: told how many bytes are kept for want of the end of a message.
    init(limit: Int, isOver: @escaping () -> Bool = { false }, onKept: @escaping (Int) -> Void = { _ in }) {
        self.limit = limit
        self.isOver = isOver
        self.onKept = onKept
    }

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
        let frame = next(in: &buffer)
        onKept(buffer.readableBytes)
        guard let frame else { return .needMoreData }
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

    mutating func next(in buffer: inout ByteBuffer) -> Frame? {
        if isBroken || isOver() {
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
