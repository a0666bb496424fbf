import LocationConditions
import LocationModel
import LocationSources

/// The need for locations: of subscriptions, of requests, of conditions and visits. It decides when the receiver may sleep.
///
/// Confined to the event loop.
final class SourceNeed {
    /// The numbers of subscriptions by their need, except those for significant changes.
    private var counts = [Int](repeating: 0, count: LocationDemand.allCases.count)
    /// The number of subscriptions that need headings.
    private var headings = 0
    /// The subscriptions for significant changes that need locations.
    private var significant: [ObjectIdentifier: Subscription] = [:]
    private let conditions: ConditionMonitor
    /// The receiver's sleep while only conditions, visits and significant changes are wanted.
    let sleep: ReceiverSleep
    /// The users for whom the sources were needed last.
    private var lastUsers: Set<UInt32> = []

    init(conditions: ConditionMonitor, sleep: ReceiverSleep) { (self.conditions, self.sleep) = (conditions, sleep) }

    /// True while a subscription needs headings.
    var isHeadingNeeded: Bool { headings > 0 }

    /// Cancels timers.
    func shutdown() { sleep.end() }

    // MARK: Subscriptions

    /// Counts the need of a subscription again, after a change that may affect it.
    func count(_ subscription: Subscription) {
        change(subscription, to: subscription.demandNow, heading: subscription.needsHeadingNow)
    }

    /// Removes a subscription.
    func remove(_ subscription: Subscription) { change(subscription, to: .off, heading: false) }

    private func change(_ subscription: Subscription, to demand: LocationDemand, heading needsHeading: Bool) {
        headings += (needsHeading ? 1 : 0) - (subscription.needsHeading ? 1 : 0)
        subscription.needsHeading = needsHeading
        let before = subscription.demand
        subscription.demand = demand
        guard subscription.isSignificant else {
            counts[before.rawValue] -= 1
            counts[demand.rawValue] += 1
            return
        }
        guard demand != before else { return }
        significant[subscription.id] = demand > .off ? subscription : nil
        // It awaits its first location.
        if demand > .off { sleep.wake() }
    }

    // MARK: Sleep

    /// The need of those who do not let the receiver sleep.
    private func steadyNeed(hasRequests: Bool) -> LocationDemand {
        hasRequests ? .continuous : LocationDemand.allCases.last { $0 > .off && counts[$0.rawValue] > 0 } ?? .off
    }

    /// The need of those who let it sleep, while it is awake.
    private var interruptibleNeed: LocationDemand {
        conditions.isNeeded ? .continuous : significant.isEmpty ? .off : .coarse
    }

    /// Begins or ends the receiver's sleep by the needs. Returns the need for locations now.
    func update(hasRequests: Bool) -> LocationDemand {
        let (steady, interruptible) = (steadyNeed(hasRequests: hasRequests), interruptibleNeed)
        if steady < interruptible { sleep.begin() } else { sleep.end() }
        return max(steady, sleep.isAsleep ? .off : interruptible)
    }

    /// Ends the receiver's sleep for conditions and visits.
    func wakeReceiver() { if conditions.isNeeded { sleep.wake() } }

    /// Decides after a location how long the receiver may sleep. A simulated one need not: nothing is saved, and a track
    /// would stand still. Returns false if it does not depend on this location.
    func decideSleep(after publication: Publication, _ fix: ConditionFix, hasEvents: Bool, hasRequests: Bool) -> Bool {
        let location = publication.location
        guard steadyNeed(hasRequests: hasRequests) < interruptibleNeed,
            location.sourceInformation?.isSimulated != true
        else { return false }
        var outlook = conditions.outlook(hasEvents: hasEvents)
        for subscription in significant.values {
            guard let next = subscription.nextSignificantChange(after: location) else { continue }
            outlook.borders.exit = min(outlook.borders.exit, next.distance)
            let look = fix.time + next.interval
            outlook.nextLook = min(outlook.nextLook ?? look, look)
        }
        sleep.receive(
            fix, speed: location.speed, borders: outlook.borders, isDeciding: outlook.isDeciding,
            hasEvents: outlook.hasEvents, nextLook: outlook.nextLook)
        return true
    }

    // MARK: Users

    /// Notes the users for whom the sources are needed now. Returns true if they were needed for others before, and for none of
    /// these.
    func isForOthersThanBefore(_ users: Set<UInt32>) -> Bool {
        defer { lastUsers = users }
        return users.isDisjoint(with: lastUsers) && !lastUsers.isEmpty
    }
}
