import LocationModel
import NIOCore

/// Turns the reports of all sources into events: selects the receiver, drops old reports and detects the loss of the fix.
///
/// A state machine without clock and timer: every input carries its time and returns the events to report;
/// `nextDeadline` is the time of the next `tick`.
///
/// **Selection.** Sources do not choose between receivers. A configured one is selected while it is fresh. Otherwise
/// the current one remains as long as it is fresh, unless another has had less than half its horizontal accuracy (an
/// unknown one is infinite) for ten epochs in a row. A new selection prefers 3D to 2D, then the smaller horizontal
/// accuracy, then the name. The other receivers are tracked, for `status` and for the next selection, but not reported.
///
/// **Changing receivers** must not make an older position look newer: a location of the new receiver that is not later
/// than the last reported one of the old receiver is dropped, until that would have gone stale. Then a new time line
/// begins, for example of a receiver whose clock is wrong by a rollover.
///
/// **No location** has one rule, whatever the cause (lost sky, unplugged, silent, source gone): no receiver is fresh. It
/// is reported once, when the last one goes stale, or when nothing came for that long by the assumed pace since
/// locations were needed; sooner if no source could be reached, because then there is nothing to wait for. When a source
/// is reached after the report, the reason is reported again if it has changed by then.
struct ReceiverTracker {
    /// The largest number of tracked receivers; a gpsd reads a handful of devices. Beyond it, the one not heard from for
    /// the longest time is dropped.
    static let maximumReceivers = 16
    /// The number of epochs for which another receiver must be ahead to replace a fresh one.
    static let epochsAheadToTakeOver = 10
    /// The time after which it is reported that no source could be reached.
    static let connectionHorizon = TimeAmount.milliseconds(1500)
    /// The time that gpsd may take to open a receiver: 6 to 7 s were seen.
    static let startHorizon = TimeAmount.seconds(15)
    /// The time for which a heading suppresses those of other compasses.
    static let headingHorizon = TimeAmount.milliseconds(3500)

    /// The last reported location.
    private struct Publication {
        var receiver: ReceiverID
        /// The receiver's time; `nil` if the location had the time of arrival.
        var time: Timestamp?
        var freshUntil: NIODeadline
    }

    /// The receivers to prefer while they work, the best first.
    var preferredDevices: [String] = []
    private var receivers: [Receiver] = []
    /// The index into `receivers` of the selected one.
    private var current: Int?
    /// The connected sources.
    private var connected: Set<Int> = []
    /// The time at which locations were first needed; `nil` while they are not.
    private var neededSince: NIODeadline?
    private var published: Publication?
    /// The reason that was reported for having no location; `nil` while there is one, and before the first report.
    private var reportedReason: UnavailableReason?
    /// The time of the next report of no location, after a source was reached; `nil` if that has not happened since the last.
    private var reviewAt: NIODeadline?
    private var heading: (receiver: ReceiverID, freshUntil: NIODeadline)?
    /// Counts of each source besides those of `receivers`: reports dropped at a change of receivers, and the counts of
    /// receivers no longer tracked.
    private var others: [Int: (dropped: Int, late: Int)] = [:]

    init(preferredDevices: [String] = []) { self.preferredDevices = preferredDevices }

    // MARK: - Inputs

    /// Sets whether locations are needed. Nothing from before a pause is fresh after it.
    mutating func setNeeded(_ needed: Bool, at now: NIODeadline) {
        guard needed != (neededSince != nil) else { return }
        neededSince = needed ? now : nil
        reportedReason = nil
        reviewAt = nil
        published?.freshUntil = now
        current = nil
        heading = nil
        for index in receivers.indices { receivers[index].pause() }
    }

    /// Processes the start or end of the connection of a source. Receivers' times may start over; fresh fixes stay fresh
    /// for their time.
    mutating func setConnected(_ isConnected: Bool, _ source: Int, at now: NIODeadline) -> [SourceEvent] {
        if isConnected { connected.insert(source) } else { connected.remove(source) }
        if isConnected, reportedReason != nil { reviewAt = now + EpochPace().horizon }
        for index in receivers.indices where receivers[index].id.source == source { receivers[index].isListed = false }
        return receivers.indices.filter { receivers[$0].id.source == source }.flatMap {
            publish(receivers[$0].startNewTimeLine(), of: $0, at: now)
        }
    }

    /// Forgets a source that was shut down, and its receivers.
    mutating func remove(_ source: Int, at now: NIODeadline) -> [SourceEvent] {
        connected.remove(source)
        let selected = current.map { receivers[$0].id }
        receivers.removeAll { $0.id.source == source }
        current = receivers.firstIndex { $0.id == selected }
        return checkAvailability(at: now)
    }

    /// Processes a report that arrived when this machine's clock showed `clock`, which is compared with the receiver's.
    mutating func receive(
        _ report: ReceiverReport, from source: Int, at now: NIODeadline, clock: Timestamp? = nil
    ) -> [SourceEvent] {
        switch report {
        case .receivers(let described):
            let listed = described.flatMap { receive($0, from: source, at: now) }
            let gone = receivers.indices.filter { index in
                receivers[index].id.source == source && !described.contains { $0.device == receivers[index].id.device }
            }
            for index in gone { receivers[index].isListed = false }
            return listed + gone.flatMap { publish(receivers[$0].setActivated(false), of: $0, at: now) }
        case .receiver(let description):
            return receive(description, from: source, at: now)
        case .position(let position):
            guard let index = index(of: .init(source: source, device: position.device), at: now) else { return [] }
            return publish(receivers[index].receive(position, at: now, clock: clock), of: index, at: now)
                + checkAvailability(at: now)
        case .sky(let sky):
            if sky.satellitesSeen != nil, let index = index(of: .init(source: source, device: sky.device), at: now) {
                receivers[index].satellites = sky
            }
            return []
        case .heading(let heading):
            return publish(heading, from: source, at: now)
        }
    }

    /// Processes the passing of time.
    mutating func tick(at now: NIODeadline) -> [SourceEvent] {
        receivers.indices.flatMap { publish(receivers[$0].settle(at: now), of: $0, at: now) }
            + checkAvailability(at: now)
    }

    /// The time of the next `tick`; `nil` without one.
    var nextDeadline: NIODeadline? {
        guard neededSince != nil else { return nil }
        return (receivers.map(\.assembler.settlesAt) + [unavailableAt]).compactMap(\.self).min()
    }

    // MARK: - Status

    /// The numbers of reports of a source that were not published: those with a time before the previous one, within a
    /// receiver's time line or at a change of receivers, and those about epochs that had been published.
    func omissions(of source: Int) -> (dropped: Int, late: Int) {
        receivers.filter { $0.id.source == source }.map(\.assembler).reduce(others[source] ?? (0, 0)) {
            ($0.dropped + $1.droppedBackward, $0.late + $1.lateRefinements)
        }
    }

    /// The receivers of a source.
    func status(of source: Int, at now: NIODeadline) -> [ReceiverStatus] {
        receivers.enumerated().filter { $0.element.id.source == source && !$0.element.isRemoved }.map {
            index, receiver in
            var status = receiver.status(
                at: now,
                isPreferred: isPreferred(receiver),
                isCurrent: index == current && receiver.isFresh(at: now))
            status.doubts += disagreements(of: index, at: now)
            return status
        }
    }

    /// The disagreements between a receiver and the selected one, or the others if it is that.
    private func disagreements(of index: Int, at now: NIODeadline) -> [SourceDoubt] {
        guard let current, receivers[index].isFresh(at: now), receivers[current].isFresh(at: now) else { return [] }
        let others = index == current ? receivers.indices.filter { $0 != current } : [current]
        return others.compactMap { other in
            let compared = index == current ? other : index
            guard receivers[compared].isFresh(at: now) else { return nil }
            return receivers[compared].disagreement.doubt(
                naming: receivers[other].id.device ?? "another receiver", at: now)
        }
    }

    // MARK: - Receivers

    private func isPreferred(_ receiver: Receiver) -> Bool {
        receiver.id.device.map(preferredDevices.contains) ?? false
    }

    private mutating func index(of id: ReceiverID, at now: NIODeadline) -> Int? {
        if let index = receivers.firstIndex(where: { $0.id == id }) { return index }
        guard receivers.count >= Self.maximumReceivers else {
            receivers.append(Receiver(id))
            return receivers.count - 1
        }
        let silent = receivers.indices.filter { $0 != current && !receivers[$0].isFresh(at: now) }
        func lastHeard(_ index: Int) -> UInt64 {
            receivers[index].assembler.pace.lastEpoch?.uptimeNanoseconds ?? 0
        }
        guard let index = silent.min(by: { lastHeard($0) < lastHeard($1) }) else { return nil }
        let forgotten = receivers[index]
        others[forgotten.id.source, default: (0, 0)].dropped += forgotten.assembler.droppedBackward
        others[forgotten.id.source, default: (0, 0)].late += forgotten.assembler.lateRefinements
        receivers[index] = Receiver(id)
        return index
    }

    private mutating func receive(
        _ description: ReceiverDescription, from source: Int, at now: NIODeadline
    ) -> [SourceEvent] {
        guard let index = index(of: .init(source: source, device: description.device), at: now) else { return [] }
        receivers[index].driver = description.driver ?? receivers[index].driver
        receivers[index].isListed = true
        return publish(receivers[index].setActivated(description.isActivated), of: index, at: now)
    }

    private mutating func selectReceiver(at now: NIODeadline) {
        let fresh = receivers.indices.filter { receivers[$0].isFresh(at: now) }
        let selected =
            preferred(among: fresh)
            ?? fresh.first { receivers[$0].epochsAhead >= Self.epochsAheadToTakeOver }
            ?? fresh.first { $0 == current }
            ?? fresh.max { receivers[$1].isBetter(than: receivers[$0]) }
        guard selected != current else { return }
        current = selected
        for index in receivers.indices {
            (receivers[index].epochsAhead, receivers[index].disagreement) = (0, Disagreement())
        }
    }

    private func preferred(among indices: [Int]) -> Int? {
        for device in preferredDevices {
            if let index = indices.first(where: { receivers[$0].id.device == device }) { return index }
        }
        return nil
    }

    private mutating func compareWithCurrent(_ index: Int, at now: NIODeadline) {
        guard let current, index != current else { return }
        if let one = receivers[index].lastFix?.location, let other = receivers[current].lastFix?.location,
            receivers[current].isFresh(at: now)
        {
            // A receiver whose clock is wrong by years would be forgiven any distance.
            let apart = min(abs(one.timestamp.duration(since: other.timestamp) / .seconds(1)), 5)
            receivers[index].disagreement.compare(one, other, apart: .nanoseconds(Int64(apart * 1e9)), at: now)
        }
        let isAhead = receivers[index].isTwiceAsAccurate(as: receivers[current])
        receivers[index].epochsAhead = isAhead ? receivers[index].epochsAhead + 1 : 0
    }

    // MARK: - Publishing

    private mutating func publish(_ fixes: [Fix], of index: Int, at now: NIODeadline) -> [SourceEvent] {
        guard neededSince != nil else { return [] }
        return fixes.compactMap { fix in
            compareWithCurrent(index, at: now)
            selectReceiver(at: now)
            return index == current ? publish(fix, of: receivers[index].id, at: now) : nil
        }
    }

    /// Returns the event for a fix of the current receiver, if it is new.
    private mutating func publish(_ fix: Fix, of receiver: ReceiverID, at now: NIODeadline) -> SourceEvent? {
        let location = fix.location
        if let published, let publishedTime = published.time, published.receiver != receiver, fix.hasReceiverTime,
            location.timestamp <= publishedTime, now < published.freshUntil
        {
            others[receiver.source, default: (0, 0)].dropped += 1
            return nil
        }
        let freshUntil = current.flatMap { receivers[$0].assembler.pace.staleAt } ?? now
        published = Publication(
            receiver: receiver, time: fix.hasReceiverTime ? location.timestamp : nil, freshUntil: freshUntil)
        reportedReason = nil
        reviewAt = nil
        return .location(location)
    }

    /// Returns the event for a heading, unless another device is still giving headings. The selected receiver precedes
    /// a separate compass.
    private mutating func publish(_ new: Heading, from source: Int, at now: NIODeadline) -> [SourceEvent] {
        guard neededSince != nil else { return [] }
        let receiver = ReceiverID(source: source, device: new.sourceInformation?.device)
        let isOfCurrent = current.map { receivers[$0].id == receiver } ?? false
        if let heading, heading.receiver != receiver, now < heading.freshUntil, !isOfCurrent { return [] }
        heading = (receiver, now + Self.headingHorizon)
        return [.heading(new)]
    }

    /// The time at which the last receiver's fix goes stale; `nil` without a fix.
    var staleAt: NIODeadline? { receivers.compactMap(\.assembler.pace.staleAt).max() }

    /// The time at which the lack of a location is to be reported; `nil` after that.
    private var unavailableAt: NIODeadline? {
        guard let neededSince, reportedReason == nil || reviewAt != nil else { return nil }
        let patience = connected.isEmpty ? Self.connectionHorizon : EpochPace().horizon
        let staleAt = staleAt ?? neededSince + patience
        return reviewAt.map { max($0, staleAt) } ?? staleAt
    }

    /// True while no receiver has reported since locations were needed, and none need have.
    private func isStarting(at now: NIODeadline) -> Bool {
        guard let neededSince, now < neededSince + Self.startHorizon else { return false }
        return !receivers.contains { $0.lastReport.map { $0 >= neededSince } ?? false }
    }

    private mutating func checkAvailability(at now: NIODeadline) -> [SourceEvent] {
        guard let unavailableAt, unavailableAt <= now else { return [] }
        reviewAt = nil
        let reason: UnavailableReason =
            if connected.isEmpty {
                .notConnected
            } else if receivers.contains(where: { $0.isWithoutFix(at: now) }) {
                .noFix
            } else if receivers.contains(where: \.isActivated) {
                isStarting(at: now) ? .starting : .silent
            } else if isStarting(at: now), receivers.contains(where: \.isListed) {
                // gpsd lists a receiver before it has opened it.
                .starting
            } else {
                .noReceiver
            }
        defer { reportedReason = reason }
        if reason == .starting { reviewAt = neededSince.map { $0 + Self.startHorizon } }
        return reason == reportedReason ? [] : [.unavailable(reason)]
    }
}
