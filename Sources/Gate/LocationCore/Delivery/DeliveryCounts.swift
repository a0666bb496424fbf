/// Counts of the outcomes of all deliveries since the daemon started.
///
/// They balance: ``offered`` plus ``repeated`` equals ``delivered`` plus ``skipped`` plus ``filtered`` plus
/// ``forbidden``. Counting costs a few additions a location and stores nothing about users.
package struct DeliveryCounts: Hashable, Sendable {
    /// Locations that came while they were needed.
    package internal(set) var publications = 0
    /// The sum of the numbers of subscriptions for locations, over all locations.
    package internal(set) var offered = 0
    /// Offers to a single subscription, between two publications: the current location when it starts or resumes, and
    /// each reduced location when it is released.
    package internal(set) var repeated = 0
    package private(set) var delivered = 0
    package private(set) var skipped = 0
    package private(set) var filtered = 0
    package internal(set) var forbidden = 0
    /// Answers of `GetLocation`.
    package internal(set) var answered = 0
    package private(set) var frames = 0
    package private(set) var framesSkipped = 0

    /// Counts the outcome of a location or frame for one subscription.
    mutating func count(_ outcome: Subscription.Outcome, isFrame: Bool) {
        switch (outcome, isFrame) {
        case (.delivered, false): delivered += 1
        case (.skipped, false): skipped += 1
        case (.filtered, false): filtered += 1
        case (.delivered, true): frames += 1
        case (.skipped, true): framesSkipped += 1
        // A follower with reduced accuracy gets reduced locations instead of frames.
        case (.filtered, true): break
        }
    }

    /// Corrects the counts for a skipped location or reduced frame that was delivered later.
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
