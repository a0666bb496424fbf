import GPSDProtocol
import Glibc
import Logging
import NIOCore
import NIOPosix
import Pacing

/// The connection to gpsd: established when needed, re-established when lost, and silent while not needed.
///
/// It handles lines and the WATCH command, but not the content of lines.
final class GPSDConnection: @unchecked Sendable {
    // Sendable: everything is used on `eventLoop` only; the entries check it.

    /// The reports that are wanted of gpsd, in ascending order.
    enum Interest: Int {
        case nothing
        /// To know whether it has receivers.
        case receivers
        /// The reports of its receivers.
        case reports
    }

    enum Event {
        case connected
        case disconnected(reason: String)
        case line(ByteBuffer)
        /// A line of more than `GPSDLine.maximumLength` bytes was dropped.
        case lineTooLong
    }

    private enum State {
        /// Not needed since it was last lost, or never needed.
        case idle
        case connecting
        case connected(any Channel)
        case retrying(LoopTimer)
        case closed
    }

    /// The timeout for establishing a connection.
    static let connectTimeout = TimeAmount.seconds(3)
    /// The timeout for gpsd's banner: gpsd can be busy with a device for three seconds.
    static let bannerTimeout = TimeAmount.seconds(10)

    private let endpoint: GPSDAddress
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let randomness: @Sendable () -> Double
    private let handler: (Event) -> Void
    private var state = State.idle
    private var interest = Interest.nothing
    private var isNeeded: Bool { interest != .nothing }
    /// True if gpsd sends reports, or would if it had receivers.
    private var isWatching = false
    private var schedule: ReconnectSchedule
    /// Runs until gpsd has sent its banner.
    private var bannerTimer: LoopTimer?
    /// The rejected lines of this connection, less the accepted ones; never negative.
    private var garbage = 0
    /// The most rejected lines in excess of accepted ones before the connection is closed. Reading garbage costs as much as
    /// reading reports, and a server that is not gpsd may send it without end.
    static let mostGarbage = 100
    /// The pause after such a connection, so that reading garbage takes no noticeable part of a processor.
    static let garbagePause = TimeAmount.seconds(2)
    /// The pause between two attempts while nobody needs locations, after the first minute: somebody may ask whether there
    /// could be any, and then it is tried at once.
    static let calmPause = TimeAmount.minutes(10)

    init(
        endpoint: GPSDAddress, eventLoop: any EventLoop, logger: Logger,
        randomness: @escaping @Sendable () -> Double, handler: @escaping (Event) -> Void
    ) {
        self.endpoint = endpoint
        self.eventLoop = eventLoop
        self.logger = logger
        self.randomness = randomness
        self.handler = handler
        schedule = ReconnectSchedule(isLocal: endpoint.isLocal)
    }

    var status: SourceStatus.Connection {
        switch state {
        case .idle: .idle
        case .connecting: .connecting
        case .connected: .connected
        case .retrying: .retrying
        case .closed: .closed
        }
    }

    func setInterest(_ interest: Interest) {
        eventLoop.preconditionInEventLoop()
        guard interest != self.interest else { return }
        let isMore = interest.rawValue > self.interest.rawValue
        self.interest = interest
        switch state {
        case .idle where isNeeded:
            schedule.reset()
            connect()
        case .retrying(let retry) where !isNeeded:
            retry.cancel()
            state = .idle
        case .retrying where isMore:
            hurry()
        case .connected(let channel):
            request(on: channel)
            if !isNeeded { stopBannerTimer() }
        case .idle, .retrying, .connecting, .closed:
            break
        }
    }

    /// Asks gpsd for its receivers again, and tries at once to reach one that was not there.
    func refresh() {
        guard interest == .receivers else { return }
        switch state {
        case .retrying: hurry()
        case .connected(let channel) where !isWatching: request(on: channel)
        case .idle, .connecting, .connected, .closed: break
        }
    }

    /// Has a gpsd without receivers report the first one, while only that is wanted. Watching one that has receivers would
    /// switch them on.
    func awaitReceiver(_ isAwaited: Bool) {
        guard interest == .receivers, isAwaited != isWatching, case .connected(let channel) = state else { return }
        isWatching = isAwaited
        send(isAwaited ? GPSDCommand.watch : GPSDCommand.unwatch, on: channel)
    }

    private func hurry() {
        guard case .retrying(let retry) = state else { return }
        retry.cancel()
        connect()
    }

    func shutdown() {
        eventLoop.preconditionInEventLoop()
        let last = state
        state = .closed
        stopBannerTimer()
        switch last {
        case .connected(let channel): channel.close(promise: nil)
        case .retrying(let retry): retry.cancel()
        case .idle, .connecting, .closed: break
        }
    }

    // MARK: - Connecting

    private func connect() {
        state = .connecting
        // NIO's sockets are close-on-exec and, for TCP, have TCP_NODELAY set.
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(Self.connectTimeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(GPSDLineHandler(connection: self))
                }
            }
        let channel =
            switch endpoint {
            case .unix(let path):
                bootstrap.connect(unixDomainSocketPath: path)
            case .tcp(let host, let port):
                // Let the kernel detect within a minute that the other machine is gone, without a timer here.
                bootstrap
                    .channelOption(.socketOption(.so_keepalive), value: 1)
                    .channelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 30)
                    .channelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 10)
                    .channelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 3)
                    .connect(host: host, port: port)
            }
        channel.whenComplete { self.connectCompleted($0) }
    }

    private func connectCompleted(_ result: Result<any Channel, any Error>) {
        guard case .connecting = state else {
            // Shut down meanwhile.
            if case .success(let channel) = result { channel.close(promise: nil) }
            return
        }
        switch result {
        case .success(let channel) where channel.isActive:
            state = .connected(channel)
            (garbage, isWatching) = (0, false)
            logger.info("Connected to gpsd at \(endpoint).")
            handler(.connected)
            guard isNeeded else { return }
            request(on: channel)
            bannerTimer = eventLoop.makeTimer(in: Self.bannerTimeout) { [logger, endpoint] in
                logger.warning("gpsd at \(endpoint) says nothing; connecting again.")
                channel.close(promise: nil)
            }
        case .success:
            lost(reason: "gpsd at \(endpoint) closed the connection at once.")
        case .failure(let error):
            lost(reason: GPSDFailure.sentence(error, endpoint))
        }
    }

    /// Requests the needed reports. A gpsd without watchers can let its receivers sleep.
    private func request(on channel: any Channel) {
        if interest == .reports {
            send(GPSDCommand.watch, on: channel)
        } else if isWatching {
            send(GPSDCommand.unwatch, on: channel)
        }
        isWatching = interest == .reports
        if interest == .receivers { send(GPSDCommand.devices, on: channel) }
    }

    private func send(_ command: String, on channel: any Channel) {
        channel.writeAndFlush(channel.allocator.buffer(string: command + "\n"), promise: nil)
    }

    private func lost(reason: String, pause: TimeAmount = .zero) {
        stopBannerTimer()
        state = .idle
        handler(.disconnected(reason: reason))
        // The handler may have changed the need.
        guard isNeeded, case .idle = state else { return }
        // Log once per outage, not per attempt.
        if !schedule.isRunning, interest == .reports { logger.notice("\(reason) Trying again until it answers.") }
        let isCalm = interest == .receivers && schedule.hasLastedLong(at: eventLoop.now)
        let delay = max(
            pause, isCalm ? Self.calmPause : schedule.delay(at: eventLoop.now, random: randomness()))
        state = .retrying(eventLoop.makeTimer(in: delay) { self.connect() })
    }

    private func stopBannerTimer() {
        bannerTimer?.cancel()
        bannerTimer = nil
    }

    // MARK: - From the channel

    fileprivate func received(_ message: GPSDLineDecoder.InboundOut, on channel: any Channel) {
        // What a closed connection has still brought does not count.
        guard case .connected(let current) = state, current === channel else { return }
        switch message {
        case .line(let line): handler(.line(line))
        case .tooLong: handler(.lineTooLong)
        }
    }

    /// Notes that the handler has understood a line: this is gpsd.
    func accepted() {
        garbage = max(0, garbage - 1)
        guard bannerTimer != nil else { return }
        stopBannerTimer()
        schedule.reset()
    }

    /// Notes that the handler has rejected a line, and closes a connection that brings hardly anything else.
    func rejected() {
        garbage += 1
        guard garbage > Self.mostGarbage, case .connected(let channel) = state else { return }
        lost(reason: "\(endpoint) sends lines that are not gpsd's protocol. Is gpsd there?", pause: Self.garbagePause)
        channel.close(promise: nil)
    }

    fileprivate func channelClosed(_ channel: any Channel, because error: (any Error)?) {
        guard case .connected(let current) = state, current === channel else { return }
        let cause = (error as? IOError).map { ": \(String(cString: strerror($0.errnoCode)))" } ?? ""
        lost(reason: "gpsd at \(endpoint) closed the connection\(cause).")
    }
}

/// Passes lines and the end of the channel to the connection.
private final class GPSDLineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: GPSDConnection
    private let lines = NIOSingleStepByteToMessageProcessor(GPSDLineDecoder())
    private var error: (any Error)?

    init(connection: GPSDConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = context.channel
        do {
            try lines.process(buffer: unwrapInboundIn(data)) { connection.received($0, on: channel) }
        } catch {
            errorCaught(context: context, error: error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.error = error
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.channelClosed(context.channel, because: error)
    }
}
