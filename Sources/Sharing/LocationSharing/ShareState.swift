import LocationInterface
package import LocationModel

/// What is kept of a destination over restarts, besides its settings. Contains no position.
package struct ShareState: Codable, Hashable, Sendable {
    /// True from before the first position is sent until the service has been told of the end.
    package var isShowing = false
    /// The seconds for which the end was sent and not confirmed, over all runs of the program; `nil` while it is
    /// not to forget the position. No clock that is set changes it.
    package var clearingTime: Double?
    /// The start of the share that has ended, so that a clock that is set back does not revive it.
    package var endedShare: Timestamp?
    /// The start of the share during which the user was outside of the place at which it ends: only then can the user arrive.
    package var departedShare: Timestamp?
    /// The start of the share whose settings turned out wrong.
    package var failedShare: Timestamp?
    /// The time of the last message that the service has taken.
    package var lastDelivery: Timestamp?
    /// The number of queued positions of the share that were left out, because the service did not take them; `nil` for none.
    package var leftOut: Int?
    /// The number of positions that were left out because their date was ahead of the clock, or because nobody can have been
    /// there at that time; `nil` for none.
    package var implausible: Int?
    /// The last problem, a sentence; `nil` since the service has taken a message.
    package var problem: String?

    /// The greatest number of positions that is counted.
    private static let greatestCount = 1_000_000_000

    /// The state of a destination that nothing was sent to.
    package init() {}

    /// The sum of a number of positions and another one, ``greatestCount`` at most.
    static func sum(_ count: Int?, _ more: Int) -> Int {
        min(min(count ?? 0, greatestCount) + min(more, greatestCount), greatestCount)
    }

    /// Brings numbers that were read from a file into their ranges.
    mutating func limitNumbers() {
        leftOut = leftOut.map { max(0, min($0, Self.greatestCount)) }
        implausible = implausible.map { max(0, min($0, Self.greatestCount)) }
        let day = ShareMachine.clearingTime / .seconds(1)
        clearingTime = clearingTime.map { $0 >= 0 ? min($0, day) : 0 }
    }
}

/// The part of a share's life at a moment.
package enum SharePhase: String, Codable, Hashable, Sendable {
    /// The position is not shared.
    case off
    /// The clock is earlier than the start of the share: it is not right yet.
    case clockNotSet
    /// The position is sent as it changes.
    case sharing
    /// Nothing is sent until the user resumes it.
    case paused
    /// The settings are wrong.
    case failed
    case ended

    /// The phase of a share.
    package init(of share: Share?, _ state: ShareState, at time: Timestamp) {
        guard let share else {
            self = .off
            return
        }
        if state.endedShare == share.started || share.until.map({ $0 <= time }) == true {
            self = .ended
        } else if state.failedShare == share.started {
            self = .failed
        } else if time < share.started.advanced(by: .seconds(-60)) {
            self = .clockNotSet
        } else {
            self = share.isPaused ? .paused : .sharing
        }
    }
}
