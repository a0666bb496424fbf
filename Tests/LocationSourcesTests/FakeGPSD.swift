import NIOCore
import NIOPosix

/// A scripted gpsd: it listens, and reports connections and lines as events.
final class FakeGPSD: Sendable {
    enum Event: Sendable {
        case connected(any Channel)
        /// A line from the client.
        case line(String)
        case closed
    }

    static let banner = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

    /// Its port, or 0 for a Unix socket.
    let port: Int
    let events: AsyncStream<Event>
    private let server: any Channel

    private init(server: any Channel, events: AsyncStream<Event>) {
        self.server = server
        self.events = events
        port = server.localAddress?.port ?? 0
    }

    /// Starts listening on a free port of the loopback interface, or on a Unix socket.
    static func start(socket: String? = nil) async throws -> FakeGPSD {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        ByteToMessageHandler(LineFrames()), Recorder(continuation: continuation))
                }
            }
        let server =
            if let socket {
                try await bootstrap.bind(unixDomainSocketPath: socket).get()
            } else {
                try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
            }
        return FakeGPSD(server: server, events: events)
    }

    func stop() async throws {
        try await server.close()
    }

    private final class Recorder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<Event>.Continuation

        init(continuation: AsyncStream<Event>.Continuation) {
            self.continuation = continuation
        }

        func channelActive(context: ChannelHandlerContext) {
            continuation.yield(.connected(context.channel))
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(.line(String(buffer: unwrapInboundIn(data))))
        }

        func channelInactive(context: ChannelHandlerContext) {
            continuation.yield(.closed)
        }
    }
}

/// Lines without their line feed.
struct LineFrames: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")),
            let line = buffer.readSlice(length: end - buffer.readerIndex)
        else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(Self.wrapInboundOut(line))
        return .continue
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        .needMoreData
    }
}

extension Channel {
    func send(_ text: String) async throws {
        try await writeAndFlush(allocator.buffer(string: text)).get()
    }
}

extension AsyncStream.Iterator {
    /// The next element; throws at the end of the sequence.
    mutating func required() async throws -> Element {
        guard let element = await next() else { throw EndOfEvents() }
        return element
    }
}

struct EndOfEvents: Error {}
