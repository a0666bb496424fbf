import FoundationEssentials
import NIOCore

@testable import Varlink

/// The peer's side of a connection to a Varlink server, on an embedded channel: it sends only as much as the server
/// reads, and tracks the expected answers.
///
/// Confined to the channel's event loop.
final class FuzzedConnection: @unchecked Sendable {
    private let channel: any Channel
    private let tap = Tap()
    private var unsent: [ByteBuffer] = []
    private var isEnding = false
    /// The well-formed calls in the order in which they were sent.
    private(set) var calls: [CallMessage] = []
    private var partialCall = ByteBuffer()
    private var isGarbled = false

    /// Connects `channel`, which must be new.
    init(_ channel: any Channel, core: ServerCore) throws {
        self.channel = channel
        try channel.pipeline.syncOperations.addHandler(tap)
        try ConnectionHandler.install(on: channel, core: core)
        channel.pipeline.connect(to: try SocketAddress(unixDomainSocketPath: "/fuzz"), promise: nil)
        channel.pipeline.read()
    }

    var isOpen: Bool { channel.isActive }
    /// True if the server has read everything that was sent.
    var isConsumed: Bool { unsent.isEmpty && tap.wantsRead }
    /// The number of pieces that the server has not read yet.
    var unsentCount: Int { unsent.count }
    /// The size of the unread output. It grows while the peer does not read.
    var unreadBytes: Int { tap.held.reduce(0) { $0 + $1.bytes.readableBytes } }

    func send(_ bytes: some Sequence<UInt8>) {
        guard isOpen, !isEnding else { return }
        unsent.append(ByteBuffer(bytes: bytes))
        pump()
    }

    /// Ends the peer's input; it continues to read.
    func closeInput() {
        isEnding = true
        pump()
    }

    func close() { channel.close(promise: nil) }

    /// Sends as much as the server reads. Call it after everything that may make the server read.
    func pump() {
        while isOpen, tap.wantsRead {
            guard !unsent.isEmpty else {
                if isEnding {
                    isEnding = false
                    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
                }
                return
            }
            let bytes = unsent.removeFirst()
            note(bytes)
            tap.wantsRead = false
            channel.pipeline.fireChannelRead(bytes)
            channel.pipeline.fireChannelReadComplete()
            channel.pipeline.read()
        }
    }

    func setReading(_ isReading: Bool, _ setWritable: (Bool) -> Void) {
        guard isReading == tap.isHolding, isOpen else { return }
        tap.isHolding = !isReading
        if isReading { tap.release() }
        setWritable(isReading)
        channel.pipeline.fireChannelWritabilityChanged()
        pump()
    }

    /// The output since the last call.
    func takeWritten() -> ByteBuffer {
        defer { tap.written.clear() }
        return tap.written
    }

    private func note(_ bytes: ByteBuffer) {
        for byte in bytes.readableBytesView where !isGarbled {
            guard byte == 0 else {
                partialCall.writeInteger(byte)
                continue
            }
            if let call = try? CallMessage(partialCall) { calls.append(call) } else { isGarbled = true }
            partialCall.clear()
        }
    }
}

/// The end of the pipeline in place of the socket: keeps the output, and records read requests.
private final class Tap: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var wantsRead = false
    var written = ByteBuffer()
    var held: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    var isHolding = false

    func read(context: ChannelHandlerContext) { wantsRead = true }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        if isHolding {
            held.append((bytes, promise))
        } else {
            written.writeImmutableBuffer(bytes)
            promise?.succeed()
        }
    }

    func flush(context: ChannelHandlerContext) {}

    func release() {
        let waiting = held
        held = []
        for (bytes, promise) in waiting {
            written.writeImmutableBuffer(bytes)
            promise?.succeed()
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Embedded channels do not support half closure; the server would be half closed instead.
        guard mode == .all else {
            promise?.succeed()
            return
        }
        let waiting = held
        held = []
        context.close(promise: promise)
        for (_, promise) in waiting { promise?.fail(ChannelError.ioOnClosedChannel) }
    }
}
