import Glibc
import Logging
import NIOCore

/// Stops accepting for a while when the process is about to run out of descriptors, or the machine of what a connection
/// takes.
///
/// Connections are not to have the last descriptors: to find out who a peer is, to read the configuration again or to
/// reach a source takes some, too. Those that are not accepted wait in the kernel's queue.
///
/// Where accepting has failed, the connection stays in that queue, so the socket stays readable and would be tried again
/// without end. `AcceptBackoffHandler` does not help: it holds back the next read, while the failed one is still pending
/// and keeps the socket registered. Turning automatic reading off takes it out of the selector.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    /// As many connections may come at once before this is asked again; fewer than are in reserve.
    static let burst = 8
    private static let reserve = 24
    private static let time = TimeAmount.milliseconds(100)

    private let logger: Logger
    /// The first descriptor of those in reserve: the kernel always gives the lowest that is free.
    private let reserved: CInt
    /// As many as that must be free. Where some of them are taken, by who came in the same burst, it is not enough that a lower
    /// one is free: those who come and go would take all of them, a burst at a time.
    private let reserveCount: Int
    /// Whether the reserve has been near since it was last seen whole.
    private var isNear = false
    private var isPaused = false
    /// Said once, until accepting works again.
    private var isLogged = false

    init(logger: Logger) {
        self.logger = logger
        var limit = rlimit()
        let isLimited = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        let count = isLimited ? CInt(clamping: limit.rlim_cur) : .max
        reserved = count - min(CInt(Self.reserve), count / 2)
        reserveCount = Int(count - reserved)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let descriptor = Self.descriptor(of: unwrapInboundIn(data))
        context.fireChannelRead(data)
        if let descriptor, isNearReserve(descriptor), !isFree(reserveCount, of: descriptor) {
            pause(context, "the limit of open files is near")
        } else {
            isLogged = false
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        pause(context, "\(error)")
    }

    private func pause(_ context: ChannelHandlerContext, _ reason: String) {
        if !isLogged { logger.error("Cannot accept connections: \(reason)") }
        isLogged = true
        guard !isPaused else { return }
        isPaused = true
        setReading(false, on: context.channel)
        resumeLater(context.channel)
    }

    private func resumeLater(_ channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: Self.time) { [self] in
            guard hasDescriptors(channel) else { return resumeLater(channel) }
            isPaused = false
            setReading(true, on: channel)
        }
    }

    /// Whether the next connection would not get one of those in reserve.
    private func hasDescriptors(_ channel: any Channel) -> Bool {
        Self.descriptor(of: channel).map { isFree(reserveCount + 1, of: $0) } ?? true
    }

    /// Whether the reserve is about to be used, or partly in use still.
    private func isNearReserve(_ descriptor: CInt) -> Bool {
        if descriptor >= reserved - CInt(2 * Self.burst) { isNear = true }
        guard isNear, descriptor < reserved else { return isNear }
        isNear = (0..<reserveCount).contains { fcntl(reserved + CInt($0), F_GETFD) >= 0 }
        return isNear
    }

    /// Whether so many descriptors are free.
    private func isFree(_ count: Int, of descriptor: CInt) -> Bool {
        let taken = (0..<count).lazy.map { _ in fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }.prefix { $0 >= 0 }
        let descriptors = Array(taken)
        for descriptor in descriptors { close(descriptor) }
        return descriptors.count == count
    }

    /// `nil` if it is not a socket, as in tests, or closed.
    private static func descriptor(of channel: any Channel) -> CInt? {
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) { $0 }
    }

    private func setReading(_ reading: Bool, on channel: any Channel) {
        // Fails only on a channel that is closed, which reads no more in any case.
        try? channel.syncOptions?.setOption(.autoRead, value: reading)
    }
}
