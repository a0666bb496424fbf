import Pacing
import LocationModel
package import NIOCore

/// All sources of the machine: makes locations of their reports, and selects the receiver to publish among those of all
/// of them.
///
/// Confined to its event loop: every call has to be made there (checked), and the handler is called there.
///
/// `@unchecked Sendable` because of that.
package final class SourceGroup: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let handler: @Sendable (SourceEvent) -> Void
    private var sources: [any LocationSource] = []
    private var tracker: ReceiverTracker
    private let timer: DeadlineTimer
    private var demand = LocationDemand.off
    private var isShutDown = false
    /// Protects the daemon from a source that reports without end, or an impostor at gpsd's port, because each location goes
    /// to all subscribers. The fastest receivers report a few dozen times a second; the burst admits what a gpsd that was
    /// held up sends at once.
    static let eventLimit = RateLimit(rate: 100, burst: 200)
    private var (locationLimit, headingLimit) = (eventLimit, eventLimit)
    /// The sources that have exceeded the limit since they connected, each with the last error that it had then.
    private var excessive: [Int: String?] = [:]

    /// A group without sources, whose locations are not needed yet.
    ///
    /// - Parameters:
    ///   - preferredDevice: the receiver to prefer while it works, by its source's name.
    ///   - eventLoop: the loop that the group and its sources are confined to.
    ///   - handler: receives every event, on `eventLoop`.
    package init(
        preferredDevice: String? = nil, eventLoop: any EventLoop, handler: @escaping @Sendable (SourceEvent) -> Void
    ) {
        self.eventLoop = eventLoop
        self.handler = handler
        tracker = ReceiverTracker(preferredDevice: preferredDevice)
        timer = DeadlineTimer(eventLoop: eventLoop)
        timer.action = { [weak self] in
            guard let self else { return }
            publish(tracker.tick(at: self.eventLoop.now), from: nil)
        }
    }

    /// Adds the source that `make` returns, before any location is needed. It passes its reports to the function that `make`
    /// gets.
    package func add<Source: LocationSource>(_ make: (@escaping @Sendable (SourceReport) -> Void) -> Source) {
        let index = sources.count
        sources.append(make { [weak self] in self?.receive($0, from: index) })
    }

    /// Sets the need for locations now. A fix from before a pause is never published after it.
    package func setDemand(_ demand: LocationDemand) {
        eventLoop.preconditionInEventLoop()
        guard demand != self.demand, !isShutDown else { return }
        self.demand = demand
        tracker.setNeeded(demand > .off, at: eventLoop.now)
        for source in sources { source.setDemand(demand) }
        publish([], from: nil)
    }

    /// The current status of each source.
    package var statuses: [SourceStatus] {
        eventLoop.preconditionInEventLoop()
        return sources.enumerated().map { index, source in
            var status = source.status
            status.receivers += tracker.status(of: index, at: eventLoop.now)
            let (dropped, late) = tracker.omissions(of: index)
            status.counters.droppedBackward += dropped
            status.counters.lateRefinements += late
            // A later error of the source takes its place.
            if let before = excessive[index], before == status.lastError {
                status.lastError = "\(status.endpoint) reports more than \(Self.eventLimit.rate) locations a second"
            }
            return status
        }
    }

    /// Shuts all sources down. Nothing is published afterwards.
    package func shutdown() {
        eventLoop.preconditionInEventLoop()
        isShutDown = true
        timer.set(nil)
        for source in sources { source.shutdown() }
    }

    private func receive(_ report: SourceReport, from source: Int) {
        let now = eventLoop.now
        switch report {
        case .connected:
            excessive[source] = nil
            publish(tracker.setConnected(true, source, at: now), from: source)
        case .disconnected: publish(tracker.setConnected(false, source, at: now), from: source)
        case .receiver(let report, let clock):
            publish(tracker.receive(report, from: source, at: now, clock: clock), from: source)
        }
    }

    /// Publishes events and sets the timer for the next deadline.
    private func publish(_ events: [SourceEvent], from source: Int?) {
        for event in events where !isShutDown && isWithinLimit(event, from: source) { handler(event) }
        timer.set(isShutDown ? nil : tracker.nextDeadline)
    }

    /// False for events above the rate limit.
    private func isWithinLimit(_ event: SourceEvent, from source: Int?) -> Bool {
        switch event {
        case .location:
            if locationLimit.allows(at: eventLoop.now) { return true }
            if let source { excessive.updateValue(sources[source].status.lastError, forKey: source) }
            return false
        case .heading: return headingLimit.allows(at: eventLoop.now)
        case .unavailable: return true
        }
    }
}
