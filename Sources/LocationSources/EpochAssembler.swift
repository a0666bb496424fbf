import LocationModel
import NIOCore

/// A receiver's fix as it is told: one for each epoch.
struct Fix: Equatable {
    var location: Location
    var mode: FixMode
    /// True when `location.timestamp` is the receiver's own time, false when it is the time of arrival.
    var hasReceiverTime: Bool

    /// Takes over what a later report of the same epoch knows; what it does not mention stays.
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

/// Makes one fix for each epoch out of one receiver's reports, as early as it can.
///
/// Receivers spread an epoch over several sentences, and gpsd reports after each: reports of the same time refine one
/// another. The fix is complete when as many reports have come as the fullest of the last few epochs had (with one
/// report an epoch that is at once), when the next epoch begins, or when a settling time has passed: a quarter of the
/// interval, at most 250 ms. Nothing is known of the first epoch, so that one waits for one of the latter two.
///
/// Times go forward. A report from before the newest epoch is dropped while the time line is fresh; when the last fix
/// has gone stale, or after `startNewTimeLine()`, a step back is believed: a receiver that corrected a rollover, a
/// recording that starts over. The newest time itself is never told twice, however old it is.
///
/// A fix without a time is an epoch of its own. A report that has lost the fix takes nothing away from its epoch.
struct EpochAssembler {
    private struct Epoch {
        var fix: Fix
        var reports = 1
        var isTold = false
        var settlesAt: NIODeadline
    }

    static let longestSettlingTime = TimeAmount.milliseconds(250)

    private(set) var pace = EpochPace()
    /// Reports from before the newest epoch.
    private(set) var droppedBackward = 0
    /// Reports on an epoch that had been told.
    private(set) var lateRefinements = 0

    /// The newest epoch with a time, told or not.
    private var epoch: Epoch?
    /// How many reports each of the last four epochs had.
    private var reportCounts: [Int] = []
    private var acceptsStepBack = false

    /// When `settle` has something to do.
    var settlesAt: NIODeadline? {
        epoch.flatMap { $0.isTold ? nil : $0.settlesAt }
    }

    /// Takes in a report. Gives what is complete now: nothing, the current epoch, the one before it, or both.
    mutating func receive(_ report: PositionReport, at now: NIODeadline) -> [Fix] {
        guard let fix = report.fix else { return receiveWithoutFix(report, at: now) }
        guard let time = report.time else {
            pace.epochBegan(at: now)
            return [complete(), fix].compactMap(\.self)
        }
        if let newest = epoch?.fix.location.timestamp {
            if time == newest { return [refine(with: fix)].compactMap(\.self) }
            if time < newest, pace.isFresh(at: now), !acceptsStepBack {
                droppedBackward += 1
                return []
            }
        }
        let previous = close()
        let settlingTime = min(Self.longestSettlingTime, .nanoseconds(pace.interval.nanoseconds / 4))
        pace.epochBegan(at: now)
        acceptsStepBack = false
        epoch = Epoch(fix: fix, settlesAt: now + settlingTime)
        return [previous, completeIfFull()].compactMap(\.self)
    }

    /// Gives the current epoch when its settling time has passed.
    mutating func settle(at now: NIODeadline) -> Fix? {
        guard let settlesAt, settlesAt <= now else { return nil }
        return complete()
    }

    /// A new connection, or the device was opened or closed: the times may start over. Gives what had been waiting.
    mutating func startNewTimeLine() -> Fix? {
        acceptsStepBack = true
        pace.interrupt()
        return complete()
    }

    /// Nobody needs locations: what waits is dropped and nothing is fresh any more.
    mutating func pause() {
        _ = startNewTimeLine()
        pace.forgetFix()
    }

    private mutating func receiveWithoutFix(_ report: PositionReport, at now: NIODeadline) -> [Fix] {
        guard let time = report.time, let newest = epoch?.fix.location.timestamp else { return [] }
        if time == newest {
            epoch?.reports += 1
            return [completeIfFull()].compactMap(\.self)
        }
        return time > newest ? [complete()].compactMap(\.self) : []
    }

    private mutating func refine(with fix: Fix) -> Fix? {
        epoch?.reports += 1
        if epoch?.isTold == true {
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
        guard let fix = epoch?.fix, epoch?.isTold == false else { return nil }
        epoch?.isTold = true
        return fix
    }

    /// Ends the current epoch and learns from it.
    private mutating func close() -> Fix? {
        guard let reports = epoch?.reports else { return nil }
        reportCounts.append(reports)
        if reportCounts.count > 4 { reportCounts.removeFirst() }
        return complete()
    }
}
