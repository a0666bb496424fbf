import Glibc
import LocationSharing
import Logging
import NIOCore
import NIOPosix
import POSIXSupport
import Pacing
import Varlink

/// The port of a bridge in a network, and its readers. Nothing that they send counts.
///
/// It is bound to the addresses of one interface, and to the interface itself, so that no other network reaches it; it follows the
/// addresses as they change.
///
/// Confined to the event loop.
final class BridgeServer {
    /// The greatest number of readers. Others wait until one leaves.
    static let mostReaders = 64
    /// The number of positions that a reader may miss because it does not read. After them it is disconnected.
    static let mostMissed = 180
    /// The number of connections accepted in a second.
    private static let mostAccepted = 64
    /// The seconds between two looks at the interface.
    private static let lookInterval = 5
    /// The size of the kernel's buffer for a reader in bytes: one that reads slowly soon gets the newest position.
    private static let sendBufferSize: CInt = 4096
    /// The most that is read of a reader in a second.
    private static let readSize = 4096

    private let endpoint: BridgeEndpoint
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let addresses: () throws -> [InterfaceAddress]
    /// True if an address is one of this machine's. Throws if that cannot be known.
    private let isLocal: (SocketAddress) throws -> Bool
    private var listeners: [SocketAddress: any Channel] = [:]
    /// The addresses at which it begins to listen.
    private var opening: Set<SocketAddress> = []
    /// True unless there are as many readers, or have been as many new ones in this second, as there may be.
    private(set) var isAccepting = true
    private var readers: [ObjectIdentifier: BridgeReader] = [:]
    private var beat: LoopTimer?
    private var beats = 0
    private let interval: TimeAmount
    /// The number of connections accepted since the last beat.
    private var accepted = 0
    private var isOpen = true
    /// The reason why there can be no readers; `nil` if there can be.
    private(set) var problem: BridgeProblem?

    /// Opens the port, as far as that is possible now.
    ///
    /// - Parameters:
    ///   - interval: the time between two beats, in each of which some bytes of the readers are dropped. Only tests change it.
    ///   - addresses: the addresses of this machine. Only tests replace them.
    ///   - isLocal: true if an address is one of this machine's. Only tests replace it.
    init(
        _ endpoint: BridgeEndpoint, on eventLoop: any EventLoop, logger: Logger, interval: TimeAmount = .seconds(1),
        addresses: @escaping () throws -> [InterfaceAddress] = InterfaceAddress.all,
        isLocal: @escaping (SocketAddress) throws -> Bool = InterfaceAddress.contains
    ) {
        (self.endpoint, self.eventLoop, self.logger, self.interval) = (endpoint, eventLoop, logger, interval)
        (self.addresses, self.isLocal) = (addresses, isLocal)
        update()
        startBeat()
    }

    /// Closes the port and disconnects all readers. What they have not received yet, they do not receive.
    func close() {
        isOpen = false
        beat?.cancel()
        closeListeners()
        for reader in readers.values { reader.close() }
    }

    /// Sends a text to each reader that has received the ones before.
    func send(_ text: String) {
        let bytes = ByteBuffer(string: text)
        for reader in readers.values { reader.send(bytes) }
    }

    /// The addresses at which it listens.
    var localAddresses: [SocketAddress] { listeners.values.compactMap(\.localAddress) }
    var readerCount: Int { readers.count }

    private func startBeat() {
        beat = eventLoop.makeTimer(in: interval) { [weak self] in self?.takeBeat() }
    }

    private func takeBeat() {
        startBeat()
        beats += 1
        accepted = 0
        if beats.isMultiple(of: Self.lookInterval) { update() }
        for reader in readers.values { reader.read() }
        limitAccepting()
    }

    // MARK: Addresses

    /// Follows the addresses of the interface.
    func update() {
        guard isOpen else { return }
        do {
            let wanted = Set(try addresses().addresses(for: endpoint))
            for (address, listener) in listeners where !wanted.contains(address) {
                listeners[address] = nil
                listener.close(promise: nil)
            }
            for reader in readers.values where !wanted.contains(where: { $0.ipAddress == reader.localAddress }) {
                reader.close()
            }
            problem = nil
            for address in wanted where listeners[address] == nil && !opening.contains(address) {
                try listen(at: address)
            }
        } catch let problem as BridgeProblem {
            // A part of the port would leave the rest to whoever has it.
            closeListeners()
            self.problem = problem
            if case .portInUse = problem { return }
            for reader in readers.values { reader.close() }
        } catch {
            closeListeners()
            problem = .refused(endpoint, "\(error)")
        }
    }

    private func closeListeners() {
        for listener in listeners.values { listener.close(promise: nil) }
        listeners = [:]
    }

    /// Opens the port at an address.
    private func listen(at address: SocketAddress) throws(BridgeProblem) {
        let descriptor = try endpoint.boundSocket(at: address)
        opening.insert(address)
        bootstrap.withBoundSocket(descriptor).assumeIsolated().whenComplete { [self] result in
            opening.remove(address)
            switch result {
            case .success(let listener):
                guard isOpen, problem == nil else { return listener.close(promise: nil) }
                listeners[address] = listener
                setAccepting(listener)
            case .failure(let error): problem = .refused(endpoint, "\(error)")
            }
        }
    }

    // MARK: Readers

    private var bootstrap: ServerBootstrap {
        let server = NIOLoopBound(self, eventLoop: eventLoop)
        return ServerBootstrap(group: eventLoop)
            .serverChannelOption(.backlog, value: BridgeEndpoint.backlog)
            .serverChannelOption(.maxMessagesPerRead, value: UInt(AcceptPause.burst))
            .serverChannelInitializer { [logger] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(logger: logger, note: { logger.notice("\($0)") }, user: { _ in nil }))
                }
            }
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readSize))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try server.value.accept(channel) }
            }
    }

    /// Takes a reader in. Throws for one too many, for one of the Internet, to which a router may lead, and for a program of this
    /// machine, which the user has not allowed: binding the port to the interface does not keep it out.
    private func accept(_ channel: any Channel) throws {
        accepted += 1
        defer { limitAccepting() }
        guard isOpen, readers.count < Self.mostReaders,
            let address = channel.remoteAddress, endpoint.allowsPublic || address.isPrivate, try !isLocal(address)
        else { throw ChannelError.operationUnsupported }
        let isPrepared = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) {
            prepare($0)
        }
        guard isPrepared == true else { throw ChannelError.operationUnsupported }
        let reader = BridgeReader(channel) { [weak self] in self?.forget($0) }
        try channel.pipeline.syncOperations.addHandler(reader)
        readers[ObjectIdentifier(reader)] = reader
    }

    /// Sets the options of a reader's socket: what it has not received at the end is dropped, and one that has left without a word
    /// is noticed within two minutes.
    private func prepare(_ descriptor: CInt) -> Bool {
        var abort = linger(l_onoff: 1, l_linger: 0)
        return setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size)) == 0
            && setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Self.sendBufferSize)
            && setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
            && setOption(descriptor, CInt(IPPROTO_TCP), TCP_KEEPIDLE, 60)
            && setOption(descriptor, CInt(IPPROTO_TCP), TCP_KEEPINTVL, 20)
            && setOption(descriptor, CInt(IPPROTO_TCP), TCP_KEEPCNT, 3)
            && setOption(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Forgets a reader whose connection has ended.
    private func forget(_ reader: BridgeReader) {
        readers[ObjectIdentifier(reader)] = nil
        limitAccepting()
    }

    /// Accepts no more readers than there may be, and no more connections in a second than that.
    private func limitAccepting() {
        let mayAccept = readers.count < Self.mostReaders && accepted < Self.mostAccepted
        guard mayAccept != isAccepting else { return }
        isAccepting = mayAccept
        for listener in listeners.values { setAccepting(listener) }
    }

    private func setAccepting(_ listener: any Channel) {
        // Fails only on a closed channel, which accepts none in any case.
        try? listener.syncOptions?.setOption(.autoRead, value: isAccepting)
    }
}

/// A reader of a bridge.
///
/// Confined to the event loop.
private final class BridgeReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The address of this machine to which it has connected.
    let localAddress: String?
    private let channel: any Channel
    private let onEnd: (BridgeReader) -> Void
    private var output: ConnectionOutput?
    /// The number of positions missed in a row.
    private var missed = 0

    init(_ channel: any Channel, onEnd: @escaping (BridgeReader) -> Void) {
        (self.channel, self.onEnd, localAddress) = (channel, onEnd, channel.localAddress?.ipAddress)
    }

    func channelActive(context: ChannelHandlerContext) {
        output = ConnectionOutput(channel)
        context.read()
    }

    /// Drops the bytes that it has sent.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func channelInactive(context: ChannelHandlerContext) {
        output?.close()
        output = nil
        onEnd(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Reads some bytes, so that the end of the connection is noticed.
    func read() { channel.read() }

    func send(_ bytes: ByteBuffer) {
        guard output?.queuedBytes == 0 else {
            missed += 1
            if missed > BridgeServer.mostMissed { close() }
            return
        }
        missed = 0
        guard let rest = output?.write(bytes) else { return }
        let count = rest.readableBytes
        channel.writeAndFlush(rest).assumeIsolated().whenComplete { [self] in output?.queueEnded(count, $0) }
    }

    func close() { channel.close(promise: nil) }
}
