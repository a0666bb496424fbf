import GPSDProtocol
import NIOCore

/// Splits gpsd's stream into lines.
///
/// A line that is too long is dropped as it arrives, so that no stream makes this buffer more than one line and one
/// read.
struct GPSDLineDecoder: NIOSingleStepByteToMessageDecoder {
    enum InboundOut: Equatable {
        /// A line without its line feed and without gpsd's carriage return.
        case line(ByteBuffer)
        /// A line of more than `GPSDLine.maximumLength` bytes, or as many more bytes of it, were dropped.
        case tooLong
    }

    private var isSkipping = false
    /// The number of bytes in the buffer that contain no line feed.
    private var searched = 0

    mutating func decode(buffer: inout ByteBuffer) -> InboundOut? {
        while let end = buffer.readableBytesView.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
            let length = end - buffer.readerIndex
            searched = 0
            guard var line = buffer.readSlice(length: length) else { return nil }
            buffer.moveReaderIndex(forwardBy: 1)
            if isSkipping {
                isSkipping = false
                continue
            }
            if length > GPSDLine.maximumLength { return .tooLong }
            if line.readableBytesView.last == UInt8(ascii: "\r") { line.moveWriterIndex(to: line.writerIndex - 1) }
            return .line(line)
        }
        searched = buffer.readableBytes
        guard searched > GPSDLine.maximumLength else { return nil }
        searched -= GPSDLine.maximumLength
        buffer.moveReaderIndex(forwardBy: GPSDLine.maximumLength)
        isSkipping = true
        return .tooLong
    }

    /// Discards an incomplete line at the end of the stream.
    mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) -> InboundOut? {
        if let last = decode(buffer: &buffer) { return last }
        buffer.clear()
        return nil
    }
}
