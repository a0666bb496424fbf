import NIOCore
import NIOTestUtils
import Testing

@testable import Varlink

@Suite(.timeLimit(.minutes(10))) struct FrameDecoderTests {
    @Test("messages are the same byte by byte and at once")
    func framesEqualByteByByte() throws {
        try ByteToMessageDecoderVerifier.verifyDecoder(
            inputOutputPairs: [
                (ByteBuffer(string: "{}\0"), [.message(ByteBuffer(string: "{}"))]),
                (ByteBuffer(string: "\0"), [.message(ByteBuffer())]),
                (ByteBuffer(string: "12345678\0"), [.message(ByteBuffer(string: "12345678"))]),
                (ByteBuffer(string: "a\0b\0"), [.message(ByteBuffer(string: "a")), .message(ByteBuffer(string: "b"))]),
            ],
            decoderFactory: { FrameDecoder(limit: 8) })
    }

    @Test("decoding ends at the size limit", arguments: ["123456789", "123456789\0", "1234567890123\0{}\0"])
    func endsAtTheLimit(input: String) {
        var decoder = FrameDecoder(limit: 8)
        var buffer = ByteBuffer()
        var frames: [FrameDecoder.Frame] = []
        for byte in input.utf8 {
            buffer.writeInteger(byte)
            while let frame = decoder.next(in: &buffer) { frames.append(frame) }
        }
        #expect(frames == [.tooLong])
        #expect(buffer.readableBytes == 0)
    }
}
