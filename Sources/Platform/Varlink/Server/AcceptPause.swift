package import Glibc
package import Logging
package import NIOCore

/// Pauses accepting when the process runs out of descriptors or the system out of resources.
///
/// A few descriptors are reserved: identifying a peer, reloading the configuration or reaching a source needs some,
/// too. Connections that are not accepted wait in the kernel's queue.
///
/// The descriptors before those are for administrators, root and the user of this process: other users' connections are
/// closed at once, so that they do not keep administrators waiting behind them.
///
/// After a failed accept the connection stays in the queue, so the socket stays readable and would be retried without
/// end. `AcceptBackoffHandler` does not help: it holds back the next read, while the failed one is still pending and
/// keeps the socket registered. Turning automatic reading off deregisters it.
package final class AcceptPause: ChannelInboundHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel

    /// The number of connections accepted between two checks; smaller than the reserve.
    package static let burst = 8
    private static let reserve = 24
    private static let administrators = 32
    private static let time = TimeAmount.milliseconds(100)

    private let logger: Logger
    /// Logs a line that a peer has caused.
    private let note: (String) -> Void
    /// The user of the peer of an accepted socket; `nil` if it is not known.
    private let user: (CInt) -> uid_t?
    /// The lowest reserved descriptor. The kernel always allocates the lowest free one.
    private let reserved: CInt
    /// The lowest descriptor for administrators.
    private let reservedForAdministrators: CInt
    /// The number of descriptors that have to be free. It is not sufficient that a lower one is free: connections of
    /// one burst that come and go would use up the reserve bit by bit.
    private let reserveCount: Int
    /// True after the reserve was nearly reached, until it is known to be complete.
    private var isNear = false
    private var isPaused = false
    /// True after a failure was logged, until accepting works again.
    private var isLogged = false

    /// - Parameters:
    ///   - note: logs a line that a peer has caused, within a rate limit.
    ///   - user: the user of the peer of an accepted socket; `nil` if it is not known.
    package init(logger: Logger, note: @escaping (String) -> Void, user: @escaping (CInt) -> uid_t?) {
        (self.logger, self.note, self.user) = (logger, note, user)
        var limit = rlimit()
        let isLimited = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        let count = isLimited ? CInt(clamping: limit.rlim_cur) : .max
        reserved = count - min(CInt(Self.reserve), count / 2)
        reserveCount = Int(count - reserved)
        reservedForAdministrators = reserved - min(CInt(Self.administrators), count / 4)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        let descriptor = Self.descriptor(of: channel)
        if let descriptor, descriptor >= reservedForAdministrators, let user = user(descriptor),
            user != 0, user != geteuid()
        {
            note("Closed a connection of user \(user): the limit of open files is near.")
            return channel.close(promise: nil)
        }
        context.fireChannelRead(data)
        if let descriptor, isNearReserve(descriptor), !isFree(reserveCount, of: descriptor) {
            pause(context, "the limit of open files is near")
        } else {
            isLogged = false
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
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

    /// True if the next connection would not use the reserve.
    private func hasDescriptors(_ channel: any Channel) -> Bool {
        Self.descriptor(of: channel).map { isFree(reserveCount + 1, of: $0) } ?? true
    }

    /// True if the reserve is nearly reached, or partly in use.
    private func isNearReserve(_ descriptor: CInt) -> Bool {
        if descriptor >= reserved - CInt(2 * Self.burst) { isNear = true }
        guard isNear, descriptor < reserved else { return isNear }
        isNear = (0..<reserveCount).contains { fcntl(reserved + CInt($0), F_GETFD) >= 0 }
        return isNear
    }

    /// True if this many descriptors are free.
    private func isFree(_ count: Int, of descriptor: CInt) -> Bool {
        let taken = (0..<count).lazy.map { _ in fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }.prefix { $0 >= 0 }
        let descriptors = Array(taken)
        for descriptor in descriptors { close(descriptor) }
        return descriptors.count == count
    }

    /// The socket's descriptor; `nil` if it is closed or not a socket, as in tests.
    private static func descriptor(of channel: any Channel) -> CInt? {
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) { $0 }
    }

    /// The user of the peer of a Unix socket; `nil` if the kernel does not name it.
    static func userOfUnixPeer(of descriptor: CInt) -> uid_t? {
        // `struct ucred`, which Glibc's module map does not export: process, user and group.
        var credentials: (Int32, uid_t, gid_t) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0,
            size == MemoryLayout.size(ofValue: credentials)
        else { return nil }
        return credentials.1
    }

    private func setReading(_ reading: Bool, on channel: any Channel) {
        // Fails only on a closed channel, which reads no more in any case.
        try? channel.syncOptions?.setOption(.autoRead, value: reading)
    }
}
