import Glibc
public import Logging
public import NIOCore
import NIOPosix

/// Listens on a Unix socket and answers Varlink calls there, all of them on one event loop.
///
/// ```swift
/// let server = try await VarlinkServer.bind(service, to: .path("/run/x/org.x", mode: 0o666), on: loop, logger: logger)
/// // Clients can connect from here on.
/// try await server.run()
/// ```
public final class VarlinkServer: Sendable {
    /// Where to listen.
    public enum Address: Sendable, Equatable {
        /// A path of at most 107 bytes, with the permissions of the socket file. A socket file that nobody listens on is
        /// replaced; the file is removed at the end.
        case path(String, mode: UInt32)
        /// A listening socket, as systemd passes it. It becomes the server's, also if binding fails.
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

    /// Starts to listen. Connections are accepted when this returns; they need not wait for ``run()``.
    ///
    /// - Parameters:
    ///   - service: what to offer. Its methods are called on `eventLoop`.
    ///   - eventLoop: one of a `MultiThreadedEventLoopGroup`.
    ///   - logger: gets a line for each connection closed by the server and the reason, and for mistakes of the service.
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
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: core.logger))
                    try lengthenQueue(of: channel)
                    // Connections inherit it: so a service can ask who wrote what it reads.
                    try setPassCredentials(of: channel)
                }
            }
            // Calls are small and most connections idle: a buffer of this size is kept for each.
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

    /// Has as many connections wait to be accepted as the kernel allows: who connects without blocking is turned away when
    /// the queue is full. NIO's own option does not reach a socket that it adopts, whose queue it sets to 128, also where
    /// systemd had made it longer.
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

    /// What each connection may cost that is made from now on. Event loop only.
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

    /// Returns when ``shutdown(replying:within:)`` has finished, or ``shutdownIfUnused()`` has ended it.
    ///
    /// - Throws: ``VarlinkServerError/listenerClosed`` if the server stopped listening for any other reason.
    public func run() async throws {
        try await listener.closeFuture.get()
        guard try await core.eventLoop.submit({ self.core.isShutDown }).get() else {
            throw VarlinkServerError.listenerClosed
        }
        await shutdown()
    }

    /// Stops listening if nobody is connected, and otherwise changes nothing. Event loop only.
    ///
    /// Nobody is turned away by that: who has been accepted is connected, and who has not, on a socket that somebody
    /// else holds too, as systemd does, waits there for the next server.
    ///
    /// - Returns: whether it has stopped.
    public func shutdownIfUnused() -> Bool {
        core.eventLoop.preconditionInEventLoop()
        guard core.isUnused else { return false }
        _ = core.shutdown(nil, within: .zero)
        listener.close(promise: nil)
        return true
    }

    /// Stops listening, ends the streams, answers the calls that are waiting, lets open calls finish, and closes. Who has
    /// just connected is waited for, too: ``ServerLimits/firstCallTime``.
    ///
    /// May be called from anywhere and more than once; each call returns when all connections are gone.
    ///
    /// - Parameters:
    ///   - error: the last reply of every open stream and the answer to waiting calls; if `nil` they just end.
    ///   - time: calls that are still open then are answered with the error, too, and what is connected is closed.
    public func shutdown(replying error: VarlinkError? = nil, within time: TimeAmount = .seconds(5)) async {
        let drained = core.eventLoop.flatSubmit {
            let drained = self.core.shutdown(error, within: time)
            self.listener.close(promise: nil)
            return drained
        }
        // Neither can fail: the promise is only ever kept, and a listener that is closed already is as good.
        try? await drained.get()
        try? await listener.closeFuture.get()
        socketFile?.remove()
    }
}
