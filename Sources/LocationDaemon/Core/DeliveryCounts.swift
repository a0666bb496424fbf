import LocationInterface

/// What became of every location for every subscription, since the daemon started.
///
/// The books balance: ``offered`` and ``repeated`` together are ``delivered``, ``skipped``, ``filtered`` and ``forbidden``
/// together. Counting costs a few additions a location; nothing is kept of anybody.
struct DeliveryCounts {
    /// The locations that came while somebody needed them.
    var publications = 0
    /// Over all locations that came: how many subscriptions for locations there were.
    var offered = 0
    /// Locations that had come before and were offered to a subscription as it began or resumed.
    var repeated = 0
    private(set) var delivered = 0
    private(set) var skipped = 0
    private(set) var filtered = 0
    var forbidden = 0
    /// Locations that answered `GetLocation`.
    var answered = 0
    private(set) var frames = 0
    private(set) var framesSkipped = 0

    static func += (counts: inout DeliveryCounts, more: DeliveryCounts) {
        counts.publications += more.publications
        counts.offered += more.offered
        counts.repeated += more.repeated
        counts.delivered += more.delivered
        counts.skipped += more.skipped
        counts.filtered += more.filtered
        counts.forbidden += more.forbidden
        counts.answered += more.answered
        counts.frames += more.frames
        counts.framesSkipped += more.framesSkipped
    }

    /// Counts what became of a location, or of a frame, for one subscription.
    mutating func count(_ outcome: Subscription.Outcome, isFrame: Bool) {
        switch (outcome, isFrame) {
        case (.delivered, false): delivered += 1
        case (.skipped, false): skipped += 1
        case (.filtered, false): filtered += 1
        case (.delivered, true): frames += 1
        case (.skipped, true): framesSkipped += 1
        // What a follower may not have, or not so often, is no frame.
        case (.filtered, true): break
        }
    }

    /// A location, or a rough frame, that was skipped reached its subscription after all.
    mutating func countCaughtUp(isFrame: Bool) {
        if isFrame {
            framesSkipped -= 1
            frames += 1
        } else {
            skipped -= 1
            delivered += 1
        }
    }
}

extension ManagerInterface.Deliveries {
    init(_ counts: DeliveryCounts) {
        self.init(
            publications: counts.publications, offered: counts.offered, repeated: counts.repeated,
            delivered: counts.delivered, skipped: counts.skipped, filtered: counts.filtered,
            forbidden: counts.forbidden, answered: counts.answered, frames: counts.frames,
            framesSkipped: counts.framesSkipped)
    }
}
