import GPSDProtocol
import LocationModel
import NIOCore

/// Turns gpsd's reports into events: selects the receiver, drops old reports and detects the loss of the fix.
///
/// A state machine without clock and timer: every input carries its time and returns the events to report;
/// `nextDeadline` is the time of the next `tick`.
///
/// **Selection.** gpsd does not choose between receivers. The configured one is selected while it is fresh. Otherwise
/// the current one remains as long as it is fresh, unless another has had less than half its horizontal accuracy (an
/// unknown one is infinite) for ten epochs in a row. A new selection prefers 3D to 2D, then the smaller horizontal
/// accuracy, then the name. The other receivers are tracked, for `status` and for the next selection, but not reported.
///
/// **Changing receivers** must not make an older position look newer: a location of the new receiver that is not later
/// than the last reported one of the old receiver is dropped, until that would have gone stale. Then a new time line
/// begins, for example of a receiver whose clock is wrong by a rollover.
///
/// **No location** has one rule, whatever the cause (lost sky, unplugged, silent, gpsd gone): no receiver is fresh. It
/// is reported once, when the last one goes stale, or when nothing came for that long by the assumed pace since
/// locations were needed.
struct ReceiverTracker {
    /// The largest number of tracked receivers; gpsd reads a handful of devices. Beyond it, the one not heard from for
    /// the longest time is dropped.
    static let maximumReceivers = 16
    /// The number of epochs for which another receiver must be ahead to replace a fresh one.
    static let epochsAheadToTakeOver = 10
    /// The time for which a heading suppresses those of other compasses.
    static let headingHorizon = TimeAmount.milliseconds(3500)

    /// The last reported location.
    private struct Publication {
        var device: String?
        /// The receiver's time; `nil` if the location had the time of arrival.
        var time: Timestamp?
        var freshUntil: NIODeadline
    }

    private let preferredDevice: String?
    private var receivers: [Receiver] = []
    /// The index into `receivers` of the selected one.
    private var current: Int?
    private var isConnected = false
    /// The time at which locations were first needed; `nil` while they are not.
    private var neededSince: NIODeadline?
    private var published: Publication?
    private var hasReportedUnavailable = false
    private var heading: (device: String?, freshUntil: NIODeadline)?
    /// Counts besides those of `receivers`: reports dropped at a change of receivers, and the counts of receivers no
    /// longer tracked.
    private var (otherDropped, otherRefinements) = (0, 0)

    init(preferredDevice: String?) {
        self.preferredDevice = preferredDevice
    }

    // MARK: - Inputs

    /// Sets whether locations are needed. Nothing from before a pause is fresh after it.
    mutating func setNeeded(_ needed: Bool, at now: NIODeadline) {
        guard needed != (neededSince != nil) else { return }
        neededSince = needed ? now : nil
        hasReportedUnavailable = false
        published?.freshUntil = now
        current = nil
        heading = nil
        for index in receivers.indices { receivers[index].pause() }
    }

    /// Processes the start or end of the connection to gpsd. Receivers' times may start over; fresh fixes stay fresh
    /// for their time.
    mutating func setConnected(_ connected: Bool, at now: NIODeadline) -> [SourceEvent] {
        isConnected = connected
        return receivers.indices.flatMap { publish(receivers[$0].startNewTimeLine(), of: $0, at: now) }
    }

    /// Processes a report that arrived when this machine's clock showed `clock`, which is compared with the receiver's.
    mutating func receive(_ report: GPSDReport, at now: NIODeadline, clock: Timestamp? = nil) -> [SourceEvent] {
        switch report {
        case .devices(let devices):
            let listed = devices.flatMap { receive($0, at: now) }
            let gone = receivers.indices.filter { index in !devices.contains { $0.path == receivers[index].device } }
            return listed + gone.flatMap { publish(receivers[$0].setActivated(false), of: $0, at: now) }
        case .device(let device):
            return receive(device, at: now)
        case .position(let position):
            guard let index = index(of: position.device, at: now) else { return [] }
            return publish(receivers[index].receive(position, at: now, clock: clock), of: index, at: now)
                + checkAvailability(at: now)
        case .sky(let sky):
            if sky.satellitesSeen != nil, let index = index(of: sky.device, at: now) {
                receivers[index].satellites = sky
            }
            return []
        case .attitude(let heading):
            return publish(heading, at: now)
        case .version, .error, .other:
            return []
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

    /// The number of reports with a time before the previous one, within a receiver's time line or at a change of
    /// receivers.
    var droppedBackward: Int {
        receivers.map(\.assembler.droppedBackward).reduce(otherDropped, +)
    }
    /// The number of reports about epochs that had been reported.
    var lateRefinements: Int { receivers.map(\.assembler.lateRefinements).reduce(otherRefinements, +) }

    func status(at now: NIODeadline) -> [ReceiverStatus] {
        receivers.enumerated().filter { !$0.element.isRemoved }.map { index, receiver in
            receiver.status(
                at: now,
                isPreferred: receiver.device != nil && receiver.device == preferredDevice,
                isCurrent: index == current && receiver.isFresh(at: now))
        }
    }

    // MARK: - Receivers

    private mutating func index(of device: String?, at now: NIODeadline) -> Int? {
        if let index = receivers.firstIndex(where: { $0.device == device }) { return index }
        guard receivers.count >= Self.maximumReceivers else {
            receivers.append(Receiver(device: device))
            return receivers.count - 1
        }
        let silent = receivers.indices.filter { $0 != current && !receivers[$0].isFresh(at: now) }
        func lastHeard(_ index: Int) -> UInt64 {
            receivers[index].assembler.pace.lastEpoch?.uptimeNanoseconds ?? 0
        }
        guard let index = silent.min(by: { lastHeard($0) < lastHeard($1) }) else { return nil }
        otherDropped += receivers[index].assembler.droppedBackward
        otherRefinements += receivers[index].assembler.lateRefinements
        receivers[index] = Receiver(device: device)
        return index
    }

    private mutating func receive(_ report: GPSDLine.Device, at now: NIODeadline) -> [SourceEvent] {
        guard let index = index(of: report.path, at: now) else { return [] }
        receivers[index].driver = report.driver ?? receivers[index].driver
        return publish(receivers[index].setActivated(report.isActivated), of: index, at: now)
    }

    private mutating func selectReceiver(at now: NIODeadline) {
        let fresh = receivers.indices.filter { receivers[$0].isFresh(at: now) }
        let selected =
            fresh.first { preferredDevice != nil && receivers[$0].device == preferredDevice }
            ?? fresh.first { receivers[$0].epochsAhead >= Self.epochsAheadToTakeOver }
            ?? fresh.first { $0 == current }
            ?? fresh.max { receivers[$1].isBetter(than: receivers[$0]) }
        guard selected != current else { return }
        current = selected
        for index in receivers.indices { receivers[index].epochsAhead = 0 }
    }

    private mutating func compareWithCurrent(_ index: Int) {
        guard let current, index != current else { return }
        let isAhead = receivers[index].isTwiceAsAccurate(as: receivers[current])
        receivers[index].epochsAhead = isAhead ? receivers[index].epochsAhead + 1 : 0
    }

    // MARK: - Publishing

    private mutating func publish(_ fixes: [Fix], of index: Int, at now: NIODeadline) -> [SourceEvent] {
        guard neededSince != nil else { return [] }
        return fixes.compactMap { fix in
            compareWithCurrent(index)
            selectReceiver(at: now)
            return index == current ? publish(fix, at: now) : nil
        }
    }

    /// Returns the event for a fix of the current receiver, if it is new.
    private mutating func publish(_ fix: Fix, at now: NIODeadline) -> SourceEvent? {
        let location = fix.location
        let device = location.sourceInformation?.device
        if let published, let publishedTime = published.time, published.device != device, fix.hasReceiverTime,
            location.timestamp <= publishedTime, now < published.freshUntil
        {
            otherDropped += 1
            return nil
        }
        let freshUntil = current.flatMap { receivers[$0].assembler.pace.staleAt } ?? now
        published = Publication(
            device: device, time: fix.hasReceiverTime ? location.timestamp : nil, freshUntil: freshUntil)
        hasReportedUnavailable = false
        return .location(location)
    }

    /// Returns the event for a heading, unless another device is still giving headings. The selected receiver precedes
    /// a separate compass.
    private mutating func publish(_ new: Heading, at now: NIODeadline) -> [SourceEvent] {
        guard neededSince != nil else { return [] }
        let device = new.sourceInformation?.device
        let isOfCurrent = current.map { receivers[$0].device == device } ?? false
        if let heading, heading.device != device, now < heading.freshUntil, !isOfCurrent { return [] }
        heading = (device, now + Self.headingHorizon)
        return [.heading(new)]
    }

    /// The time at which the lack of a location is to be reported; `nil` after that.
    private var unavailableAt: NIODeadline? {
        guard let neededSince, !hasReportedUnavailable else { return nil }
        return receivers.compactMap(\.assembler.pace.staleAt).max() ?? neededSince + EpochPace().horizon
    }

    private mutating func checkAvailability(at now: NIODeadline) -> [SourceEvent] {
        guard let unavailableAt, unavailableAt <= now else { return [] }
        hasReportedUnavailable = true
        let reason: UnavailableReason =
            if !isConnected {
                .notConnected
            } else if receivers.contains(where: { $0.isWithoutFix(at: now) }) {
                .noFix
            } else if receivers.contains(where: \.isActivated) {
                .silent
            } else {
                .noReceiver
            }
        return [.unavailable(reason)]
    }
}
