import LocationModel
import NIOCore

/// Identifies a receiver among those of all sources.
struct ReceiverID: Hashable {
    /// The index of its source.
    var source: Int
    /// The source's name of it; `nil` for reports without one.
    var device: String?
}

/// The state of one receiver, from the reports of its source.
struct Receiver {
    let id: ReceiverID
    var driver: String?
    private(set) var isActivated = true
    /// True while the source lists it, open or not.
    var isListed = false
    /// The time of the last report; `nil` before the first.
    private(set) var lastReport: NIODeadline?
    /// True if the source has closed it after it had reported: it was removed, or its data has ended.
    var isRemoved: Bool { lastReport != nil && !isActivated }
    private(set) var mode = FixMode.unknown
    var satellites: SkyReport?
    private(set) var assembler = EpochAssembler()
    /// The last complete fix.
    private(set) var lastFix: Fix?
    /// The time of the last report without a fix; `nil` if an epoch with a fix has been complete since.
    private(set) var lastReportWithoutFix: NIODeadline?
    /// The difference between this machine's clock and the receiver's, at the last report with a time.
    private(set) var clockOffset: Duration?
    /// The number of consecutive epochs in which it was more than twice as accurate as the current receiver.
    var epochsAhead = 0
    /// What speaks against its positions.
    var scrutiny = ReceiverScrutiny()
    /// How it agrees with the selected receiver, if it is another one.
    var disagreement = Disagreement()

    init(_ id: ReceiverID) { self.id = id }

    func isFresh(at now: NIODeadline) -> Bool {
        isActivated && assembler.pace.isFresh(at: now)
    }

    /// True if the receiver recently reported that it has no fix.
    func isWithoutFix(at now: NIODeadline) -> Bool {
        isActivated && (lastReportWithoutFix.map { now < $0 + assembler.pace.horizon } ?? false)
    }

    /// True if this receiver is to be preferred: 3D before 2D, then the smaller error, then the name.
    func isBetter(than other: Receiver) -> Bool {
        let mine = (lastFix?.mode ?? .unknown, -accuracy)
        let others = (other.lastFix?.mode ?? .unknown, -other.accuracy)
        return mine == others ? (id.device ?? "", id.source) < (other.id.device ?? "", other.id.source) : mine > others
    }

    /// True if the error is less than half of that of `other`.
    func isTwiceAsAccurate(as other: Receiver) -> Bool {
        accuracy < other.accuracy / 2
    }

    private var accuracy: Double {
        lastFix?.location.horizontalAccuracy ?? .infinity
    }

    /// Processes a report that arrived when this machine's clock showed `clock`.
    mutating func receive(_ report: PositionReport, at now: NIODeadline, clock: Timestamp?) -> [Fix] {
        // A receiver that reports is open, whatever the source said before.
        (isActivated, lastReport) = (true, now)
        mode = report.mode
        if report.fix == nil { lastReportWithoutFix = now }
        if let clock, let time = report.time { clockOffset = clock.duration(since: time) }
        scrutiny.receive(report, at: now, clock: clock)
        let fixes = assembler.receive(report, at: now)
        for fix in fixes { scrutiny.receive(fix, at: now) }
        return note(fixes)
    }

    mutating func settle(at now: NIODeadline) -> [Fix] {
        guard let fix = assembler.settle(at: now) else { return [] }
        scrutiny.receive(fix, at: now)
        return note([fix])
    }

    /// Processes the opening or closing of the device by its source.
    mutating func setActivated(_ activated: Bool) -> [Fix] {
        guard activated != isActivated else { return [] }
        isActivated = activated
        if !activated {
            mode = .unknown
            satellites = nil
            lastReportWithoutFix = nil
        }
        return startNewTimeLine()
    }

    mutating func startNewTimeLine() -> [Fix] {
        // Another receiver may have its name now.
        scrutiny.interrupt()
        return note([assembler.startNewTimeLine()].compactMap(\.self))
    }

    mutating func pause() {
        assembler.pause()
        scrutiny.interrupt()
        lastFix = nil
        lastReportWithoutFix = nil
        epochsAhead = 0
        disagreement = Disagreement()
    }

    private mutating func note(_ fixes: [Fix]) -> [Fix] {
        if let fix = fixes.last { (lastFix, lastReportWithoutFix) = (fix, nil) }
        return fixes
    }
}

extension Receiver {
    func status(at now: NIODeadline, isPreferred: Bool, isCurrent: Bool) -> ReceiverStatus {
        var status = ReceiverStatus(device: id.device)
        status.driver = driver
        status.isActivated = isActivated
        status.isPreferred = isPreferred
        status.isCurrent = isCurrent
        status.mode = mode
        status.ageOfLastFix = assembler.pace.lastEpoch.map { .nanoseconds((now - $0).nanoseconds) }
        status.radius = lastFix?.location.horizontalAccuracy
        status.epochInterval = assembler.pace.learnedInterval.map { .nanoseconds($0.nanoseconds) }
        status.clockOffset = clockOffset
        status.satellitesUsed = satellites?.satellitesUsed
        status.satellitesSeen = satellites?.satellitesSeen
        status.satellites = satellites?.satellites ?? []
        status.horizontalDilution = satellites?.horizontalDilution
        status.positionDilution = satellites?.positionDilution
        status.doubts = scrutiny.doubts(at: now)
        return status
    }
}
