import NIOCore
import NIOPosix

/// One end of a connection, or of a pipe, on which messages are ended by a certain byte: bytes in, messages out, and no
/// idea of what they mean.
///
/// It reads only while somebody asks for a message, so a test that does not ask is a peer that does not read.
///
/// `@unchecked Sendable` because its mutable state is confined to the event loop.
package final class Wire: @unchecked Sendable {
    private let channel: any Channel
    private let end: UInt8
    private var received = ByteBuffer()
    private var waiting: EventLoopPromise<String?>?
    private var isEnded = false

    private init(_ channel: any Channel, end: UInt8) {
        self.channel = channel
        self.end = end
    }

    /// To a Unix socket on which messages end with a NUL byte, or another.
    package static func connect(to path: String, end: UInt8 = 0) async throws -> Wire {
        let made = Made(end: end)
        _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelInitializer(made.install)
            .connect(unixDomainSocketPath: path).get()
        return try await made.next()
    }

    /// To a port of the loopback, in lines.
    package static func connect(toPort port: Int) async throws -> Wire {
        let made = Made(end: UInt8(ascii: "\n"))
        _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelInitializer(made.install)
            .connect(host: "127.0.0.1", port: port).get()
        return try await made.next()
    }

    /// The reading end of a pipe, in lines. Takes the descriptor. What comes is read without being asked for, so that
    /// the writer never waits.
    package static func lines(fromPipe descriptor: Int32) async throws -> Wire {
        let made = Made(end: UInt8(ascii: "\n"))
        _ = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer(made.install)
            .takingOwnershipOfDescriptor(input: descriptor).get()
        return try await made.next()
    }

    /// A terminal, in lines. Takes the descriptor.
    package static func lines(onTerminal descriptor: Int32) async throws -> Wire {
        let made = Made(end: UInt8(ascii: "\n"))
        _ = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelInitializer(made.install)
            .takingOwnershipOfDescriptor(inputOutput: descriptor).get()
        return try await made.next()
    }

    /// What listens for connections, in lines.
    package struct Listener: Sendable {
        /// The port of the loopback, or 0 for a Unix socket.
        package let port: Int
        package let connections: AsyncStream<Wire>
        fileprivate let channel: any Channel

        package func stop() async throws { try await channel.close() }
    }

    /// Listens on a Unix socket, or else on a free port of the loopback.
    package static func listen(at socket: String? = nil) async throws -> Listener {
        let made = Made(end: UInt8(ascii: "\n"))
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer(made.install)
        let channel =
            if let socket {
                try await bootstrap.bind(unixDomainSocketPath: socket).get()
            } else {
                try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
            }
        return Listener(port: channel.localAddress?.port ?? 0, connections: made.wires, channel: channel)
    }

    /// Channels become wires before anything can happen on them.
    private final class Made: Sendable {
        let wires: AsyncStream<Wire>
        private let continuation: AsyncStream<Wire>.Continuation
        private let end: UInt8

        init(end: UInt8) {
            self.end = end
            (wires, continuation) = AsyncStream.makeStream(of: Wire.self)
        }

        @Sendable func install(on channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture { [end, continuation] in
                let wire = Wire(channel, end: end)
                try channel.pipeline.syncOperations.addHandler(Handler(wire))
                continuation.yield(wire)
            }
        }

        func next() async throws -> Wire {
            for await wire in wires { return wire }
            throw CancellationError()
        }
    }

    /// Whether the bytes are on their way: false when the other end is closed, which then says why.
    @discardableResult
    package func send(_ bytes: some Sequence<UInt8> & Sendable) async -> Bool {
        (try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()) != nil
    }

    @discardableResult
    package func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    /// The next message without its end; `nil` when no more will come, or the test has taken too long.
    package func receive() async throws -> String? {
        try await withTaskCancellationHandler {
            try await channel.eventLoop.flatSubmit { [self] in
                let promise = channel.eventLoop.makePromise(of: String?.self)
                precondition(waiting == nil, "two tasks wait for a message")
                waiting = promise
                deliver()
                return promise.futureResult
            }.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// False when either end has closed the connection, even if what came before has not been received.
    package var isOpen: Bool {
        get async throws { try await channel.eventLoop.submit { [self] in !isEnded }.get() }
    }

    /// Says that nothing more will be sent.
    package func finishSending() async throws {
        try await channel.close(mode: .output).get()
    }

    package func close() async {
        try? await channel.close()
    }

    private func deliver() {
        guard let waiting else { return }
        let view = received.readableBytesView
        if let index = view.firstIndex(of: end) {
            let message = received.readString(length: index - view.startIndex)
            received.moveReaderIndex(forwardBy: 1)
            received.discardReadBytes()
            self.waiting = nil
            waiting.succeed(message)
        } else if isEnded {
            self.waiting = nil
            waiting.succeed(received.readableBytes > 0 ? received.readString(length: received.readableBytes) : nil)
        } else {
            channel.read()
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let wire: Wire

        init(_ wire: Wire) {
            self.wire = wire
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            wire.received.writeBuffer(&bytes)
            wire.deliver()
        }

        func channelInactive(context: ChannelHandlerContext) {
            wire.isEnded = true
            wire.deliver()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
