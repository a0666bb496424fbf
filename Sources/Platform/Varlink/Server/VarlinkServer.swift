import Glibc
public import Logging
public import NIOCore
import NIOPosix

/// A Varlink server on a Unix socket, confined to one event loop.
///
/// ```swift
/// let server = try await VarlinkServer.bind(service, to: .path("/run/x/org.x", mode: 0o666), on: loop, logger: logger)
/// // Clients can connect from here on.
/// try await server.run()
/// ```
public final class VarlinkServer: Sendable {
    /// The address of a server.
    public enum Address: Sendable, Equatable {
        /// A path of at most 107 bytes, and the mode of the socket file. A socket file without a listener is replaced;
        /// the file is removed at the end.
        case path(String, mode: UInt32)
        /// A listening socket, as systemd passes it. The server takes ownership, even if binding fails.
        case descriptor(CInt)
    }

    private let core: ServerCore
    private let listener: any Channel
    private let socketFile: SocketFile?

    private init(core: ServerCore, listener: any Channel, socketFile: SocketFile?) {
        self.core = core
        self.listener = listener
        self.socketFile = socketFile
    }

    /// Starts listening. Connections are accepted from then on, even before ``run()``.
    ///
    /// - Parameters:
    ///   - service: the service to offer. Its methods are called on `eventLoop`.
    ///   - eventLoop: one of a `MultiThreadedEventLoopGroup`.
    ///   - logger: receives a line for each connection closed by the server with the reason, and for mistakes of the
    ///     service.
    /// - Throws: ``VarlinkServerError``, or the error in one of the service's own descriptions.
    public static func bind(
        _ service: any VarlinkService, to address: Address, on eventLoop: any EventLoop,
        limits: ServerLimits = ServerLimits(), logger: Logger
    ) async throws -> VarlinkServer {
        let core = try ServerCore(service: service, eventLoop: eventLoop, limits: limits, logger: logger)
        let bootstrap = bootstrap(core)
        switch address {
        case .path(let path, let mode):
            let (file, descriptor) = try SocketFile.bind(path: path, mode: mode)
            do {
                let listener = try await bootstrap.withBoundSocket(descriptor).get()
                return VarlinkServer(core: core, listener: listener, socketFile: file)
            } catch {
                file.remove()
                throw error
            }
        case .descriptor(let descriptor):
            let listener = try await bootstrap.withBoundSocket(descriptor).get()
            return VarlinkServer(core: core, listener: listener, socketFile: nil)
        }
    }

    private static func bootstrap(_ core: ServerCore) -> ServerBootstrap {
        ServerBootstrap(group: core.eventLoop)
            .serverChannelOption(.maxMessagesPerRead, value: UInt(AcceptPause.burst))
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(logger: core.logger, note: core.log, user: AcceptPause.userOfUnixPeer(of:)))
                    try lengthenQueue(of: channel)
                    // Connections inherit this option, so a service can determine the writer of what it reads.
                    try setPassCredentials(of: channel)
                }
            }
            // Calls are small and most connections idle, and each keeps a buffer of this size.
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1024))
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.so_sndbuf), value: core.limits.sendBufferSize)
            .childChannelOption(
                .writeBufferWaterMark, value: .init(low: 1, high: max(1, core.limits.writableBytes))
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    core.accepted(channel)
                    try ConnectionHandler.install(on: channel, core: core)
                }
            }
    }

    /// Extends the queue of connections to the kernel's maximum: with a full queue, non-blocking connects fail. NIO's
    /// own option does not affect an adopted socket, whose queue it sets to 128 even where systemd had made it longer.
    private static func lengthenQueue(of channel: any Channel) throws {
        let result = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) { descriptor in
            Glibc.listen(descriptor, CInt(Int16.max)) == 0 ? 0 : errno
        }
        guard let result, result != 0 else { return }
        throw VarlinkServerError.system(operation: "listen at", path: "the socket", errno: result)
    }

    private static func setPassCredentials(of channel: any Channel) throws {
        _ = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) { descriptor in
            var isOn: CInt = 1
            return setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &isOn, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// The limits for new connections. Event loop only.
    public var limits: ServerLimits {
        get {
            core.eventLoop.preconditionInEventLoop()
            return core.limits
        }
        set {
            core.eventLoop.preconditionInEventLoop()
            core.limits = newValue
        }
    }

    /// Returns after ``shutdown(replying:within:)`` or ``shutdownIfUnused()`` has ended the server.
    ///
    /// - Throws: ``VarlinkServerError/listenerClosed`` if the server stopped listening for another reason.
    public func run() async throws {
        try await listener.closeFuture.get()
        guard try await core.eventLoop.submit({ self.core.isShutDown }).get() else {
            throw VarlinkServerError.listenerClosed
        }
        await shutdown()
    }

    /// True if there are no connections. Event loop only.
    public var isUnused: Bool {
        core.eventLoop.preconditionInEventLoop()
        return core.isUnused
    }

    /// Stops listening if there are no connections; otherwise does nothing. Event loop only.
    ///
    /// No client is turned away: an accepted one counts as connected, and others wait for the next server, on a socket
    /// that another process such as systemd also holds.
    ///
    /// - Returns: true if the server has stopped.
    public func shutdownIfUnused() -> Bool {
        core.eventLoop.preconditionInEventLoop()
        guard core.isUnused else { return false }
        _ = core.shutdown(nil, within: .zero)
        listener.close(promise: nil)
        return true
    }

    /// Stops listening, ends streams, answers waiting calls, lets open calls finish, and closes. The first calls of new
    /// connections are still awaited: ``ServerLimits/firstCallTime``.
    ///
    /// May be called from anywhere and repeatedly; each call returns when all connections have ended.
    ///
    /// - Parameters:
    ///   - error: the last reply of every open stream and the answer to waiting calls; `nil` for none.
    ///   - time: after this, open calls are answered with the error as well, and all connections are closed.
    public func shutdown(replying error: VarlinkError? = nil, within time: TimeAmount = .seconds(5)) async {
        let drained = core.eventLoop.flatSubmit {
            let drained = self.core.shutdown(error, within: time)
            self.listener.close(promise: nil)
            return drained
        }
        // Neither can fail: the promise is only ever fulfilled, and an already closed listener is as good.
        try? await drained.get()
        try? await listener.closeFuture.get()
        socketFile?.remove()
    }
}
