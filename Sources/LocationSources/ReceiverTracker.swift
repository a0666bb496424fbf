import LocationModel
import NIOCore

/// Turns gpsd's reports into what is told: which receiver counts, what is new, and when there is nothing.
///
/// A value with neither clock nor timer: every input carries its moment, the answer is what to tell, and `nextDeadline`
/// is when to call `tick`.
///
/// **Which receiver counts.** gpsd does not choose between receivers. The configured one counts while it is fresh.
/// Otherwise the current one stays as long as it is fresh, unless another has had less than half its horizontal accuracy
/// (an unknown one is infinite) for ten epochs in a row. When a choice is due, 3D comes before 2D, then the smaller
/// horizontal accuracy, then the name. The others are followed, for `status` and for the next choice, but not told.
///
/// **Changing receivers** must not make an older position look newer: a location of the new receiver that is not later
/// than what the other one told last is dropped, until that one would have gone stale. From then on it begins a time line
/// of its own, such as that of a receiver whose clock is wrong by a rollover.
///
/// **No location** has one rule, whatever the cause (lost sky, unplugged, silent, gpsd gone): no receiver is fresh. It is
/// told once, at the moment when the last one goes stale, or when nothing came after a need arose for as long as that
/// takes by the assumed pace.
struct ReceiverTracker {
    /// gpsd reads a handful of devices. Of one that names more, over the years or because something is wrong with it, those are
    /// forgotten that have not been heard for longest; who is heard stays.
    static let maximumReceivers = 16
    /// How many epochs another receiver must be ahead to be taken instead of a fresh one.
    static let epochsAheadToTakeOver = 10
    /// How long a heading keeps other compasses from being told.
    static let headingHorizon = TimeAmount.milliseconds(3500)

    /// The last location that was told.
    private struct Told {
        var device: String?
        /// `nil` when its time was not the receiver's.
        var time: Timestamp?
        var freshUntil: NIODeadline
    }

    private let preferredDevice: String?
    private var receivers: [Receiver] = []
    /// Index into `receivers` of the one that counts.
    private var current: Int?
    private var isConnected = false
    /// When the need arose; `nil` while there is none.
    private var neededSince: NIODeadline?
    private var told: Told?
    private var hasToldUnavailable = false
    private var heading: (device: String?, freshUntil: NIODeadline)?
    /// Besides what the receivers count themselves: what went backwards at a change of receivers, and what those had counted
    /// that were forgotten.
    private var (droppedBesides, refinementsBesides) = (0, 0)

    init(preferredDevice: String?) {
        self.preferredDevice = preferredDevice
    }

    // MARK: - Inputs

    /// A need arises or ends. Nothing from before a pause is fresh after it.
    mutating func setNeeded(_ needed: Bool, at now: NIODeadline) {
        guard needed != (neededSince != nil) else { return }
        neededSince = needed ? now : nil
        hasToldUnavailable = false
        told?.freshUntil = now
        current = nil
        heading = nil
        for index in receivers.indices { receivers[index].pause() }
    }

    /// The connection to gpsd is made or lost. Receivers' times may start over; what is fresh stays so for its time.
    mutating func setConnected(_ connected: Bool, at now: NIODeadline) -> [SourceEvent] {
        isConnected = connected
        return receivers.indices.flatMap { tell(receivers[$0].startNewTimeLine(), of: $0, at: now) }
    }

    /// gpsd says something, while the clock of this machine shows `clock`, with which the receiver's is compared.
    mutating func receive(_ report: GPSDReport, at now: NIODeadline, clock: Timestamp? = nil) -> [SourceEvent] {
        switch report {
        case .devices(let devices):
            let listed = devices.flatMap { receive($0, at: now) }
            let gone = receivers.indices.filter { index in !devices.contains { $0.path == receivers[index].device } }
            return listed + gone.flatMap { tell(receivers[$0].setActivated(false), of: $0, at: now) }
        case .device(let device):
            return receive(device, at: now)
        case .position(let position):
            guard let index = index(of: position.device, at: now) else { return [] }
            return tell(receivers[index].receive(position, at: now, clock: clock), of: index, at: now)
                + checkAvailability(at: now)
        case .sky(let sky):
            if sky.satellitesSeen != nil, let index = index(of: sky.device, at: now) {
                receivers[index].satellites = sky
            }
            return []
        case .attitude(let heading):
            return tell(heading, at: now)
        case .version, .error, .other:
            return []
        }
    }

    /// Time has passed.
    mutating func tick(at now: NIODeadline) -> [SourceEvent] {
        receivers.indices.flatMap { tell(receivers[$0].settle(at: now), of: $0, at: now) } + checkAvailability(at: now)
    }

    /// When `tick` has something to do; `nil` when there is nothing to wait for.
    var nextDeadline: NIODeadline? {
        guard neededSince != nil else { return nil }
        return (receivers.map(\.assembler.settlesAt) + [unavailableAt]).compactMap(\.self).min()
    }

    // MARK: - Status

    /// Reports that went backwards, within a receiver's time line or at a change of receivers.
    var droppedBackward: Int {
        receivers.map(\.assembler.droppedBackward).reduce(droppedBesides, +)
    }
    /// Reports on epochs that had been told.
    var lateRefinements: Int { receivers.map(\.assembler.lateRefinements).reduce(refinementsBesides, +) }

    func status(at now: NIODeadline) -> [ReceiverStatus] {
        receivers.enumerated().map { index, receiver in
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
        droppedBesides += receivers[index].assembler.droppedBackward
        refinementsBesides += receivers[index].assembler.lateRefinements
        receivers[index] = Receiver(device: device)
        return index
    }

    private mutating func receive(_ report: DeviceReport, at now: NIODeadline) -> [SourceEvent] {
        guard let index = index(of: report.path, at: now) else { return [] }
        receivers[index].driver = report.driver ?? receivers[index].driver
        return tell(receivers[index].setActivated(report.isActivated), of: index, at: now)
    }

    private mutating func choose(at now: NIODeadline) {
        let fresh = receivers.indices.filter { receivers[$0].isFresh(at: now) }
        let chosen =
            fresh.first { preferredDevice != nil && receivers[$0].device == preferredDevice }
            ?? fresh.first { receivers[$0].epochsAhead >= Self.epochsAheadToTakeOver }
            ?? fresh.first { $0 == current }
            ?? fresh.max { receivers[$1].isBetter(than: receivers[$0]) }
        guard chosen != current else { return }
        current = chosen
        for index in receivers.indices { receivers[index].epochsAhead = 0 }
    }

    private mutating func compareWithCurrent(_ index: Int) {
        guard let current, index != current else { return }
        let isAhead = receivers[index].isTwiceAsAccurate(as: receivers[current])
        receivers[index].epochsAhead = isAhead ? receivers[index].epochsAhead + 1 : 0
    }

    // MARK: - Telling

    private mutating func tell(_ fixes: [Fix], of index: Int, at now: NIODeadline) -> [SourceEvent] {
        guard neededSince != nil else { return [] }
        return fixes.compactMap { fix in
            compareWithCurrent(index)
            choose(at: now)
            return index == current ? tell(fix, at: now) : nil
        }
    }

    /// Tells a fix of the current receiver, if it is new.
    private mutating func tell(_ fix: Fix, at now: NIODeadline) -> SourceEvent? {
        let location = fix.location
        let device = location.sourceInformation?.device
        if let told, let toldTime = told.time, told.device != device, fix.hasReceiverTime,
            location.timestamp <= toldTime, now < told.freshUntil
        {
            droppedBesides += 1
            return nil
        }
        let freshUntil = current.flatMap { receivers[$0].assembler.pace.staleAt } ?? now
        told = Told(device: device, time: fix.hasReceiverTime ? location.timestamp : nil, freshUntil: freshUntil)
        hasToldUnavailable = false
        return .location(location)
    }

    /// Tells a heading, unless another device that has been giving them is still at it. The receiver that counts goes
    /// before a separate compass.
    private mutating func tell(_ new: Heading, at now: NIODeadline) -> [SourceEvent] {
        guard neededSince != nil else { return [] }
        let device = new.sourceInformation?.device
        let isOfCurrent = current.map { receivers[$0].device == device } ?? false
        if let heading, heading.device != device, now < heading.freshUntil, !isOfCurrent { return [] }
        heading = (device, now + Self.headingHorizon)
        return [.heading(new)]
    }

    /// When it is to be told that there is no location; `nil` when that has been told.
    private var unavailableAt: NIODeadline? {
        guard let neededSince, !hasToldUnavailable else { return nil }
        return receivers.compactMap(\.assembler.pace.staleAt).max() ?? neededSince + EpochPace().horizon
    }

    private mutating func checkAvailability(at now: NIODeadline) -> [SourceEvent] {
        guard let unavailableAt, unavailableAt <= now else { return [] }
        hasToldUnavailable = true
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
