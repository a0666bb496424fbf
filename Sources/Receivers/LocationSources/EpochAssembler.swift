import LocationModel
import NIOCore

/// A receiver's fix for one epoch.
struct Fix: Equatable {
    var location: Location
    var mode: FixMode
    /// True when `location.timestamp` is the receiver's own time, false when it is the time of arrival.
    var hasReceiverTime: Bool

    /// Merges a later report of the same epoch; members that it lacks are kept.
    mutating func refine(with later: Fix) {
        var location = later.location
        location.altitude = location.altitude ?? self.location.altitude
        location.ellipsoidalAltitude = location.ellipsoidalAltitude ?? self.location.ellipsoidalAltitude
        location.horizontalAccuracy = location.horizontalAccuracy ?? self.location.horizontalAccuracy
        location.verticalAccuracy = location.verticalAccuracy ?? self.location.verticalAccuracy
        location.course = location.course ?? self.location.course
        location.courseAccuracy = location.courseAccuracy ?? self.location.courseAccuracy
        location.speed = location.speed ?? self.location.speed
        location.speedAccuracy = location.speedAccuracy ?? self.location.speedAccuracy
        self.location = location
        mode = later.mode
    }
}

extension PositionReport {
    /// The fix in this report, if there is one.
    var fix: Fix? {
        location.map { Fix(location: $0, mode: mode, hasReceiverTime: time != nil) }
    }
}

/// Combines one receiver's reports into one fix for each epoch, as early as possible.
///
/// Receivers spread an epoch over several sentences, and gpsd reports after each: reports of the same time refine one
/// another. The fix is complete when as many reports have come as in the fullest of the last few epochs (with one
/// report an epoch that is at once), when the next epoch begins, or after a settling time: a quarter of the interval,
/// at most 250 ms. The first epoch can only end in one of the latter two ways.
///
/// Times must increase. A report from before the newest epoch is dropped while the time line is fresh; when the last
/// fix has gone stale, or after `startNewTimeLine()`, a step back is accepted: a receiver that corrected a rollover, or
/// a recording that starts over. The newest time itself is never reported twice, however old it is.
///
/// A fix without a time is an epoch of its own.
///
/// The last report of an epoch says if it has a fix. A receiver without one may repeat its last position at each new time
/// and then say that this is none (GGA with quality 0 and RMC with V, of which gpsd makes mode 3 and then mode 1): such an
/// epoch is not reported, and does not keep the fix before it fresh. So if there is nothing else, the last fix goes stale
/// after three and a half epochs. Two receivers behind one device, of which only one has a fix, keep it: the other has no
/// time either, or another one, or does not always come last. So a report without a fix and without a time, or with an
/// earlier one, removes nothing.
struct EpochAssembler {
    private struct Epoch {
        var fix: Fix
        var reports = 1
        var isReported = false
        /// True if the last report had no fix.
        var endsWithoutFix = false
        var settlesAt: NIODeadline

        /// True if there is a fix to report.
        var isPending: Bool { !isReported && !endsWithoutFix }
    }

    static let longestSettlingTime = TimeAmount.milliseconds(250)

    private(set) var pace = EpochPace()
    /// The number of dropped reports from before the newest epoch.
    private(set) var droppedBackward = 0
    /// The number of reports about an epoch that had been reported.
    private(set) var lateRefinements = 0

    /// The newest epoch with a time, reported or not.
    private var epoch: Epoch?
    /// The numbers of reports of the last four epochs.
    private var reportCounts: [Int] = []
    private var acceptsStepBack = false

    /// The time at which to call `settle`.
    var settlesAt: NIODeadline? {
        epoch.flatMap { $0.isPending ? $0.settlesAt : nil }
    }

    /// Processes a report. Returns the fixes that are complete now: none, the current epoch, the one before it, or
    /// both.
    mutating func receive(_ report: PositionReport, at now: NIODeadline) -> [Fix] {
        guard let fix = report.fix else { return receiveWithoutFix(report, at: now) }
        guard let time = report.time else {
            pace.epochBegan(at: now, hasTime: false)
            return [complete(), fix].compactMap(\.self)
        }
        if let newest = epoch?.fix.location.timestamp {
            if time == newest { return [refine(with: fix, at: now)].compactMap(\.self) }
            if time < newest, pace.isFresh(at: now), !acceptsStepBack {
                droppedBackward += 1
                return []
            }
        }
        let previous = close()
        let settlingTime = settlingTime
        pace.epochBegan(at: now, hasTime: true)
        acceptsStepBack = false
        epoch = Epoch(fix: fix, settlesAt: now + settlingTime)
        return [previous, completeIfFull()].compactMap(\.self)
    }

    /// Returns the current epoch if its settling time has passed.
    mutating func settle(at now: NIODeadline) -> Fix? {
        guard let settlesAt, settlesAt <= now else { return nil }
        return complete()
    }

    /// Allows times to start over, after a new connection or the opening or closing of the device. Returns the pending
    /// fix.
    mutating func startNewTimeLine() -> Fix? {
        acceptsStepBack = true
        pace.interrupt()
        return complete()
    }

    /// Drops the pending fix and marks everything stale, because locations are not needed.
    mutating func pause() {
        _ = startNewTimeLine()
        pace.forgetFix()
    }

    private mutating func receiveWithoutFix(_ report: PositionReport, at now: NIODeadline) -> [Fix] {
        guard let time = report.time, let newest = epoch?.fix.location.timestamp else { return [] }
        if time == newest {
            epoch?.reports += 1
            epoch?.endsWithoutFix = true
            pace.setNewestEpoch(hasFix: false)
            return []
        }
        return time > newest ? [complete()].compactMap(\.self) : []
    }

    /// The time that the reports of an epoch take.
    private var settlingTime: TimeAmount {
        min(Self.longestSettlingTime, .nanoseconds(pace.interval.nanoseconds / 4))
    }

    private mutating func refine(with fix: Fix, at now: NIODeadline) -> Fix? {
        epoch?.reports += 1
        if epoch?.endsWithoutFix == true {
            // It may end without one again.
            let settlesAt = now + settlingTime
            epoch?.endsWithoutFix = false
            epoch?.settlesAt = settlesAt
        }
        pace.setNewestEpoch(hasFix: true)
        if epoch?.isReported == true {
            lateRefinements += 1
            return nil
        }
        epoch?.fix.refine(with: fix)
        return completeIfFull()
    }

    private mutating func completeIfFull() -> Fix? {
        guard let epoch, let usual = reportCounts.max(), epoch.reports >= usual else { return nil }
        return complete()
    }

    private mutating func complete() -> Fix? {
        guard let epoch, epoch.isPending else { return nil }
        self.epoch?.isReported = true
        return epoch.fix
    }

    /// Ends the current epoch and learns from it.
    private mutating func close() -> Fix? {
        guard let reports = epoch?.reports else { return nil }
        reportCounts.append(reports)
        if reportCounts.count > 4 { reportCounts.removeFirst() }
        return complete()
    }
}
