package import LocationModel
package import NIOCore
import Pacing

/// A source that a configuration names: what distinguishes it from others, and how it is made.
package struct SourceDefinition {
    /// Its setting in the configuration. A source whose definition is equal in a new configuration stays as it is.
    let identity: AnyHashable
    let make: (_ report: @escaping @Sendable (SourceReport) -> Void) -> any LocationSource

    /// A source that `make` returns, before any location is needed. It passes its reports to the function that `make` gets.
    package init(
        _ identity: some Hashable & Sendable,
        make: @escaping (_ report: @escaping @Sendable (SourceReport) -> Void) -> any LocationSource
    ) {
        (self.identity, self.make) = (AnyHashable(identity), make)
    }
}

/// All sources of the machine: makes locations of their reports, and selects what to publish: the receiver among those of all
/// of them (``ReceiverTracker``), and the kind of source (``SourceChoice``).
///
/// Confined to its event loop: every call has to be made there (checked), and the handler is called there.
///
/// `@unchecked Sendable` because of that.
package final class SourceGroup: @unchecked Sendable {
    /// A source with a number that no other source has or has had.
    private struct Member {
        let number: Int
        let identity: AnyHashable
        let source: any LocationSource
        /// The need that was set last.
        var demand = LocationDemand.off
    }

    private let eventLoop: any EventLoop
    private let handler: @Sendable (SourceEvent) -> Void
    private var members: [Member] = []
    private var lastNumber = -1
    private var tracker = ReceiverTracker()
    private var choice: SourceChoice
    private let timer: DeadlineTimer
    private var demand = LocationDemand.off
    /// The time until which receivers wait for a cheaper source, while coarse locations suffice.
    private var patience: NIODeadline?
    /// True while receivers are needed.
    private var needsReceivers = false
    private var isShutDown = false
    private var isAvailabilityWatched = false
    /// Called when ``availableKinds`` may have changed, while that is watched.
    package var onAvailabilityChange: (() -> Void)?
    /// Protects the daemon from a source that reports without end, or an impostor at gpsd's port, because each location goes
    /// to all subscribers. The fastest receivers report a few dozen times a second; the burst admits what a gpsd that was
    /// held up sends at once.
    static let eventLimit = RateLimit(rate: 100, burst: 200)
    /// Protects the sources from programs that ask for the kinds without end.
    private var refreshLimit = RateLimit(rate: 1, burst: 2)
    private var (locationLimit, headingLimit) = (eventLimit, eventLimit)
    /// The machine's own compass, for when no receiver has one.
    private var compass: (any HeadingSource)?
    /// True if headings are needed.
    package private(set) var isHeadingNeeded = false
    /// The time until which a heading of a receiver is fresh or awaited; `nil` while none is needed.
    private var compassWait: NIODeadline?
    /// The sources that have exceeded the limit since they connected, each with the last error that it had then.
    private var excessive: [Int: String?] = [:]

    /// A group without sources, whose locations are not needed yet.
    ///
    /// - Parameters:
    ///   - eventLoop: the loop that the group and its sources are confined to.
    ///   - wallClock: the time for the fixed position.
    ///   - compass: makes the machine's own compass, which passes its headings to the function that it gets.
    ///   - handler: receives every event, on `eventLoop`.
    package init(
        eventLoop: any EventLoop, wallClock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        compass: ((_ report: @escaping @Sendable (Heading) -> Void) -> any HeadingSource)? = nil,
        handler: @escaping @Sendable (SourceEvent) -> Void
    ) {
        self.eventLoop = eventLoop
        self.handler = handler
        choice = SourceChoice(wallClock: wallClock)
        timer = DeadlineTimer(eventLoop: eventLoop)
        timer.action = { [weak self] in self?.tick() }
        self.compass = compass?({ [weak self] in self?.report([.heading($0)], from: nil) })
    }

    /// Sets the sources, and the receivers to prefer while they work, by their sources' names. Sources that were there before
    /// stay as they are. Returns true if any was added or removed.
    @discardableResult
    package func configure(_ definitions: [SourceDefinition], preferredDevices: [String] = []) -> Bool {
        eventLoop.preconditionInEventLoop()
        guard !isShutDown else { return false }
        tracker.preferredDevices = preferredDevices
        var events: [SourceEvent] = []
        var (before, hasNew) = (members, false)
        members = definitions.map { definition in
            if let index = before.firstIndex(where: { $0.identity == definition.identity }) {
                return before.remove(at: index)
            }
            hasNew = true
            lastNumber += 1
            let number = lastNumber
            let source = definition.make { [weak self] in self?.receive($0, from: number) }
            return Member(number: number, identity: definition.identity, source: source)
        }
        for member in before {
            member.source.shutdown()
            excessive[member.number] = nil
            events += publish(tracker.remove(member.number, at: eventLoop.now))
            events += choice.withdraw(member.number, at: eventLoop.now)
        }
        if isAvailabilityWatched { for member in members { member.source.watchAvailability(true) } }
        report(events, from: nil)
        let hasChanged = hasNew || !before.isEmpty
        if hasChanged { onAvailabilityChange?() }
        return hasChanged
    }

    /// Sets the need for locations now. A fix from before a pause is never published after it.
    package func setDemand(_ demand: LocationDemand) {
        eventLoop.preconditionInEventLoop()
        guard demand != self.demand, !isShutDown else { return }
        if demand == .coarse, self.demand == .off, members.contains(where: { $0.source.kind == .wifi }) {
            patience = eventLoop.now + SourceChoice.hold
        }
        if demand != .coarse { patience = nil }
        self.demand = demand
        report(choice.setDemand(demand, at: eventLoop.now), from: nil)
    }

    /// Sets whether headings are needed. The compass gives them while locations are needed, too, and no receiver gives any.
    package func setHeadingNeeded(_ isNeeded: Bool) {
        eventLoop.preconditionInEventLoop()
        guard isNeeded != isHeadingNeeded, !isShutDown else { return }
        isHeadingNeeded = isNeeded
        report([], from: nil)
    }

    /// The reason for which the compass has no heading, as a sentence; `nil` while none is needed of it.
    package var compassProblem: String? { compass?.problem }

    /// Forgets the past, because location services were switched off or another user became active.
    package func forget() {
        eventLoop.preconditionInEventLoop()
        choice.forget()
        for member in members { member.source.forget() }
    }

    /// The kinds of the sources that could give locations, as far as is known.
    package var availableKinds: Set<Location.SourceInformation.Kind> {
        Set(members.lazy.filter { $0.source.isAvailable ?? true }.map(\.source.kind))
    }

    /// Starts or ends following ``availableKinds`` also while no locations are needed.
    package func watchAvailability(_ isWatched: Bool) {
        eventLoop.preconditionInEventLoop()
        isAvailabilityWatched = isWatched
        for member in members { member.source.watchAvailability(isWatched) }
    }

    /// Determines ``availableKinds`` again, where no event reports changes.
    package func refreshAvailability() {
        guard refreshLimit.allows(at: eventLoop.now) else { return }
        for member in members { member.source.refreshAvailability() }
    }

    private var present: [Member] { members.filter(\.source.isPresent) }

    /// The current status of each source, in the order of the configuration.
    package var statuses: [SourceStatus] {
        eventLoop.preconditionInEventLoop()
        return present.map { member in
            var status = member.source.status
            let (number, now) = (member.number, eventLoop.now)
            if member.source.kind.isReceiver {
                status.receivers += tracker.status(of: number, at: now)
                if let index = status.receivers.firstIndex(where: \.isCurrent) {
                    status.receivers[index].doubts += doubtsBecauseOfOthers(at: now)
                }
                let current = status.receivers.first { $0.isCurrent }
                status.isCurrent = current != nil && choice.published == .receivers
                (status.age, status.radius) = (current?.ageOfLastFix, current?.radius)
                let (dropped, late) = tracker.omissions(of: number)
                status.counters.droppedBackward += dropped
                status.counters.lateRefinements += late
            } else if let estimate = choice.estimate(of: number, at: now) {
                status.isCurrent = choice.published == .source(number)
                (status.age, status.radius) = estimate
            }
            // A later error of the source takes its place.
            if let before = excessive[number], before == status.lastError {
                status.lastError = "\(status.endpoint) reports more than \(Self.eventLimit.rate) locations a second"
            }
            return status
        }
    }

    /// The doubts about the selected receiver that sources without receivers give rise to.
    private func doubtsBecauseOfOthers(at now: NIODeadline) -> [SourceDoubt] {
        present.filter { !$0.source.kind.isReceiver }.compactMap {
            choice.doubt(because: $0.number, $0.source.status.endpoint, at: now)
        }
    }

    /// Shuts all sources down. Nothing is published afterwards.
    package func shutdown() {
        eventLoop.preconditionInEventLoop()
        isShutDown = true
        timer.set(nil)
        for member in members { member.source.shutdown() }
        compass?.shutdown()
    }

    // MARK: - Reports

    private func receive(_ report: SourceReport, from number: Int) {
        // Reports of one that was shut down are ignored.
        guard members.contains(where: { $0.number == number }) else { return }
        if case .availability = report {
            if isAvailabilityWatched { onAvailabilityChange?() }
            return
        }
        let now = eventLoop.now
        let events: [SourceEvent] =
            switch report {
            case .connected:
                connect(number, at: now)
            case .disconnected: publish(tracker.setConnected(false, number, at: now))
            case .receiver(let report, let clock):
                publish(tracker.receive(report, from: number, at: now, clock: clock))
            case .location(let location, let freshFor):
                choice.receive(location, from: number, freshFor: freshFor, at: now)
            case .noLocation: choice.withdraw(number, at: now)
            case .availability: []
            }
        self.report(events, from: number)
    }

    private func connect(_ number: Int, at now: NIODeadline) -> [SourceEvent] {
        excessive[number] = nil
        return publish(tracker.setConnected(true, number, at: now))
    }

    private func tick() {
        let now = eventLoop.now
        if let end = patience, end <= now { patience = nil }
        report(publish(tracker.tick(at: now)) + choice.tick(at: now), from: nil)
    }

    /// Lets the choice among kinds decide about the receivers' events.
    private func publish(_ events: [SourceEvent]) -> [SourceEvent] {
        guard !events.isEmpty else { return events }
        return events.flatMap { event in
            switch event {
            case .location(let location): choice.receive(location, at: eventLoop.now)
            case .unavailable(let reason): choice.lose(reason, at: eventLoop.now)
            case .heading: noteReceiverHeading(event)
            }
        }
    }

    /// The time at which the published location goes stale; `nil` if it never does, and without one.
    package var staleAt: NIODeadline? {
        choice.published == .receivers ? tracker.staleAt : choice.staleAt
    }

    private func noteReceiverHeading(_ event: SourceEvent) -> [SourceEvent] {
        compassWait = eventLoop.now + ReceiverTracker.headingHorizon
        return [event]
    }

    /// The event, with the reason of a machine that may have no receiver at all.
    private func explained(_ event: SourceEvent) -> SourceEvent {
        guard case .unavailable = event, !members.contains(where: { $0.source.kind.isReceiver }) else { return event }
        return .unavailable(present.isEmpty ? .noSource : .notLocated)
    }

    /// Reports events, sets the demand of each source, and sets the timer for the next deadline.
    private func report(_ events: [SourceEvent], from number: Int?) {
        for event in events where !isShutDown && isWithinLimit(event, from: number) {
            handler(explained(event))
            if case .location(let location) = event { compass?.setLocation(location) }
        }
        guard !isShutDown else { return timer.set(nil) }
        distributeDemand()
        updateCompass()
        let compassDeadline = compassWait.flatMap { $0 > eventLoop.now ? $0 : nil }
        timer.set([tracker.nextDeadline, choice.nextDeadline, patience, compassDeadline].compactMap(\.self).min())
    }

    /// False for events above the rate limit.
    private func isWithinLimit(_ event: SourceEvent, from number: Int?) -> Bool {
        switch event {
        case .location:
            if locationLimit.allows(at: eventLoop.now) { return true }
            if let number, let member = members.first(where: { $0.number == number }) {
                excessive.updateValue(member.source.status.lastError, forKey: number)
            }
            return false
        case .heading: return headingLimit.allows(at: eventLoop.now)
        case .unavailable: return true
        }
    }

    // MARK: - Demand

    /// Tells the compass the need for it.
    private func updateCompass() {
        guard isHeadingNeeded, demand > .off else {
            compassWait = nil
            compass?.setNeeded(false)
            // A place from before a pause may be another one.
            if demand == .off { compass?.setLocation(nil) }
            return
        }
        let waitsUntil = compassWait ?? eventLoop.now + ReceiverTracker.headingHorizon
        compassWait = waitsUntil
        compass?.setNeeded(waitsUntil <= eventLoop.now)
    }

    /// Tells each source the need for it.
    private func distributeDemand() {
        let now = eventLoop.now
        let isCheaperFresh = choice.published != .receivers && choice.hasFreshEstimate(at: now)
        let receivers = demand == .coarse && (isCheaperFresh || patience != nil) ? .off : demand
        if needsReceivers != (receivers > .off) {
            needsReceivers = receivers > .off
            if !needsReceivers { choice.endReceivers() }
            tracker.setNeeded(needsReceivers, at: now)
        }
        // A server need not know where the machine is while a receiver does, or may say so in a moment.
        let awaitsReceiver =
            needsReceivers && choice.receiverLoss == nil && demand > .coarse
            && members.contains { $0.source.kind.isReceiver }
        for index in members.indices {
            let own: LocationDemand =
                switch members[index].source.kind {
                case .receiver, .modem: receivers
                case .wifi: awaitsReceiver ? .off : demand
                case .fixed, .unknown: demand
                }
            guard own != members[index].demand else { continue }
            members[index].demand = own
            let source = members[index].source
            // May report at once, and so come here again.
            source.setDemand(own)
        }
    }
}
