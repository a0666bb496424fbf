import GPSDProtocol
import NIOCore

/// Splits gpsd's stream into lines.
///
/// A line that is too long is dropped as it arrives, so that no stream makes this buffer more than one line and one
/// read.
struct GPSDLineDecoder: ByteToMessageDecoder {
    enum InboundOut: Equatable {
        /// A line without its line feed and without gpsd's carriage return.
        case line(ByteBuffer)
        /// A line of more than `GPSDLine.maximumLength` bytes, or as many more bytes of it, were dropped.
        case tooLong
    }

    private var isSkipping = false
    /// The number of bytes in the buffer that contain no line feed.
    private var searched = 0

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let end = buffer.readableBytesView.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.readableBytes
            if searched > GPSDLine.maximumLength {
                for _ in 0..<searched / GPSDLine.maximumLength {
                    context.fireChannelRead(Self.wrapInboundOut(.tooLong))
                }
                isSkipping = true
                searched = 0
                buffer.moveReaderIndex(to: buffer.writerIndex)
            }
            return .needMoreData
        }
        let length = end - buffer.readerIndex
        searched = 0
        guard var line = buffer.readSlice(length: length) else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 1)
        if isSkipping {
            isSkipping = false
        } else if length > GPSDLine.maximumLength {
            context.fireChannelRead(Self.wrapInboundOut(.tooLong))
        } else {
            if line.readableBytesView.last == UInt8(ascii: "\r") { line.moveWriterIndex(to: line.writerIndex - 1) }
            context.fireChannelRead(Self.wrapInboundOut(.line(line)))
        }
        return .continue
    }

    /// Discards an incomplete line at the end of the stream.
    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        while try decode(context: context, buffer: &buffer) == .continue {}
        buffer.clear()
        return .needMoreData
    }
}
