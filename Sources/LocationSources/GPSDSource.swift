public import GPSDProtocol
import Pacing
import Glibc
public import LocationModel
public import Logging
public import NIOCore

/// A source of locations from gpsd.
///
/// `GPSDUnpacker` interprets gpsd's lines with libgps, `ReceiverTracker` selects what to report, and `GPSDConnection`
/// connects while locations are needed. This class combines them with a single timer.
public final class GPSDSource: LocationSource, @unchecked Sendable {
    // Sendable: everything is used on `eventLoop` only; the entries check it.

    private let endpoint: GPSDAddress
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let wallClock: @Sendable () -> Timestamp
    private let handler: @Sendable (SourceEvent) -> Void
    private let unpacker = GPSDUnpacker()
    private var tracker: ReceiverTracker
    private var timer: DeadlineTimer
    private var connection: GPSDConnection?
    private var isNeeded = false

    private var version: String?
    private var lastError: String?
    private var connects = 0
    private var rejectedLines = 0
    private var hasLoggedComplaint = false
    /// Protects the daemon from a gpsd that reports without end, or an impostor at its port, because each location goes to
    /// all subscribers. The fastest receivers report a few dozen times a second; the burst admits what a gpsd that was
    /// held up sends at once.
    static let eventLimit = RateLimit(rate: 100, burst: 200)
    private var (locationLimit, headingLimit) = (eventLimit, eventLimit)

    /// A source whose locations are not needed yet.
    ///
    /// - Parameters:
    ///   - endpoint: gpsd's address.
    ///   - device: the receiver to prefer while it works, by gpsd's name.
    ///   - eventLoop: the loop that the source is confined to.
    ///   - logger: never receives coordinates.
    ///   - wallClock: gives the time of arrival, for receivers that do not know the time.
    ///   - randomness: numbers from 0 to 1, to spread reconnections.
    ///   - handler: receives every event, on `eventLoop`.
    public init(
        endpoint: GPSDAddress,
        device: String? = nil,
        eventLoop: any EventLoop,
        logger: Logger,
        wallClock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        randomness: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        handler: @escaping @Sendable (SourceEvent) -> Void
    ) {
        self.endpoint = endpoint
        self.eventLoop = eventLoop
        self.logger = logger
        self.wallClock = wallClock
        self.handler = handler
        tracker = ReceiverTracker(preferredDevice: device)
        timer = DeadlineTimer(eventLoop: eventLoop)
        connection = GPSDConnection(
            endpoint: endpoint, eventLoop: eventLoop, logger: logger, randomness: randomness,
            handler: { [weak self] in self?.receive($0) })
    }

    /// Connects to gpsd and watches it, or stops watching. An established connection stays open.
    public func setDemand(_ demand: LocationDemand) {
        eventLoop.preconditionInEventLoop()
        // gpsd reports all that its receivers send, whatever is needed of it.
        let needed = demand > .off
        guard needed != isNeeded else { return }
        isNeeded = needed
        tracker.setNeeded(needed, at: eventLoop.now)
        connection?.setNeeded(needed)
        publish([])
    }

    /// The current status of the source.
    public var status: SourceStatus {
        eventLoop.preconditionInEventLoop()
        return SourceStatus(
            connection: connection?.status ?? .closed,
            endpoint: "\(endpoint)",
            version: version,
            lastError: lastError,
            receivers: tracker.status(at: eventLoop.now),
            counters: .init(
                droppedBackward: tracker.droppedBackward,
                lateRefinements: tracker.lateRefinements,
                rejectedLines: rejectedLines,
                reconnects: max(0, connects - 1)))
    }

    /// Closes the connection for good.
    public func shutdown() {
        eventLoop.preconditionInEventLoop()
        timer.cancel()
        connection?.shutdown()
        connection = nil
    }

    private func receive(_ event: GPSDConnection.Event) {
        let now = eventLoop.now
        switch event {
        case .connected:
            connects += 1
            hasLoggedComplaint = false
            lastError = nil
            publish(tracker.setConnected(true, at: now))
        case .disconnected(let reason):
            lastError = reason
            publish(tracker.setConnected(false, at: now))
        case .line(let line):
            do {
                let arrival = wallClock()
                let report = try unpacker.report(line, arrival: arrival)
                connection?.accepted()
                note(report)
                publish(tracker.receive(report, at: now, clock: arrival))
            } catch {
                reject(because: error)
            }
        case .lineTooLong:
            reject(because: .tooLong)
        }
    }

    private func note(_ report: GPSDReport) {
        switch report {
        case .version(let release):
            version = release.bounded
        case .error(let message):
            let complaint = "gpsd at \(endpoint) reports an error: \(message.bounded)"
            lastError = complaint
            // Log once a connection, because gpsd may complain without end.
            if !hasLoggedComplaint { logger.notice("\(complaint)") }
            hasLoggedComplaint = true
        case .devices, .device, .position, .sky, .attitude, .other:
            break
        }
    }

    private func reject(because reason: GPSDLineError) {
        rejectedLines += 1
        lastError = "\(endpoint) sent a line that is not gpsd's protocol (\(reason))"
        // Do not log the line: it may contain a position.
        logger.debug("\(endpoint) sent a line that is not gpsd's protocol (\(reason)), the \(rejectedLines)th so far")
        connection?.rejected()
    }

    /// False for events above the rate limit.
    private func isWithinRateLimit(_ event: SourceEvent) -> Bool {
        switch event {
        case .location:
            if locationLimit.allows(at: eventLoop.now) { return true }
            lastError = "\(endpoint) reports more than \(Self.eventLimit.rate) locations a second"
            return false
        case .heading: return headingLimit.allows(at: eventLoop.now)
        case .unavailable: return true
        }
    }

    /// Reports events and sets the timer for the next deadline.
    private func publish(_ events: [SourceEvent]) {
        for event in events where connection != nil && isWithinRateLimit(event) { handler(event) }
        timer.set(connection == nil ? nil : tracker.nextDeadline) { [weak self] in
            guard let self else { return }
            publish(tracker.tick(at: eventLoop.now))
        }
    }
}

extension String {
    /// The first part of a text from gpsd, at most 200 characters.
    fileprivate var bounded: String { String(String.UnicodeScalarView(unicodeScalars.prefix(200))) }
}

extension Timestamp {
    /// The time of the system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(secondsSince1970: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
