import Glibc
public import LocationModel
public import Logging
public import NIOCore

/// Locations from a gpsd.
///
/// libgps understands what gpsd says (`GPSDUnpacker`), `ReceiverTracker` decides what of it is told, and the connection
/// comes and goes with the need (`GPSDConnection`). This class holds them together with a single timer.
public final class GPSDSource: LocationSource, @unchecked Sendable {
    // Sendable: everything is used on `eventLoop` only; the entries check it.

    private let endpoint: GPSDEndpoint
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let wallClock: @Sendable () -> Timestamp
    private let handler: @Sendable (SourceEvent) -> Void
    private let unpacker = GPSDUnpacker()
    private var tracker: ReceiverTracker
    private var timer: DeadlineTimer
    private var connection: GPSDConnection?

    private var gpsdVersion: String?
    private var lastError: String?
    private var connects = 0
    private var rejectedLines = 0
    private var hasComplained = false
    private var (locationGate, headingGate) = (FloodGate(), FloodGate())

    /// A source that is not needed yet.
    ///
    /// - Parameters:
    ///   - endpoint: where gpsd listens.
    ///   - device: the receiver to prefer while it works, as gpsd names it.
    ///   - eventLoop: where the source lives.
    ///   - logger: never told a coordinate.
    ///   - wallClock: gives a location of a receiver that does not know the time the time of its arrival.
    ///   - randomness: numbers from 0 to 1, to spread reconnections.
    ///   - handler: told every event, on `eventLoop`.
    public init(
        endpoint: GPSDEndpoint,
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

    /// Connects to gpsd and watches it, or stops watching. The connection stays open once it is made.
    public func setNeeded(_ needed: Bool) {
        eventLoop.preconditionInEventLoop()
        tracker.setNeeded(needed, at: eventLoop.now)
        connection?.setNeeded(needed)
        tell([])
    }

    /// What the source is doing at this moment.
    public var status: SourceStatus {
        eventLoop.preconditionInEventLoop()
        return SourceStatus(
            connection: connection?.status ?? .closed,
            endpoint: "\(endpoint)",
            gpsdVersion: gpsdVersion,
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
            hasComplained = false
            tell(tracker.setConnected(true, at: now))
        case .disconnected(let reason):
            lastError = reason
            tell(tracker.setConnected(false, at: now))
        case .line(let line):
            do {
                let arrival = wallClock()
                let report = try unpacker.report(line, arrival: arrival)
                note(report)
                tell(tracker.receive(report, at: now, clock: arrival))
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
            gpsdVersion = release.bounded
        case .error(let message):
            let complaint = "gpsd at \(endpoint) reports an error: \(message.bounded)"
            lastError = complaint
            // Once a connection: it may complain without end.
            if !hasComplained { logger.notice("\(complaint)") }
            hasComplained = true
        case .devices, .device, .position, .sky, .attitude, .other:
            break
        }
    }

    private func reject(because reason: GPSDLineError) {
        rejectedLines += 1
        lastError = "\(endpoint) sent a line that is not gpsd's protocol (\(reason))"
        // The line is not shown: it may hold a position.
        logger.debug("\(endpoint) sent a line that is not gpsd's protocol (\(reason)), the \(rejectedLines)th so far")
    }

    /// Whether an event is within the rate limits.
    private func isWithinRate(_ event: SourceEvent) -> Bool {
        switch event {
        case .location:
            if locationGate.passes(at: eventLoop.now) { return true }
            lastError = "\(endpoint) reports more than \(FloodGate.rate) locations a second"
            return false
        case .heading: return headingGate.passes(at: eventLoop.now)
        case .unavailable: return true
        }
    }

    /// Tells what there is to tell and waits for what comes next.
    private func tell(_ events: [SourceEvent]) {
        for event in events where connection != nil && isWithinRate(event) { handler(event) }
        timer.set(connection == nil ? nil : tracker.nextDeadline) { [weak self] in
            guard let self else { return }
            tell(tracker.tick(at: eventLoop.now))
        }
    }
}

extension String {
    /// As much of a text of gpsd's as is worth keeping.
    fileprivate var bounded: String { String(String.UnicodeScalarView(unicodeScalars.prefix(200))) }
}

extension Timestamp {
    /// The time of the system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(nanosecondsSince1970: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
